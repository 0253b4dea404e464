import { z } from 'zod'
import { sessionSandbox } from '../../events/index.js'
import { block } from './blocks.js'
import { moment, position } from './common.js'

const subAgent = z
  .object({
    id: z.string(),
    parent: z.string().nullable().describe('the sub-agent that started it; null: the agent itself'),
    name: z.string().nullable(),
    task: z.string().nullable(),
    state: z.enum(['working', 'blocked', 'done', 'failed']),
    doing: z.string().nullable(),
    since: moment.nullable().describe('null: the agent does not report it'),
    endedAt: moment.nullable(),
    tools: z.int(),
    tokens: z.int(),
  })
  .meta({ id: 'SubAgent' })

export const agentStats = z
  .object({
    model: z.string().nullable(),
    context: z
      .object({ used: z.int(), window: z.int().nullable() })
      .nullable()
      .describe('tokens of the conversation, and of the model’s window if the agent reports it'),
    contextLeftPercent: z.number().nullable(),
    spent: z.object({ input: z.int(), output: z.int(), costUsd: z.number().nullable() }),
    days: z
      .record(z.string(), z.object({ input: z.int(), output: z.int(), costUsd: z.number().nullable() }))
      .optional()
      .describe('the same by day (UTC)'),
    subAgents: z.array(subAgent),
  })
  .meta({ id: 'AgentStats' })

export const holder = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('person'), id: z.string(), name: z.string() }),
  z.object({ kind: z.literal('signalbox') }),
  z.object({ kind: z.literal('none') }),
])

export const sessionBudget = z.strictObject({
  usd: z.number().min(0).nullable().describe('null: no limit'),
  tokens: z.int().min(1).nullable().describe('null: no limit'),
})

export const session = z
  .object({
    id: z.string(),
    number: z.int(),
    person: z.string(),
    agent: z.string(),
    agentVersion: z.string().optional(),
    agentSessionId: z.string().optional(),
    label: z.string().optional(),
    title: z.string().optional().describe('a name made from its first prompt, where a person gave no label'),
    lastPrompt: z.string().optional().describe('the beginning of the last prompt'),
    project: z.string(),
    cwd: z.string(),
    args: z.array(z.string()),
    pid: z.int(),
    size: z.object({ cols: z.int(), rows: z.int() }),
    startedAt: moment,
    activeAt: moment.optional().describe('when its last turn began or ended'),
    endedAt: moment.optional(),
    state: z.enum(['starting', 'live', 'ended', 'lost']),
    exit: z.object({ code: z.int().nullable(), signal: z.string().nullable() }).nullable().optional(),
    endReason: z.string().optional(),
    resumedFrom: z.string().optional(),
    resumedBy: z.string().optional(),
    recording: z.string(),
    owner: z.string(),
    worker: z.string().optional().describe('the home directory or the worker that keeps its terminal'),
    on: z.string().optional().describe('the name of the worker whose machine it is on; absent: the server’s own'),
    awaySince: moment
      .optional()
      .describe('since when its worker is not connected; the other fields are as it last reported them'),
    channel: z
      .enum(['acp'])
      .optional()
      .describe('over the Agent Client Protocol, without a terminal; absent: in a terminal'),
    agentVariables: z.record(z.string(), z.string()).optional(),
    sandbox: sessionSandbox.optional().describe('the sandbox that it runs in'),
    allows: z
      .array(z.object({ tool: z.string(), label: z.string(), approval: z.string(), since: moment }))
      .optional()
      .describe('tools that the agent uses without asking, because a person chose that in the agent’s own menu'),
    budget: sessionBudget.optional().describe('what it may use; absent: as the settings say'),
    paused: z
      .object({
        limit: z.enum(['session-usd', 'session-tokens', 'day-usd']),
        of: z.number(),
        used: z.number(),
        isPartial: z.boolean().optional().describe('a part of what was used has no known price'),
        since: moment,
      })
      .optional()
      .describe('the budget that is used up: prompts are held until it is raised'),
    mode: z.string().optional().describe('the permission mode that the agent shows'),
    compact: z.string().optional().describe('the command that compacts the agent’s conversation'),
    version: z.int(),
    catchingUp: z
      .literal(true)
      .optional()
      .describe('after a restart the daemon still reads what the agent printed meanwhile; calls for it wait'),
    phase: z.string().optional(),
    view: z.string().optional(),
    busy: z.boolean().nullable().optional(),
    awaiting: z.string().nullable().optional(),
    rule: z.string().optional(),
    idle: z.boolean().optional(),
    holder: holder.optional().describe('who has the keyboard'),
    held: z.int().optional().describe('number of held prompts'),
    question: z.string().optional(),
    approval: z.string().optional(),
    offset: z.int().optional(),
    stats: agentStats
      .optional()
      .describe('what the agent reports about its own work; after the session ended, the last report'),
  })
  .meta({ id: 'Session' })

