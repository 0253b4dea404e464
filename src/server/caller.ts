import { z } from 'zod'
import type { Actor, ProposedDecision } from '../approvals/index.js'
import { newNonce } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { comesFromOwnPage } from './admission/origins.js'
import type { Device } from './auth/devices.js'
import type { LocalPeer } from './auth/local-peers.js'
import { PROOF_HEADER } from './auth/proof.js'
import { readBytes } from './body.js'
import type { ServerParts } from './parts.js'
import type { Call, Route } from './route.js'
import { bearerOf } from './routes/hooks.js'

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
  /** The person confirmed their identity again: accepted on the owner's socket only. */
  confirmed?: boolean | undefined
}

/** Who makes a call, as the ledger records and judges it. */
type LedgerCaller = Pick<ProposedDecision, 'actor' | 'surface' | 'insideSession' | 'confirmedAt' | 'auth'>

/** Who makes this call, as the ledger records and judges it. */
export function callerOf(
  { who, person, surface, parts, peer }: Pick<Call, 'who' | 'person' | 'surface' | 'parts' | 'peer'>,
  claimed: CallerFields,
): LedgerCaller {
  const isSocket = who.kind === 'socket'
  const { id, name } = (isSocket && claimed.actor) || person
  const actor: Actor = { kind: 'person', id, name, role: person.role }
  const onSocket = claimed.confirmed ? parts.clock.now() : undefined
  const confirmedAt = isSocket ? onSocket : parts.auth.confirmedAt(who, peer)
  return {
    actor,
    surface: isSocket ? (claimed.surface ?? surface) : surface,
    ...(isSocket && claimed.insideSession !== undefined && { insideSession: claimed.insideSession }),
    ...(confirmedAt !== undefined && { confirmedAt }),
    auth: authenticationOf(who, peer, parts.auth.confirmedAt(who, peer) !== undefined),
  }
}

/** What the ledger records about how the decider was authenticated. */
function authenticationOf(who: Credential, peer: LocalPeer | null, isConfirmed: boolean): ProposedDecision['auth'] {
  const origin = peer?.origin.kind
  return {
    by: who.kind === 'token' || who.kind === 'device' ? who.kind : 'socket',
    origin: origin === undefined ? 'remote' : origin === 'person' ? 'person' : 'unproven',
    ...(peer && { pid: peer.pid }),
    ...(peer?.origin.kind === 'person' && { program: peer.origin.program, hasTerminal: peer.origin.hasTerminal }),
    ...(who.kind === 'device' && { device: who.device.id }),
    ...(isConfirmed && { isConfirmed }),
  }
}

/** The name of a write: a second write with the same name is the same write. */
export function idempotencyKey(call: Pick<Call, 'header'>, claimed: string | undefined): string {
  return call.header('idempotency-key') ?? claimed ?? newNonce()
}

export const ROLES = ['viewer', 'approver', 'owner'] as const
export type Role = (typeof ROLES)[number]

export interface CallerIdentity {
  id: string
  name: string
  role: Role
}

export const OWNER: CallerIdentity = { id: 'owner', name: 'owner', role: 'owner' }

/**
 * Who sent a request, as the server established. Nothing that a client claims about itself counts.
 */
export type Credential =
  /** The owner's socket: its file mode keeps other users out. */
  | { kind: 'socket'; person: CallerIdentity }
  | { kind: 'token'; person: CallerIdentity }
  | { kind: 'device'; person: CallerIdentity; device: Device }
  /** An agent's hook: valid for hooks only; the inbox checks its token. */
  | { kind: 'hook'; person: null }
  | { kind: 'anonymous'; person: null }

export type Surface = 'cli' | 'web' | 'api'

export function surfaceOf({ kind }: Credential): Surface {
  return kind === 'socket' ? 'cli' : kind === 'device' ? 'web' : 'api'
}

export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}

export interface Incoming {
  credential: Credential
  bytes: Uint8Array
}

/**
 * Finds out who sent a request, and reads its body. A browser's proof covers the body, so the body
 * is read here, up to its limit; without a credential it is not read at all.
 */
export async function authenticate(
  request: Request,
  route: Route,
  { parts, target, isSocket, maxBytes }: { parts: ServerParts; target: string; isSocket: boolean; maxBytes: number },
): Promise<Incoming> {
  const bearer = bearerOf(request)
  const read = () => readBytes(request, maxBytes)
  if (isSocket) {
    // The socket belongs to the owner and needs no token. A request with a token comes from an
    // agent's hook, and a hook token is valid for hooks only.
    if (bearer !== null && route.access !== 'hook')
      throw new SignalboxError('E_ROLE', 'a hook token is valid for hook reports only')
    const credential: Credential =
      route.access === 'hook' ? { kind: 'hook', person: null } : { kind: 'socket', person: OWNER }
    return { credential, bytes: await read() }
  }
  if (route.access === 'open') return { credential: { kind: 'anonymous', person: null }, bytes: await read() }
  if (route.access === 'hook') {
    if (bearer === null) throw noLogin()
    return { credential: { kind: 'hook', person: null }, bytes: await read() }
  }
  if (bearer !== null) return { credential: await parts.auth.bearer(bearer), bytes: await read() }
  const proof = request.headers.get(PROOF_HEADER)
  if (proof === null) throw noLogin()
  const { method, headers } = request
  const requestOrigin = {
    method,
    host: headers.get('host') ?? '',
    origin: headers.get('origin') ?? undefined,
    site: headers.get('sec-fetch-site') ?? undefined,
  }
  if (!comesFromOwnPage(requestOrigin))
    throw new SignalboxError('E_ORIGIN', 'missing Origin header', {
      next: 'send the Origin header, or use the token',
    })
  await parts.auth.expects(proof)
  const bytes = await read()
  const credential = await parts.auth.proof(proof, { method, target, host: requestOrigin.host, body: bytes })
  return { credential, bytes }
}

function noLogin(): SignalboxError {
  return new SignalboxError('E_LOGIN', 'this operation needs a login', {
    next: 'signalbox serve --link for a browser; Authorization: Bearer <token> for a script',
  })
}

/**
 * The owner is the user of this machine ("local"), whichever credential or listener a request uses.
 */
export function personName(id: string): string {
  return id === 'owner' ? 'local' : id
}
