import { z } from 'zod'
import { moment } from './common.js'
import { message, prompts } from './sessions.js'

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
    status: z.string(),
    shown: z.string(),
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
    isRecent: z.boolean(),
    isFocused: z.boolean(),
    isInMode: z.boolean(),
    why: z.object({
      claim: z.string().nullable(),
      authority: z.string(),
      rule: z.string(),
      confidence: z.number(),
      staleForS: z.number().nullable(),
    }),
    heuristics: z.enum(['auto', 'off']),
    isMuted: z.boolean(),
    gate: z.string().nullable(),
    flicker: z.number(),
    generation: z.int(),
    stateId: z.number(),
    approval: z.string().optional(),
    version: z.int(),
  })
  .meta({ id: 'Pane' })

export const span = z.object({
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
    lines: z.array(z.union([z.string(), z.array(span)])),
  })
  .meta({ id: 'Frame' })

export const paneConversation = z.object({
  pane: z.string(),
  agent: z.string().nullable(),
  messages: z.array(message),
  prompts,
})
