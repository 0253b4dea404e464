import { z } from 'zod'
import type { Actor } from '../approvals/index.js'
import { newNonce } from '../clock/index.js'
import type { Call } from './route.js'

/*
 * What callers on the owner's socket may say of themselves: which of the machine's users they are, and whether they run inside an
 * agent's session. Over TCP the same fields may be sent, and nothing in them is believed: the credential says who it is.
 */
export const askerFields = {
  actor: z.strictObject({ id: z.string().min(1).max(200), name: z.string().min(1).max(200) }).optional(),
  surface: z.enum(['cli', 'api', 'web']).optional(),
  /** The session whose environment the caller runs in: said by a command that finds itself inside one, and then refused. */
  insideSession: z.string().optional(),
}

export interface AskerFields {
  actor?: { id: string; name: string } | undefined
  surface?: 'cli' | 'api' | 'web' | undefined
  insideSession?: string | undefined
}

export function askerOf({ who, person, surface }: Pick<Call, 'who' | 'person' | 'surface'>, said: AskerFields) {
  const isOwn = who.kind === 'socket'
  const { id, name } = (isOwn && said.actor) || person
  const actor: Actor = { kind: 'person', id, name, role: person.role }
  return {
    actor,
    surface: isOwn ? (said.surface ?? surface) : surface,
    ...(isOwn && said.insideSession !== undefined && { insideSession: said.insideSession }),
  }
}

/** A write's own name: a second one with the same name is the same write. */
export function idempotencyKey(call: Pick<Call, 'header'>, said: string | undefined): string {
  return call.header('idempotency-key') ?? said ?? newNonce()
}
