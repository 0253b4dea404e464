import { z } from 'zod'
import { moment } from './common.js'

export const pushSubscription = z
  .object({ id: z.string(), person: z.string(), device: z.string(), at: moment })
  .meta({ id: 'PushSubscription' })

export const pushState = z.object({
  publicKey: z.string().describe('the VAPID key, base64url'),
  items: z.array(pushSubscription),
})

export const pushTested = z.object({ sent: z.int(), failed: z.int() })