export const stopped = session
  .extend({
    nowActive: session
      .nullable()
      .optional()
      .describe('if it was the active session: the one that gets prompts without an id from now on, or null'),
  })
  .meta({ id: 'StoppedSession' })

export const interrupted = z.object({
  session: z.string(),
  result: z.enum(['interrupted', 'idle', 'refused', 'unconfirmed']),
  reason: z.enum(['gone', 'menu', 'no-keys']).optional(),
  detail: z.string().optional(),
})

export const waited = z.object({ reached: z.enum(['idle', 'approval', 'done', 'timeout']), session })

export const screen = z.object({
  cols: z.int(),
  rows: z.int(),
  lines: z.array(z.string()),
  cursor: z.object({ x: z.int(), y: z.int(), visible: z.boolean() }).nullable(),
})

export const gitState = z.object({
  git: z
    .object({
      branch: z.string().nullable(),
      head: z.string().nullable(),
      changed: z.int(),
      untracked: z.int(),
    })
    .nullable(),
})

export const sessionDiff = z.object({
  diff: z.string(),
  isCut: z.boolean(),
  hidden: z.array(z.string()).describe('changed files that are not shown, because they usually hold credentials'),
  uncommitted: z.array(z.string()).describe('changed files that can be committed or discarded'),
  from: z.string().nullable().describe('the commit that the changes are compared with; null before the first one'),
})

export const committed = z.object({ commit: z.string(), files: z.int() })

export const discarded = z.object({
  files: z.int(),
  keptAs: z.string().describe('the git reference under which the state before is kept'),
})

export const fileTree = z.object({
  entries: z.array(
    z.object({
      path: z.string(),
      name: z.string(),
      kind: z.enum(['file', 'directory']),
      bytes: z.int().nullable(),
      isSecret: z.boolean().describe('never shown: files with this name usually hold credentials'),
    }),
  ),
  isCut: z.boolean(),
})

export const message = z
  .object({
    at: moment,
    session: z.string(),
    turn: z.string(),
    message: z.string(),
    markdown: z.string().optional(),
    blocks: z.array(block),
    revision: z.int().optional(),
    provisional: z.boolean(),
    joinedLate: z.literal(true).optional().describe('the turn had started before Signalbox first read the pane'),
  })
  .meta({ id: 'Message' })

export const prompt = z.object({ turn: z.string(), at: moment, text: z.string() })

export const prompts = z.array(prompt).describe('prompts of people, as far as the screen showed them')

export const conversation = z.object({
  session: z.string(),
  messages: z.array(message),
  prompts,
  before: z.string().nullable().describe('names the page of older messages'),
  position,
})

const delivery = {
  result: z.enum(['delivered', 'queued', 'held', 'refused', 'unconfirmed']),
  prompt: z.string().optional().describe('id of a held prompt'),
  reason: z
    .enum([
      'gone',
      'copy-mode',
      'no-agent',
      'menu',
      'overlay',
      'no-composer',
      'draft',
      'completion',
      'shell-mode',
      'busy',
      'budget',
      'text',
    ])
    .optional(),
  detail: z.string().optional(),
}

export const sent = z.object({ ...delivery, session: z.string(), position })

export const heldPrompt = z.object({ id: z.string(), text: z.string(), state: z.literal('held') })

export const heldPrompts = z.object({ items: z.array(heldPrompt) })

export const uploaded = z.object({
  session: z.string(),
  files: z.array(z.object({ path: z.string(), name: z.string(), bytes: z.int(), type: z.string() })),
  delivery: z
    .object(delivery)
    .nullable()
    .describe('the result of the prompt that names the files; null: none was sent'),
})
