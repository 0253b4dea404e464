import { z } from 'zod'
import type { Actor } from '../../approvals/index.js'

export const actorBody = z.strictObject({ id: z.string().min(1).max(200), name: z.string().min(1).max(200) })

/** The session whose environment the caller runs in: said by a command that finds itself inside one, and then refused. */
export const insideSession = z.string().optional()

/** Whoever reaches the owner's socket is the owner: the file system let nobody else in. What a client says of its role is not asked. */
export function personOf({ id, name }: z.output<typeof actorBody>): Actor {
  return { kind: 'person', id, name, role: 'owner' }
}
