import { z } from 'zod'
import { moment } from './common.js'

export const engine = z
  .object({
    kind: z.enum(['embedded', 'store', 'restate']),
    isActive: z.boolean().describe('this server announces that the daemon picks up runs'),
    isAnswering: z.boolean().optional().describe('Restate answers; servers take turns by themselves while it does not'),
    turns: z.int().describe('runs that this server drives now'),
    failing: z.array(z.object({ run: z.string(), retryAt: moment })).describe('runs whose last turn failed'),
    servers: z
      .array(
        z.object({
          id: z.string(),
          address: z.string().nullable(),
          version: z.string(),
          startedAt: moment,
          isSelf: z.boolean(),
        }),
      )
      .describe('the servers of a shared store that are alive'),
  })
  .meta({ id: 'Engine' })

export const rebuilt = z.object({ runs: z.int().describe('how many runs the engine checks') })
