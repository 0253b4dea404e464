import { z } from 'zod'
import { moment, position } from './common.js'
import { message, prompts } from './sessions.js'

const paneStatus = z.enum(['idle', 'running', 'long-running', 'waiting-approval', 'done', 'failed'])

/** The report that decided the pane's status. */
const why = z.object({
  claim: z.string().nullable(),
  authority: z.string(),
  rule: z.string(),
  confidence: z.number(),
  staleForS: z.number().nullable(),
})

export const pane = z
  .object({
    id: z.string(),
    source: z.enum(['session', 'tmux']),
    place: z.string(),
    name: z.string(),
    socket: z.string().optional(),
    tmuxPane: z.string().optional(),
    agent: z.string().nullable(),
    job: z.string().nullable(),
    command: z.string(),
    cwd: z.string(),
    title: z.string(),
    status: paneStatus,
    shown: paneStatus.describe('what a list shows: done and failed stay for a moment after a person saw them'),
    since: moment,
    startedAt: moment,
    waitedSince: moment.optional(),
    needsYou: z.boolean(),
    doing: z.string(),
    seen: z.boolean(),
    background: z.number(),
    stuck: z.enum(['frozen', 'no-progress']).nullable(),
    exitCode: z.int().nullable().optional(),
    isFaded: z.boolean(),
    isRecent: z.boolean().describe('it faded a moment ago: lists show it as just finished'),
    isFocused: z.boolean(),
    isInMode: z.boolean(),
    why,
    heuristics: z.enum(['auto', 'off']),
    isMuted: z.boolean(),
    heuristicsOff: z.string().nullable().describe('why the heuristics may not judge this pane; null: they may'),
    flicker: z.number(),
    generation: z.int(),
    stateId: z.number(),
    approval: z.string().optional(),
    worker: z.string().optional().describe('the name of the worker whose machine it is on'),
    version: z.int(),
  })
  .meta({ id: 'Pane' })

/** A pane without its version: readers on the owner's socket get changes in order. */
export const supervisedPane = pane.omit({ version: true })

const span = z.object({
  x: z.int(),
  width: z.int(),
  text: z.string(),
  fg: z.union([z.null(), z.int(), z.string()]),
  bg: z.union([z.null(), z.int(), z.string()]),
  bold: z.boolean(),
  dim: z.boolean(),
  italic: z.boolean(),
  underline: z.boolean(),
  inverse: z.boolean(),
  strike: z.boolean(),
  link: z.string().optional(),
})

export const frame = z
  .object({
    pane: z.string().optional(),
    hash: z.string().nullable().optional(),
    cols: z.int(),
    rows: z.int(),
    title: z.string(),
    buffer: z.enum(['normal', 'alternate']),
    cursor: z.object({ x: z.int(), y: z.int(), visible: z.boolean() }),
    lines: z.union([z.array(z.string()), z.array(z.array(span))]).describe('by `format`: text, or styled spans'),
  })
  .meta({ id: 'Frame' })

export const paneConversation = z.object({
  pane: z.string(),
  agent: z.string().nullable(),
  messages: z.array(message),
  prompts,
})

export const paneList = z.object({ items: z.array(pane), next: z.null(), position })

export const paneStats = z.object({
  panes: z.record(z.string(), z.int()),
  counters: z.array(z.object({ name: z.string(), labels: z.record(z.string(), z.string()), value: z.number() })),
})

export const paneSwitches = z.object({
  items: z.array(z.object({ switch: z.enum(['heuristics', 'hooks', 'osc7501', 'notify', 'tmux']), isOn: z.boolean() })),
})

export const panePreview = z.object({
  pane: z.string(),
  hash: z.string().describe('of what the screen shows: the same hash needs no new picture'),
  status: paneStatus,
  reading: why,
})

export const tmuxJoined = z.object({ joined: z.boolean() })

export const paneFocused = z.object({ ok: z.boolean(), message: z.string() })

export const packProblems = z.object({
  items: z.array(z.object({ agent: z.string(), file: z.string(), line: z.int().nullable(), message: z.string() })),
})
