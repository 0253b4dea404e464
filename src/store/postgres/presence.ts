import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import type { Clock } from '../../clock/index.js'
import type { Connections } from './connections.js'

/** Arbitrary, but the same in every version: the first key of the locks. */
const ADVISORY_LOCK_CLASS = 0x53425052
/**
 * After the database itself was away, all processes come back one after the other. Until then, a
 * missing connection proves nothing.
 */
const SETTLE_MS = 3_000

/**
 * Which processes are connected: each holds a shared advisory lock under its name, on the
 * connection that listens. The database releases it in the moment in which the process dies and its
 * sockets close; a machine that vanishes without closing them keeps it until its connection times
 * out.
 */
export class ServerPresence {
  readonly #clock: Clock
  readonly #schema: string
  readonly #names = new Set<string>()
  #client: Client | null = null
  #connectedAt = 0

  constructor(clock: Clock, schema: string) {
    this.#clock = clock
    this.#schema = schema
  }

  async announce(name: string): Promise<void> {
    this.#names.add(name)
    // A connection that breaks meanwhile is replaced, and the next one takes the lock.
    if (this.#client) await this.#lock(this.#client, name).catch(() => undefined)
  }

  /** The connection that listens was opened. */
  async connected(client: Client): Promise<void> {
    for (const name of this.#names) await this.#lock(client, name)
    this.#client = client
    this.#connectedAt = this.#clock.monotonic()
  }

  disconnected(): void {
    this.#client = null
  }

  /** Those of the names that are connected; null if that is unknown now. */
  async connectedOf(names: readonly string[], connections: Connections): Promise<ReadonlySet<string> | null> {
    if (!this.#isSettled()) return null
    const rows = await connections.read<{ id: number }>(
      `SELECT objid::bigint AS id FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = $1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [ADVISORY_LOCK_CLASS],
    )
    const held = new Set(rows.map(({ id }) => id))
    return this.#isSettled() ? new Set(names.filter(name => held.has(this.#idOf(name)))) : null
  }

  #isSettled(): boolean {
    return this.#client !== null && this.#clock.monotonic() - this.#connectedAt >= SETTLE_MS
  }

  async #lock(client: Client, name: string): Promise<void> {
    await client.query('SELECT pg_advisory_lock_shared($1, $2)', [ADVISORY_LOCK_CLASS, this.#idOf(name)])
  }

  /** Stores of one database share its locks. */
  #idOf(name: string): number {
    return createHash('sha256').update(`${this.#schema} ${name}`).digest().readUInt32BE() >>> 1
  }
}
