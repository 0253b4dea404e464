import { z } from 'zod'
import { moment } from './common.js'

export const loggedEvent = z.object({
  id: z.string(),
  type: z.string(),
  at: moment,
  subject: z.string(),
  version: z.int(),
  data: z.record(z.string(), z.unknown()),
})
