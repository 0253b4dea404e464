import { z } from 'zod'
import { moment } from './common.js'

const event = z.object({
  type: z.string(),
  at: moment,
  version: z.int(),
  data: z.record(z.string(), z.unknown()).describe('by type, see the reference of events'),
})

/** An event of the log, as the stream carries it; the stream's event id is its position. */
export const streamEvent = event.extend({
  subject: z.string().describe('its stream: `session/<id>`, `approval/<id>`, …'),
})

export const loggedEvent = streamEvent.extend({ id: z.string() })

export const storedEvent = event.extend({ position: z.int(), stream: z.string() })
