import { z } from 'zod'
import { approval } from './approvals.js'
import { moment, position } from './common.js'
import { grantList } from './grants.js'
import { pane } from './panes.js'
import { run, unpriced } from './runs.js'
import { session } from './sessions.js'

const need = z.object({
  kind: z.enum(['approval', 'run', 'pane', 'session']),
  id: z.string(),
  title: z.string(),
  project: z.string(),
  agent: z.string().nullable(),
  risk: z.enum(['low', 'elevated', 'high']).nullable(),
  since: moment,
})

/** Everything that the first page shows, at one position of the log. */
export const overview = z.object({
  needsYou: z.array(need),
  approvals: z.array(approval),
  sessions: z.array(session),
  panes: z.array(pane),
  runs: z.array(run),
  grants: grantList.pick({ items: true, isPaused: true }),
  spendToday: z.object({
    costUsd: z.number(),
    tokens: z.int(),
    runs: z.int(),
    sessions: z.int().describe('sessions that spent something today'),
    unpriced,
    budgetUsd: z.number().nullable().describe('`runs.day_usd`; null: no limit'),
  }),
  workers: z.int().describe('how many machines perform work for this server'),
  health: z.object({ version: z.string(), startedAt: moment, isReadOnly: z.boolean() }),
  now: moment,
  position,
})
