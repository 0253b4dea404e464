import type { Client, ClientConfig, CustomTypesConfig } from 'pg'
import { type Clock, delay } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { AWAY_LIMIT_MS, isBusy, isConnectionLost, toStoreError } from './postgres-errors.js'
import { quoted, SERVER_ROLE } from './schema.js'
import type { PostgresTarget } from './store-url.js'

/** With the writer and the listener, a server has 6 connections. */
const READERS_MAX = 4
const CONNECT_LIMIT_MS = 5_000
/** Longer than the server's own limit: then the connection itself is broken. */
const ANSWER_LIMIT_MS = 12_000
const RETRY_DELAYS_MS = [50, 100, 200, 400, 800]

/** Limits of every session, so that a client that hangs does not stop the others. */
const SETTINGS = {
  statement_timeout: '10s',
  idle_in_transaction_session_timeout: '2s',
  lock_timeout: '5s',
  tcp_user_timeout: '10s',
  synchronous_commit: 'on',
  application_name: 'signalbox',
}
const BIGINT = 20

export interface ConnectionsOptions {
  target: PostgresTarget
  password: string | undefined
  clock: Clock
  /** Called after a connection was lost, before another one is used. */
  onReconnect?: (client: Client) => Promise<void>
}

/** Connections to one database: some that read, and one that writes in call order. */
export class Connections {
  readonly shown: string
  readonly #options: ConnectionsOptions
  readonly #idle: Client[] = []
  readonly #all = new Set<Client>()
  readonly #waiting: (() => void)[] = []
  #readers = 0
  #writer: Client | null = null
  #isClosed = false
  #isBroken = false
  /** When the database was first found not to answer; null while it answers. */
  #awaySince: number | null = null

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.shown = options.target.shown
  }

  requireOpen(): void {
    if (this.#isClosed) throw new SignalboxError('E_STORE_CLOSED', `the store ${this.shown} has been closed`)
  }

  /** A statement that may be repeated: again if its connection breaks. */
  async read<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    this.requireOpen()
    if (this.#readers >= READERS_MAX) await new Promise<void>(resolve => this.#waiting.push(resolve))
    else this.#readers += 1
    try {
      return await this.retrying(async () => {
        const client = this.#idle.pop() ?? (await this.connect())
        try {
          const { rows } = await client.query({ text: sql, values })
          this.#idle.push(client)
          return rows as Row[]
        } catch (error) {
          if (isConnectionLost(error)) this.#drop(client)
          else this.#idle.push(client)
          throw error
        }
      })
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#readers -= 1
    }
  }

  /** Calls are serialized by the caller. `isAgain`: an earlier attempt may have been committed. */
  async write<T>(work: (client: Client, isAgain: boolean) => Promise<T>): Promise<T> {
    let isAgain = false
    return this.retrying(async () => {
      const client = this.#writer ?? (await this.connect())
      this.#writer = client
      try {
        return await work(client, isAgain)
      } catch (error) {
        if (isConnectionLost(error)) {
          isAgain = true
          this.#writer = null
          this.#drop(client)
        }
        throw error
      }
    })
  }

  /**
   * Repeats while the database does not answer or is busy, up to the limit. All calls share the
   * time for which it has been away: those that queue while it is away do not wait one after the
   * other.
   */
  async retrying<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#options
    const began = clock.monotonic()
    for (let attempt = 0; ; attempt++) {
      this.requireOpen()
      try {
        const result = await work()
        this.#awaySince = null
        return result
      } catch (error) {
        if (isConnectionLost(error)) {
          this.#isBroken = true
          this.#awaySince ??= clock.monotonic()
        }
        const mayRepeat = isConnectionLost(error) || isBusy(error)
        const since = Math.min(began, this.#awaySince ?? began)
        if (!mayRepeat || clock.monotonic() >= since + AWAY_LIMIT_MS) throw toStoreError(error, this.shown)
      }
      await delay(clock, RETRY_DELAYS_MS[Math.min(attempt, RETRY_DELAYS_MS.length - 1)]!)
    }
  }

  /** A connection of its own, which the caller closes. */
  async connect(): Promise<Client> {
    const { target } = this.#options
    const client = await openClient(this.#options)
    if (this.#isClosed) {
      // It was opened while the store closed: nothing else would end it, and the process would
      // stay.
      await client.end().catch(() => undefined)
      this.requireOpen()
    }
    this.#all.add(client)
    // Without a listener, an error of an idle connection would end the process.
    client.on('error', () => this.#drop(client))
    client.on('end', () => this.#drop(client))
    const settings = Object.entries({ search_path: quoted(target.schema), ...SETTINGS })
    await client.query(
      `SELECT ${settings.map((_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, false)`).join(', ')},
        CASE WHEN pg_has_role(to_regrole('${SERVER_ROLE}'), 'MEMBER') THEN set_config('role', '${SERVER_ROLE}', false) END`,
      settings.flat(),
    )
    if (this.#isBroken) {
      await this.#options.onReconnect?.(client)
      this.#isBroken = false
    }
    return client
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map(client => client.end().catch(() => undefined)))
  }

  #drop(client: Client): void {
    const at = this.#idle.indexOf(client)
    if (at >= 0) this.#idle.splice(at, 1)
    if (this.#writer === client) this.#writer = null
    if (!this.#all.delete(client)) return
    // Also one that was idle: the database may have been restored meanwhile.
    this.#isBroken = true
    void client.end().catch(() => undefined)
  }
}

/** Connects without changing anything in the session. The library is loaded only here. */
export async function openClient({ target, password }: Omit<ConnectionsOptions, 'clock'>): Promise<Client> {
  const { default: pg } = await import('pg')
  const types: CustomTypesConfig = {
    getTypeParser: ((oid: number, format?: 'text') =>
      oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as CustomTypesConfig['getTypeParser'],
  }
  const config: ClientConfig = {
    host: target.host,
    port: target.port,
    database: target.database,
    ssl: target.tls === 'verify' ? { rejectUnauthorized: true } : false,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    query_timeout: ANSWER_LIMIT_MS,
    types,
    ...(target.user !== undefined && { user: target.user }),
    ...(password !== undefined && { password }),
  }
  const client = new pg.Client(config)
  // A broken connection rejects the running query, too; the event alone would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}
