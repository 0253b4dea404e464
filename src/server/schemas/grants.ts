import { z } from 'zod'
import { eventSchema } from '../../events/index.js'
import { moment, position } from './common.js'

export const grant = z
  .object({
    ...eventSchema('grant.made').shape,
    expiresAt: moment,
    id: z.string(),
    version: z.int(),
    madeAt: moment,
    uses: z.int(),
    ended: z
      .object({ reason: eventSchema('grant.ended').shape.reason, at: moment, by: z.string().optional() })
      .optional(),
  })
  .meta({ id: 'Grant' })

export const grantList = z.object({
  items: z.array(grant),
  isPaused: z.boolean(),
  pausedBy: z.string().optional(),
  now: moment,
  next: z.null(),
  position,
})

export const standingPreview = z.object({
  count: z.int(),
  denied: z.int().describe('how many of these a person denied'),
  since: moment,
  items: z.array(
    z.object({ id: z.string(), title: z.string(), requestedAt: moment, risk: z.string(), state: z.string() }),
  ),
})

export const grantSwitch = z.object({
  id: z.literal('all'),
  version: z.int(),
  isPaused: z.boolean(),
  by: z.string().optional(),
  at: moment.optional(),
})
