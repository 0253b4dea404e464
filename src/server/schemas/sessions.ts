import { z } from 'zod'
import { moment, position } from './common.js'

const helper = z
  .object({
    id: z.string(),
    parent: z.string().nullable().describe('the helper that it works for; null for the agent itself'),
    name: z.string().nullable(),
    task: z.string().nullable(),
    state: z.enum(['working', 'blocked', 'done', 'failed']),
    doing: z.string().nullable(),
    since: moment.nullable().describe('null where the agent does not tell'),
    endedAt: moment.nullable(),
    tools: z.int(),
    tokens: z.int(),
  })
  .meta({ id: 'Helper' })

const crew = z
  .object({
    model: z.string().nullable(),
    context: z
      .object({ used: z.int(), window: z.int().nullable() })
      .nullable()
      .describe('tokens of the conversation, and of the model’s window where the agent names it'),
    contextLeftPercent: z.number().nullable(),
    spent: z.object({ input: z.int(), output: z.int(), costUsd: z.number().nullable() }),
    helpers: z.array(helper),
  })
  .meta({ id: 'Crew' })

export const session = z
  .object({
    id: z.string(),
    number: z.int(),
    person: z.string(),
    agent: z.string(),
    agentVersion: z.string().optional(),
    agentSessionId: z.string().optional(),
    label: z.string().optional(),
    project: z.string(),
    cwd: z.string(),
    args: z.array(z.string()),
    pid: z.int(),
    size: z.object({ cols: z.int(), rows: z.int() }),
    startedAt: moment,
    endedAt: moment.optional(),
    state: z.enum(['starting', 'live', 'ended', 'lost']),
    exit: z.object({ code: z.int().nullable(), signal: z.string().nullable() }).nullable().optional(),
    endReason: z.string().optional(),
    resumedFrom: z.string().optional(),
    resumedBy: z.string().optional(),
    recording: z.string(),
    owner: z.string(),
    places: z.record(z.string(), z.string()).optional(),
    allows: z
      .array(z.object({ tool: z.string(), label: z.string(), approval: z.string(), since: moment }))
      .optional()
      .describe('what the agent does without asking since somebody chose that in its own menu'),
    compact: z.string().optional().describe('what to send so that the agent makes room in its conversation'),
    version: z.int(),
    phase: z.string().optional(),
    view: z.string().optional(),
    busy: z.boolean().nullable().optional(),
    awaiting: z.string().nullable().optional(),
    rule: z.string().optional(),
    idle: z.boolean().optional(),
    holder: z.looseObject({ kind: z.string() }).optional().describe('who holds the keyboard'),
    held: z.int().optional().describe('prompts that wait here'),
    question: z.string().optional(),
    approval: z.string().optional(),
    offset: z.int().optional(),
    crew: crew
      .optional()
      .describe('what the agent tells of its own work; of a session that has ended, as it stood then'),
  })
  .meta({ id: 'Session' })

const block = z.looseObject({ kind: z.string() })

export const stopped = session
  .extend({
    nowActive: session
      .nullable()
      .optional()
      .describe('where it was the active one: the session that prompts without an id go to now, or none'),
  })
  .meta({ id: 'StoppedSession' })

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
    joinedLate: z.literal(true).optional().describe('its turn was under way when the pane was first read'),
  })
  .meta({ id: 'Message' })

export const prompts = z
  .array(z.object({ turn: z.string(), at: moment, text: z.string() }))
  .describe('what people asked, as far as the screen told it')

export const conversation = z.object({
  session: z.string(),
  messages: z.array(message),
  prompts,
  before: z.string().nullable().describe('names the page of older messages'),
  position,
})

export const sent = z.looseObject({ result: z.string(), position })

export const heldPrompt = z.object({ id: z.string(), text: z.string(), state: z.literal('held') })
