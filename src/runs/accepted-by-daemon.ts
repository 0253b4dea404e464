import { request } from 'node:http'
import { peerOrigin } from '../process/index.js'

/**
 * Whether the running daemon accepted the decision of a request: it alone can check its signature.
 * An agent could listen at the daemon's address after it has ended the daemon, so the kernel is asked
 * whose process answers.
 */
export function isAcceptedByDaemon(socketPath: string, id: string): Promise<boolean> {
  return new Promise(resolve => {
    const path = `/api/v1/approvals/${encodeURIComponent(id)}/proof`
    const sending = request({ socketPath, path, headers: { host: 'signalbox' }, timeout: 10_000 }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', () => resolve(false))
      response.on('end', () => {
        void peerOrigin(response.socket, [])
          .then(peer => resolve(peer?.origin.kind !== 'agent' && isProven(Buffer.concat(chunks).toString('utf8'))))
          .catch(() => resolve(false))
      })
    })
    sending.on('timeout', () => sending.destroy())
    sending.on('error', () => resolve(false))
    sending.end()
  })
}

function isProven(text: string): boolean {
  try {
    return (JSON.parse(text) as { isProven?: unknown }).isProven === true
  } catch {
    return false
  }
}
