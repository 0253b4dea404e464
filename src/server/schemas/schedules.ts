import { z } from 'zod'
import { moment, position } from './common.js'

export const schedule = z
  .object({
    id: z.string(),
    version: z.int(),
    cron: z.string().describe('minute, hour, day of the month, month, day of the week, in the zone of the server'),
    command: z.array(z.string()).describe('the words after `signalbox`'),
    directory: z.string(),
    name: z.string().nullable(),
    by: z.string(),
    madeAt: moment,
    isPaused: z.boolean(),
    isHere: z.boolean().describe('false: another server of the shared store performs it'),
    nextAt: moment.nullable().describe('null while it is paused'),
    last: z
      .object({
        at: moment.describe('the time that it was due'),
        outcome: z.enum(['starting', 'started', 'failed']),
        run: z.string().nullable(),
        session: z.string().nullable(),
        problem: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'Schedule' })

export const scheduleList = z.object({ items: z.array(schedule), next: z.null(), position })
