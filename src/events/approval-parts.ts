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

/** How the decider was authenticated. */
export const authentication = z
  .object({
    /** The credential that was checked. */
    by: z.enum(['socket', 'token', 'device', 'chat', 'grant', 'host', 'terminal']),
    /** Facts from the kernel about the process that sent the decision. */
    origin: z.enum(['person', 'unproven', 'remote']).optional(),
    /** The process and its program. */
    pid: z.int().optional(),
    program: z.string().optional(),
    hasTerminal: z.boolean().optional(),
    device: z.string().optional(),
    /** A passphrase or a second confirmation came with it. */
    isConfirmed: z.boolean().optional(),
  })
  .optional()

export const surface = z.enum(['cli', 'web', 'telegram', 'terminal', 'api'])
