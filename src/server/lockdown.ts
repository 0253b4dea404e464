import type { Host } from '../host/index.js'
import type { Auth } from './auth/auth.js'
import type { Streams } from './live/streams.js'

/**
 * Locks the ledger down, and ends every login, token and stream. Sessions and runs are not touched.
 */
export class LockdownControl {
  readonly #parts: { host: Host; auth: Auth; streams: Streams }

  constructor(parts: { host: Host; auth: Auth; streams: Streams }) {
    this.#parts = parts
  }

  async begin(by: { id: string; name: string }): Promise<{ since: number; grants: number }> {
    const { host, auth, streams } = this.#parts
    const lockdown = await host.ledger.lockDown({ kind: 'person', ...by, role: 'owner' })
    await auth.revokeAll()
    streams.endAll('lockdown')
    return lockdown
  }
}
