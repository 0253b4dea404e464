import { z } from 'zod'

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** SHA-256 over the ledger's previous value and this event, for `doctor`. */
export const chain = sha256.optional()

export const actor = z.object({
  kind: z.enum(['person', 'grant', 'observed', 'auto']),
  id: z.string(),
  name: z.string(),
  role: z.enum(['viewer', 'approver', 'owner']),
})

export const surface = z.enum(['cli', 'web', 'telegram', 'terminal', 'api'])
