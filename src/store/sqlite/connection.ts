import { type Clock, delay } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Database, SqlValue, Statement } from './driver.js'
import { isBusy, toStoreError } from './sqlite-errors.js'

/**
 * How a process waits for another one's lock. SQLite's own busy timeout blocks the event loop, and
 * with it every terminal of the host. So one attempt blocks only briefly, enough for the usual tiny
 * transactions, and between attempts the loop runs. SQLite's lock is unfair: waits of seconds
 * happen under load, hence the long limit.
 */
export const BLOCKING_WAIT_MS = 50
const PAUSE_MS = 10
export const BUSY_LIMIT_MS = 15_000

export type Durability = 'full' | 'normal'

export interface ConnectionOptions {
  database: Database
  path: string
  clock: Clock
  busyLimitMs?: number
}

/**
 * One connection to the file: cached statements, and transactions executed in call order.
 *
 * Both durabilities share this connection. With two connections we measured 8 500 instead of 8 100
 * mixed commits/s, which does not justify a second page cache and seeing our own writes as foreign
 * ones.
 */
export class Connection {
  readonly path: string
  readonly #database: Database
  readonly #clock: Clock
  readonly #busyLimitMs: number
  readonly #statements = new Map<string, Statement>()
  #durability: Durability | undefined
  #lastWrite: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(options: ConnectionOptions) {
    this.path = options.path
    this.#database = options.database
    this.#clock = options.clock
    this.#busyLimitMs = options.busyLimitMs ?? BUSY_LIMIT_MS
  }

  requireOpen(): void {
    if (this.#isClosed) throw new SignalboxError('E_STORE_CLOSED', `the store ${this.path} has been closed`)
  }

  run(sql: string, ...values: SqlValue[]): void {
    this.#statement(sql).run(...values)
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  /** Runs `work` outside a transaction; retries while another process holds the lock. */
  async read<T>(work: () => T): Promise<T> {
    return this.#whileBusy(work)
  }

  /**
   * Runs `work` as one transaction after all earlier ones: committed when this resolves, rolled
   * back when it rejects. `committed` is called right after the commit, before any other
   * transaction starts.
   */
  write<T>(durability: Durability, work: () => T, committed?: () => void): Promise<T> {
    const result = this.#lastWrite.then(() => this.#whileBusy(() => this.#transact(durability, work, committed)))
    // The queue continues after a failure, which only the caller of this write receives.
    this.#lastWrite = result.catch(() => undefined)
    return result
  }

  async close(): Promise<void> {
    await this.#lastWrite
    if (this.#isClosed) return
    this.#isClosed = true
    this.#statements.clear()
    this.#database.close()
  }

  #transact<T>(durability: Durability, work: () => T, committed: (() => void) | undefined): T {
    this.#setDurability(durability)
    this.run('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.run('COMMIT')
      committed?.()
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK')
    } catch {
      // After some errors (a full disk, for example) SQLite has already rolled back; report the
      // first error.
    }
  }

  /** Executed, never prepared: SQLite applies this pragma when compiling it. */
  #setDurability(durability: Durability): void {
    if (this.#durability === durability) return
    this.#database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
    this.#durability = durability
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#database.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  async #whileBusy<T>(work: () => T): Promise<T> {
    const deadline = this.#clock.monotonic() + this.#busyLimitMs
    for (;;) {
      this.requireOpen()
      try {
        return work()
      } catch (error) {
        if (!isBusy(error) || this.#clock.monotonic() >= deadline) throw toStoreError(error, this.path)
      }
      await delay(this.#clock, PAUSE_MS)
    }
  }
}
