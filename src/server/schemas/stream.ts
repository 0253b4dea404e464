import { z } from 'zod'
import { block } from './blocks.js'
import { moment } from './common.js'
import { pane, panePreview, supervisedPane } from './panes.js'
import { run } from './runs.js'
import { agentStats, session } from './sessions.js'

/** The first event of a stream. */
export const hello = z.object({
  subscription: z.string(),
  resume: z.enum(['ok', 'gap']).describe('`gap`: events were missed, load the snapshot again'),
  position: z.string(),
  server: z.string(),
  schema: z.int(),
})

const common = { at: moment, subject: z.string() }

export const paneChange = z.object({
  ...common,
  type: z.enum(['pane.found', 'pane.status', 'pane.reading', 'pane.stuck', 'pane.gone']),
  version: z.int(),
  data: z.object({ pane }),
})

/** A session or a run after something happened to it. */
export const sessionRecord = z.object({ ...common, type: z.literal('session.record'), data: z.object({ session }) })
export const runRecord = z.object({ ...common, type: z.literal('run.record'), data: z.object({ run }) })

/** The text of a message while the agent writes it. */
export const messageUpdate = z.object({
  type: z.literal('message.update'),
  session: z.string(),
  turn: z.string(),
  message: z.string(),
  blocks: z.array(block),
})

export const typing = z.object({ type: z.literal('typing'), session: z.string(), on: z.boolean() })

export const agentStatsUpdate = z.object({ type: z.literal('session.stats'), session: z.string(), stats: agentStats })

/**
 * Ephemeral updates, which are not in the log, by the name of their event. Only the newest state of
 * each matters.
 */
export const EPHEMERAL_UPDATES = {
  'pane.found': paneChange,
  'pane.status': paneChange,
  'pane.reading': paneChange,
  'pane.stuck': paneChange,
  'pane.gone': paneChange,
  'pane.preview': panePreview,
  'session.record': sessionRecord,
  'run.record': runRecord,
  'message.update': messageUpdate,
  typing,
  'session.stats': agentStatsUpdate,
} as const

/** Events of `GET /panes/stream`, by the name of their event; moments are milliseconds. */
export const PANE_STREAM_EVENTS = {
  panes: z.object({ items: z.array(supervisedPane), at: moment }),
  pane: z.object({ pane: supervisedPane }),
  gone: z.object({ pane: supervisedPane }),
  notice: z.object({
    kind: z.enum(['needs-you', 'done', 'failed', 'digest', 'over']),
    project: z.string(),
    agent: z.string().nullable(),
    url: z.string().describe('the path of what it is about, in the dashboard'),
    approval: z.string().optional(),
    pane: z.string(),
    title: z.string(),
    body: z.string(),
    at: moment,
  }),
  heartbeat: z.object({}),
} as const
