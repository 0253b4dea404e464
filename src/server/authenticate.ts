import { SignalboxError } from '../errors/index.js'
import { PROOF_HEADER } from './auth/proof.js'
import { readBytes } from './body.js'
import { type Credential, OWNER } from './credential.js'
import { comesFromOwnPage } from './gate/origins.js'
import type { ServerParts } from './parts.js'
import type { Route } from './route.js'
import { bearerOf } from './routes/hooks.js'

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
  if (bearer !== null) return { credential: parts.auth.bearer(bearer), bytes: await read() }
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
  parts.auth.expects(proof)
  const bytes = await read()
  const credential = parts.auth.proof(proof, { method, target, host: requestOrigin.host, body: bytes })
  return { credential, bytes }
}

function noLogin(): SignalboxError {
  return new SignalboxError('E_LOGIN', 'this operation needs a login', {
    next: 'signalbox serve --link for a browser; Authorization: Bearer <token> for a script',
  })
}
