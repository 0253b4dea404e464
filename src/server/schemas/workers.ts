import { z } from 'zod'
import { moment } from './common.js'

export const worker = z
  .object({
    id: z.string(),
    name: z.string(),
    pool: z.string(),
    labels: z.record(z.string(), z.string()),
    state: z.enum(['joined', 'ready', 'away', 'lost', 'removed']).describe('joined: it has not connected yet'),
    isConnected: z.boolean().describe('to this server'),
    isDraining: z.boolean().describe('it takes no further runs'),
    isFull: z.boolean().describe('less disk space is free than its worker.min_free_mb: it takes no further work'),
    clockOffsetMs: z.int().describe('how far its clock is ahead of the store’s; beyond 5 s it takes no further work'),
    since: moment.describe('when its state last changed'),
    version: z.string().nullable(),
    agents: z.array(z.string()),
    steps: z.int().describe('steps that it performs now'),
    maxSteps: z.int(),
    runs: z.array(z.string()).describe('open runs that it has'),
    sessions: z.array(z.string()).describe('sessions that run there'),
    maxSessions: z.int(),
  })
  .meta({ id: 'Worker' })

export const workerList = z.object({ items: z.array(worker) })

export const workerComparisons = z.object({
  items: z.array(
    z.object({
      worker: z.string().describe('its name'),
      notCompared: z.string().nullable().describe('why it could not be asked here'),
      sessions: z.int().describe('sessions that it has'),
      steps: z.int().describe('steps that it has'),
      differences: z.array(
        z.object({
          what: z.enum(['session', 'step', 'recording', 'workspace']),
          id: z.string().describe('of the session or run; of a step: `<run>/<step>`'),
          is: z
            .enum(['unknown', 'ended', 'elsewhere', 'missing'])
            .describe('what the log says of it; missing: the log has it there, and the worker does not'),
        }),
      ),
    }),
  ),
})

export const workerInvite = z.object({
  link: z.string().describe('for `signalbox worker join`; works once'),
  until: moment,
  fingerprint: z
    .string()
    .nullable()
    .describe('of the server’s certificate, which `worker join` shows as well; null without TLS'),
})
