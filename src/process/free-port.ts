import { createServer } from 'node:net'
import { SignalboxError } from '../errors/index.js'

/**
 * Returns a port that is currently free. The system chooses it: a socket is bound and closed again
 * before anything could connect. Without an address, binding completes within the call, so there is
 * nothing to await.
 * @throws SignalboxError `E_NO_PORT`
 */
export function freePort(): number {
  const server = createServer()
  server.on('error', () => undefined)
  server.listen({ port: 0, exclusive: true })
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string')
    throw new SignalboxError('E_NO_PORT', 'this machine has no free port', {
      next: 'end programs that listen on many ports',
    })
  return address.port
}
