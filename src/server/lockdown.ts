import { SignalboxError } from '../errors/index.js'
import type { Host } from '../host/index.js'
import type { Auth } from './auth/auth.js'
import type { Streams } from './live/streams.js'

/** When something is wrong: nobody is let in, nothing is allowed any more but denials; sessions are not touched. */
export class Lockdown {
  readonly #parts: { host: Host; auth: Auth; streams: Streams }
  #since: number | null = null

  constructor(parts: { host: Host; auth: Auth; streams: Streams }) {
    this.#parts = parts
  }

  get since(): number | null {
    return this.#since
  }

  async begin(by: { id: string; name: string }): Promise<{ since: number; grants: number }> {
    const { host, auth, streams } = this.#parts
    const since = this.#since ?? host.clock.now()
    this.#since = since
    const actor = { kind: 'person' as const, ...by, role: 'owner' as const }
    const grants = await host.ledger.grants.list()
    for (const grant of grants) await host.ledger.grants.end(grant, 'revoked', actor)
    await auth.revokeAll()
    streams.endAll('lockdown')
    return { since, grants: grants.length }
  }

  /** @throws SignalboxError `E_LOCKED` for an answer that is no denial. */
  check(isDenial: boolean): void {
    if (this.#since === null || isDenial) return
    throw new SignalboxError('E_LOCKED', 'Signalbox is locked down: only denials are taken', {
      next: 'signalbox serve --stop, look into what happened, then start it again',
    })
  }
}
