import { createServer } from 'node:net'
import { SignalboxError } from '../errors/index.js'

/**
 * A port that nothing listens on at this moment. The system chooses it: a socket is bound and closed again before anything could connect.
 * Without an address the binding happens within the call, so that there is nothing to wait for.
 */
export function freePort(): number {
  const server = createServer()
  server.on('error', () => undefined)
  server.listen({ port: 0, exclusive: true })
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string')
    throw new SignalboxError('E_NO_PORT', 'no port is free for the agent to report on', {
      next: 'end programs that listen on many ports, or start the agent with hooks switched off',
    })
  return address.port
}
