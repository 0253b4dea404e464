import { z } from 'zod'
import type { Actor, DecisionRequest } from '../approvals/index.js'
import { newNonce } from '../clock/index.js'
import type { Call } from './route.js'

/*
 * What a caller on the owner's socket may say about itself: which user of the machine it acts for,
 * and whether it runs inside an agent's session. Over TCP the same fields are accepted and ignored:
 * there the credential decides who the caller is.
 */
export const callerFields = {
  actor: z.strictObject({ id: z.string().min(1).max(200), name: z.string().min(1).max(200) }).optional(),
  surface: z.enum(['cli', 'api', 'web']).optional(),
  /** The session in whose environment the caller runs: an agent may not decide for itself. */
  insideSession: z.string().optional(),
}

interface CallerFields {
  actor?: { id: string; name: string } | undefined
  surface?: 'cli' | 'api' | 'web' | undefined
  insideSession?: string | undefined
  /** The person confirmed once more that it is they: believed on the owner's socket only. */
  confirmed?: boolean | undefined
}

type Caller = Pick<DecisionRequest, 'actor' | 'surface' | 'insideSession' | 'confirmedAt'>

/** Who makes this call, as the ledger records and judges it. */
export function callerOf(
  { who, person, surface, parts }: Pick<Call, 'who' | 'person' | 'surface' | 'parts'>,
  said: CallerFields,
): Caller {
  const isSocket = who.kind === 'socket'
  const { id, name } = (isSocket && said.actor) || person
  const actor: Actor = { kind: 'person', id, name, role: person.role }
  const onSocket = said.confirmed ? parts.clock.now() : undefined
  const confirmedAt = isSocket ? onSocket : parts.auth.confirmedAt(who)
  return {
    actor,
    surface: isSocket ? (said.surface ?? surface) : surface,
    ...(isSocket && said.insideSession !== undefined && { insideSession: said.insideSession }),
    ...(confirmedAt !== undefined && { confirmedAt }),
  }
}

/** The name of a write: a second write with the same name is the same write. */
export function idempotencyKey(call: Pick<Call, 'header'>, said: string | undefined): string {
  return call.header('idempotency-key') ?? said ?? newNonce()
}
