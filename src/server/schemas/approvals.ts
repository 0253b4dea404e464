import { z } from 'zod'
import { eventSchema } from '../../events/index.js'
import { moment } from './common.js'

const actor = z.looseObject({ kind: z.string(), id: z.string(), name: z.string(), role: z.string().optional() })

/** The request as the log has it, with what became of it. */
export const approval = z
  .object({
    ...eventSchema('approval.requested').shape,
    deadline: z.looseObject({ at: moment }).optional(),
    id: z.string(),
    state: z.enum(['pending', 'decided', 'applied', 'stale', 'expired', 'cancelled']),
    version: z.int(),
    requestedAt: moment,
    decision: z.looseObject({ at: moment, option: z.string(), actor, surface: z.string() }).optional(),
    delivery: z.array(z.looseObject({ at: moment })),
    joined: z.array(z.looseObject({ channel: z.string() })).optional(),
    screenOptions: z.array(z.looseObject({ key: z.string(), label: z.string() })).optional(),
    seenBy: z.array(z.string()).optional(),
    outcome: z.looseObject({ at: moment, reason: z.string().optional() }).optional(),
    behind: z.string().optional().describe('the request whose menu must go first'),
  })
  .meta({ id: 'Approval' })

export const batchResult = z.object({
  id: z.string(),
  state: z.enum(['decided', 'refused']),
  code: z.string().optional(),
  message: z.string().optional(),
})

export const grant = z
  .looseObject({
    id: z.string(),
    version: z.int(),
    madeAt: moment,
    uses: z.int(),
    ended: z.looseObject({ reason: z.string(), at: moment }).optional(),
  })
  .meta({ id: 'Grant' })
