import type { Client } from 'pg'
import { type Clock, SynchronizedClock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { checkChain } from '../chain.js'
import { checkName, decodeJson, type EventValidator, encodeEvent, encodeJson } from '../encode-event.js'
import type * as Api from '../event-store.js'
import { LogSubscription } from '../log-subscription.js'
import { AppendPlanner, newAppendId, storedName } from './append-plan.js'
import { AppendQueue } from './append-queue.js'
import { checkPostgres } from './check.js'
import { Connections } from './connections.js'
import { LogListener } from './log-listener.js'
import { LogTail } from './log-tail.js'
import { PostgresProjector } from './postgres-projector.js'
import { EVENT_COLUMNS, type EventRow, PostgresReader, toStored } from './postgres-reader.js'
import { ServerPresence } from './presence.js'
import type { PostgresTarget } from './store-url.js'

const SUBSCRIPTION_PAGE = 200

export interface PostgresStoreOptions {
  id: string
  target: PostgresTarget
  password: string | undefined
  projections: readonly Api.Projection[]
  clock: Clock
  /** Replaces the database's clock: for tests that move time. */
  now: (() => number) | undefined
  validate: EventValidator | undefined
  onError: (error: unknown) => void
}

/** The log in a PostgreSQL database, which processes of several machines may use at once. */
export class PostgresEventStore implements Api.EventStore {
  readonly id: string
  readonly isShared = true
  readonly clock: Clock
  readonly #options: PostgresStoreOptions
  readonly #connections: Connections
  readonly #planner = new AppendPlanner()
  readonly #projector: PostgresProjector
  readonly #queue: AppendQueue
  readonly #reader: PostgresReader
  readonly #tail: LogTail
  readonly #listener: LogListener
  readonly #presence: ServerPresence
  readonly #subscriptions = new Set<LogSubscription>()
  /** The newest event that this process has seen: after a reconnect it must still be there. */
  #seen = { position: 0, append: '' }
  readonly #time: SynchronizedClock
  #isClosed = false

  constructor(options: PostgresStoreOptions) {
    const { target, projections, onError, now, password } = options
    this.id = options.id
    this.#options = options
    this.#time = new SynchronizedClock(options.clock)
    const clock = now ? options.clock : this.#time
    this.clock = clock
    const onSeen = (position: number, append: string) => {
      if (position > this.#seen.position) this.#seen = { position, append }
    }
    const connections = new Connections({ target, password, clock, onReconnect: client => this.#checkHistory(client) })
    this.#connections = connections
    this.#reader = new PostgresReader(connections, onSeen)
    this.#tail = new LogTail(this.#reader)
    this.#projector = new PostgresProjector(projections, this.#planner, () => clock.now())
    this.#queue = new AppendQueue({
      connections,
      monotonic: () => clock.monotonic(),
      planner: this.#planner,
      projector: this.#projector,
      now,
      onWritten: onSeen,
    })
    this.#presence = new ServerPresence(clock, target.schema)
    this.#listener = new LogListener({
      connections,
      clock,
      schema: target.schema,
      onConnected: client => this.#presence.connected(client),
      onDisconnected: () => this.#presence.disconnected(),
      onChange: () => this.#wake(),
      onError,
    })
  }

  get load(): Api.StoreLoad {
    return this.#queue.load
  }

  /** Builds the documents of this program's projections, and chains these streams from now on. */
  async prepare(chained: readonly string[]): Promise<void> {
    await this.now()
    await this.#locked(async client => {
      await this.#projector.catchUp(client)
      await client.query(
        `UPDATE log_end SET chain_streams = (SELECT array_agg(DISTINCT s) FROM unnest(chain_streams || $1::text[]) AS s)
         WHERE NOT chain_streams @> $1::text[]`,
        [chained],
      )
    })
  }

  async append(
    stream: string,
    expected: Api.ExpectedVersion,
    events: readonly Api.NewEvent[],
    options?: Api.AppendOptions,
  ): Promise<Api.AppendResult> {
    const [result] = await this.appendAll([{ stream, expected, events }], options)
    return result!
  }

  /**
   * Always durable: `normal` gains nothing here, and could lose events that subscribers have seen.
   * Documents are saved with every append, which is what `later` allows.
   */
  async appendAll(appends: readonly Api.StreamAppend[], options: Api.AppendOptions = {}): Promise<Api.AppendResult[]> {
    this.#requireOpen()
    const { validate } = this.#options
    const { clock } = this
    const encoded = appends.map(({ stream, expected, events }) => {
      checkName('name of a stream', stream)
      if (expected !== 'any' && !(Number.isInteger(expected) && expected >= 0))
        throw new SignalboxError(
          'E_INPUT',
          `the expected version of ${stream} is neither a version nor 'any': ${expected}`,
        )
      return { stream, expected, events: events.map(event => encodeEvent(event, clock.now(), validate)) }
    })
    if (encoded.length === 0) return []
    const results = await this.#queue.append({ id: newAppendId(clock.now()), appends: encoded, options })
    this.#wake()
    return results
  }

  async readStream(stream: string, options: { fromVersion?: number; limit?: number } = {}): Promise<Api.StoredEvent[]> {
    return this.#reader.stream(stream, options.fromVersion ?? 1, options.limit ?? Number.MAX_SAFE_INTEGER)
  }

  async readAll(options: { after: number; limit: number; types?: readonly string[] }): Promise<Api.StoredEvent[]> {
    return this.#reader.all(options.after, options.limit, options.types)
  }

  async streamVersion(stream: string): Promise<number> {
    return this.#reader.streamVersion(stream)
  }

  async head(): Promise<number> {
    return this.#reader.head()
  }

  async now(): Promise<number> {
    this.#requireOpen()
    if (this.#options.now) return this.#options.now()
    const read = () => this.#connections.read<{ now: number }>('SELECT sb_now() AS now')
    return this.#time.read(async () => (await read())[0]!.now)
  }

  async saveSnapshot(key: string, snapshot: Api.Snapshot): Promise<void> {
    checkName('key of a snapshot', key)
    await this.#connections.read(
      `INSERT INTO snapshots VALUES ($1, $2, $3)
       ON CONFLICT (key) DO UPDATE SET version = excluded.version, state = excluded.state`,
      [key, snapshot.version, encodeJson(`the snapshot ${key}`, snapshot.state)],
    )
  }

  async loadSnapshot(key: string): Promise<Api.Snapshot | null> {
    const sql = 'SELECT version, state FROM snapshots WHERE key = $1'
    const [row] = await this.#connections.read<{ version: number; state: string }>(sql, [key])
    const state = row && decodeJson(row.state)
    return row === undefined || state === undefined ? null : { version: row.version, state }
  }

  async deleteSnapshot(key: string): Promise<void> {
    await this.#connections.read('DELETE FROM snapshots WHERE key = $1', [key])
  }

  async replaceSnapshot(key: string, expected: number | null, snapshot: Api.Snapshot): Promise<boolean> {
    checkName('key of a snapshot', key)
    const values = [key, snapshot.version, encodeJson(`the snapshot ${key}`, snapshot.state)]
    const changed =
      expected === null
        ? await this.#connections.read(
            'INSERT INTO snapshots VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1',
            values,
          )
        : await this.#connections.read(
            'UPDATE snapshots SET version = $2, state = $3 WHERE key = $1 AND version = $4 RETURNING 1',
            [...values, expected],
          )
    return changed.length > 0
  }

  async dropSnapshots(prefix: string, below: number): Promise<void> {
    await this.#connections.read('DELETE FROM snapshots WHERE starts_with(key, $1) AND version < $2', [prefix, below])
  }

  async document<T>(projection: string, key: string): Promise<Api.StoredDocument<T> | null> {
    const [found] = await this.#find(projection, { key })
    return (found as Api.StoredDocument<T> | undefined) ?? null
  }

  async documents<T>(projection: string, options: Api.DocumentFilter = {}): Promise<Api.StoredDocument<T>[]> {
    return (await this.#find(projection, options)) as Api.StoredDocument<T>[]
  }

  subscribe(
    options: { after: number; types?: readonly string[]; onError?: (error: unknown) => void },
    handler: (events: Api.StoredEvent[]) => void,
  ): Api.Subscription {
    this.#requireOpen()
    this.#listener.start()
    const subscription = new LogSubscription({
      after: options.after,
      readPage: async after => {
        await this.#tail.refresh()
        return this.#tail.page(after, options.types) ?? this.#reader.page(after, SUBSCRIPTION_PAGE, options.types)
      },
      handler,
      onError: options.onError ?? this.#options.onError,
      onClose: closed => {
        this.#subscriptions.delete(closed)
        if (this.#subscriptions.size > 0) return
        this.#listener.stop()
        this.#tail.clear()
      },
    })
    this.#subscriptions.add(subscription)
    void subscription.poll()
    return subscription
  }

  async acquireLease(
    key: string,
    owner: string,
    { ttlMs, isGone }: { ttlMs: number; isGone?: (owner: string) => boolean },
  ): Promise<Api.Lease | Api.HeldLease> {
    checkName('key of a lease', key)
    checkName('owner of a lease', owner)
    const taken = await this.#takeLease(key, owner, ttlMs, 0)
    if (taken) return taken
    const holder = await this.leaseHolder(key)
    const after = holder && isGone?.(holder.by) ? await this.#takeLease(key, owner, ttlMs, holder.epoch) : null
    return after ?? { isAcquired: false, ...(holder ?? { by: '', epoch: 0, until: 0 }) }
  }

  /** @param gone the epoch of a holder that is known to be dead. */
  async #takeLease(key: string, owner: string, ttlMs: number, gone: number): Promise<Api.Lease | null> {
    const now = this.#nowSql()
    const [taken] = await this.#connections.read<{ epoch: number }>(
      `INSERT INTO leases AS l (key, owner, epoch, expires) SELECT $1, $2, 1, ${now} + $3::bigint
       ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, epoch = l.epoch + 1, expires = excluded.expires
       WHERE l.owner = '' OR l.expires <= ${now} OR l.epoch = $4 RETURNING epoch`,
      [key, owner, Math.round(ttlMs), gone],
    )
    return taken ? { isAcquired: true, key, owner, epoch: taken.epoch } : null
  }

  async leaseHolder(key: string): Promise<Api.LeaseHolder | null> {
    const sql = "SELECT owner, epoch, expires FROM leases WHERE key = $1 AND owner <> ''"
    const [held] = await this.#connections.read<{ owner: string; epoch: number; expires: number }>(sql, [key])
    return held ? { by: held.owner, epoch: held.epoch, until: held.expires } : null
  }

  async leaseHolders(prefix: string): Promise<Api.KeyedLeaseHolder[]> {
    const held = await this.#connections.read<{ key: string; owner: string; epoch: number; expires: number }>(
      "SELECT key, owner, epoch, expires FROM leases WHERE starts_with(key, $1) AND owner <> ''",
      [prefix],
    )
    return held.map(({ key, owner, epoch, expires }) => ({ key, by: owner, epoch, until: expires }))
  }

  async renewLease({ key, epoch }: Api.Fence, ttlMs: number): Promise<boolean> {
    const renewed = await this.#connections.read(
      `UPDATE leases SET expires = ${this.#nowSql()} + $3::bigint
       WHERE key = $1 AND epoch = $2 AND owner <> '' RETURNING key`,
      [key, epoch, Math.round(ttlMs)],
    )
    return renewed.length > 0
  }

  async releaseLease({ key, epoch }: Api.Fence): Promise<void> {
    await this.#connections.read("UPDATE leases SET owner = '', expires = 0 WHERE key = $1 AND epoch = $2", [
      key,
      epoch,
    ])
  }

  announce(name: string): Promise<void> {
    return this.#presence.announce(name)
  }

  connectedAmong(names: readonly string[]): Promise<ReadonlySet<string> | null> {
    return this.#presence.connectedOf(names, this.#connections)
  }

  async check(): Promise<Api.StoreProblem[]> {
    return checkPostgres(this.#connections)
  }

  async checkChain(): Promise<Api.ChainProblem[]> {
    const [end] = await this.#connections.read<{ streams: string[]; value: string; position: number }>(
      'SELECT chain_streams AS streams, chain_value AS value, chain_position AS position FROM log_end',
    )
    const sql = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > $1
      AND EXISTS (SELECT 1 FROM unnest($2::text[]) AS prefix WHERE starts_with(stream, prefix)) ORDER BY position LIMIT $3`
    return checkChain(end!, async (after, limit) => {
      const rows = await this.#connections.read<EventRow>(sql, [after, end!.streams, limit])
      return rows.map(row => {
        const { position, stream, version, data: text } = row
        return { position, stream, version, event: decodeJson(text) === undefined ? null : toStored(row), text }
      })
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const subscription of this.#subscriptions) subscription.close()
    this.#listener.stop()
    await this.#queue.settled()
    await this.#connections.close()
  }

  #requireOpen(): void {
    if (this.#isClosed)
      throw new SignalboxError('E_STORE_CLOSED', `the store ${this.#connections.shown} has been closed`)
    this.#connections.requireOpen()
  }

  /** A test that moves time gives it with the statement. */
  #nowSql(): string {
    return this.#options.now ? `${Math.floor(this.#options.now())}::bigint` : 'sb_now()'
  }

  async #find(name: string, filter: Api.DocumentFilter & { key?: string }): Promise<Api.StoredDocument<unknown>[]> {
    const projection = this.#projector.find(name) ?? name
    const found = await this.#reader.documents(projection, filter)
    if (typeof projection === 'string' || found.folded.includes(storedName(projection))) return found.documents
    await this.#locked(client => this.#projector.catchUp(client))
    return (await this.#reader.documents(projection, filter)).documents
  }

  #locked(work: (client: Client) => Promise<void>): Promise<void> {
    return this.#queue.alone(() =>
      this.#connections.write(client => this.#projector.locked(client, () => work(client))),
    )
  }

  /** A database that was restored from a backup has lost events that this process has acted on. */
  async #checkHistory(client: Client): Promise<void> {
    const { position, append } = this.#seen
    if (position === 0) return
    const { rows } = await client.query<{ append: string }>('SELECT append FROM events WHERE position = $1', [position])
    if (rows[0]?.append === append) return
    const error = new SignalboxError(
      'E_STORE_ROLLED_BACK',
      `the store ${this.#connections.shown} was rolled back: event ${position} is missing or differs`,
      { next: 'restart Signalbox; signalbox doctor shows more', details: { position } },
    )
    this.#options.onError(error)
    throw error
  }

  #wake(): void {
    for (const subscription of this.#subscriptions) void subscription.poll()
  }
}
