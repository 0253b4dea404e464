import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { type ChainEnd, canonicalText, chainValue, isChained, withChain } from '../chain.js'
import {
  checkName,
  decodeJson,
  type EncodedEvent,
  type EventValidator,
  encodeEvent,
  encodeJson,
} from '../encode-event.js'
import type * as Api from '../event-store.js'
import { LogSubscription } from '../log-subscription.js'
import { checkFileChain, declareChained, readChainEnd, writeChainEnd } from './chain.js'
import { ChangeFeed } from './change-feed.js'
import { checkStore } from './check.js'
import { compressText } from './compressed-text.js'
import type { Connection } from './connection.js'
import { DocumentCache } from './document-cache.js'
import { readDocument, readDocuments } from './documents.js'
import { type Ends, readEnds } from './ends.js'
import { EventReader } from './event-reader.js'
import { sumOf } from './event-rows.js'
import { checkDeadline, checkFence, readHolder, readHolders, releaseLease, renewLease, takeLease } from './leases.js'
import { Projector, type WrittenEvent } from './projector.js'

const SUBSCRIPTION_PAGE = 200
const INSERT_EVENT = 'INSERT INTO events (position, stream, version, type, at, data, sum) VALUES (?, ?, ?, ?, ?, ?, ?)'
const STREAM_END = 'SELECT version, position FROM events WHERE stream = ? ORDER BY version DESC LIMIT 1'

export interface SqliteStoreOptions {
  id: string
  connection: Connection
  projections: readonly Api.Projection[]
  clock: Clock
  validate: EventValidator | undefined
  onError: (error: unknown) => void
}

interface EncodedAppend {
  stream: string
  expected: Api.ExpectedVersion
  events: EncodedEvent[]
}

/** The log in one SQLite file; each method is one short synchronous access. */
export class SqliteEventStore implements Api.EventStore {
  readonly id: string
  readonly isShared = false
  readonly #connection: Connection
  readonly clock: Clock
  readonly #validate: EventValidator | undefined
  readonly #onError: (error: unknown) => void
  readonly #reader: EventReader
  readonly #projector: Projector
  readonly #cache: DocumentCache
  readonly #feed: ChangeFeed
  readonly #subscriptions = new Set<LogSubscription>()

  constructor(options: SqliteStoreOptions) {
    this.id = options.id
    this.#connection = options.connection
    this.clock = options.clock
    this.#validate = options.validate
    this.#onError = options.onError
    this.#reader = new EventReader(options.connection)
    this.#projector = new Projector(options.connection, this.#reader, options.projections)
    this.#cache = new DocumentCache(options.connection)
    this.#feed = new ChangeFeed({
      path: options.connection.path,
      clock: options.clock,
      readVersion: () => this.#connection.get<{ data_version: number }>('PRAGMA data_version')!.data_version,
      onChange: () => this.#wake(),
      onError: options.onError,
    })
  }

  /** Rebuilds outdated documents. Takes the write lock only if there is something to do. */
  async prepareDocuments(): Promise<void> {
    if (!(await this.#connection.read(() => this.#projector.needsRebuild()))) return
    await this.#connection.write('normal', () => this.#projector.rebuildOutdated())
  }

  /** Makes these streams chained from now on, whichever program appends to them. */
  async chain(streams: readonly string[]): Promise<void> {
    const isKnown = await this.#connection.read(() => {
      const end = readChainEnd(this.#connection)
      return streams.every(stream => end?.streams.includes(stream))
    })
    if (!isKnown) await this.#connection.write('normal', () => declareChained(this.#connection, streams))
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

  async appendAll(appends: readonly Api.StreamAppend[], options: Api.AppendOptions = {}): Promise<Api.AppendResult[]> {
    const encoded = appends.map(append => this.#encode(append))
    const isLater = options.documents === 'later'
    const work = () => {
      const ends = readEnds(this.#connection, encoded[0]?.stream ?? '', options.fence?.key ?? null)
      if (options.fence) checkFence(options.fence, ends.lease)
      if (options.notAfter !== undefined) checkDeadline(options.notAfter, this.clock.now())
      const events: WrittenEvent[] = []
      const written = this.#insertAll(encoded, ends, events)
      this.#projector.foldWritten(events, { isLater })
      return written
    }
    const results = await this.#connection.write(options.durability ?? 'full', work, () => this.#projector.committed())
    this.#wake()
    return results
  }

  async readStream(stream: string, options: { fromVersion?: number; limit?: number } = {}): Promise<Api.StoredEvent[]> {
    const { fromVersion = 1, limit = Number.MAX_SAFE_INTEGER } = options
    return this.#connection.read(() => this.#reader.stream(stream, fromVersion, limit))
  }

  async readAll(options: { after: number; limit: number; types?: readonly string[] }): Promise<Api.StoredEvent[]> {
    return this.#connection.read(() => this.#reader.all(options.after, options.limit, options.types))
  }

  async streamVersion(stream: string): Promise<number> {
    return this.#connection.read(() => this.#endOf(stream).version)
  }

  async head(): Promise<number> {
    return this.#connection.read(() => this.#reader.head())
  }

  async saveSnapshot(key: string, snapshot: Api.Snapshot): Promise<void> {
    checkName('key of a snapshot', key)
    const state = encodeJson(`the snapshot ${key}`, snapshot.state)
    await this.#connection.write('normal', () =>
      this.#connection.run('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)', key, snapshot.version, state),
    )
  }

  async loadSnapshot(key: string): Promise<Api.Snapshot | null> {
    const sql = 'SELECT version, state FROM snapshots WHERE key = ?'
    const row = await this.#connection.read(() => this.#connection.get<{ version: number; state: string }>(sql, key))
    const state = row && decodeJson(row.state)
    return row === undefined || state === undefined ? null : { version: row.version, state }
  }

  async deleteSnapshot(key: string): Promise<void> {
    await this.#connection.write('normal', () => this.#connection.run('DELETE FROM snapshots WHERE key = ?', key))
  }

  async replaceSnapshot(key: string, expected: number | null, snapshot: Api.Snapshot): Promise<boolean> {
    checkName('key of a snapshot', key)
    const state = encodeJson(`the snapshot ${key}`, snapshot.state)
    return this.#connection.write('normal', () => {
      const row = this.#connection.get<{ version: number }>('SELECT version FROM snapshots WHERE key = ?', key)
      if ((row?.version ?? null) !== expected) return false
      this.#connection.run('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)', key, snapshot.version, state)
      return true
    })
  }

  async dropSnapshots(prefix: string, below: number): Promise<void> {
    const sql = 'DELETE FROM snapshots WHERE substr(key, 1, length(?)) = ? AND version < ?'
    await this.#connection.write('normal', () => this.#connection.run(sql, prefix, prefix, below))
  }

  async document<T>(projection: string, key: string): Promise<Api.StoredDocument<T> | null> {
    await this.#catchUp(projection)
    const document = await this.#connection.read(() => readDocument(this.#connection, projection, key))
    return document === 'damaged' ? null : (document as Api.StoredDocument<T> | null)
  }

  async documents<T>(projection: string, options: Api.DocumentFilter = {}): Promise<Api.StoredDocument<T>[]> {
    await this.#catchUp(projection)
    const { isReadOnly, ...filter } = options
    const isCached = isReadOnly && Object.keys(filter).length === 0
    const documents = await this.#connection.read(() =>
      isCached ? this.#cache.read(projection) : readDocuments(this.#connection, projection, filter),
    )
    return documents as Api.StoredDocument<T>[]
  }

  async now(): Promise<number> {
    this.#connection.requireOpen()
    return this.clock.now()
  }

  subscribe(
    options: { after: number; types?: readonly string[]; onError?: (error: unknown) => void },
    handler: (events: Api.StoredEvent[]) => void,
  ): Api.Subscription {
    this.#connection.requireOpen()
    this.#feed.start()
    const subscription = new LogSubscription({
      after: options.after,
      readPage: after =>
        this.#connection.read(() => this.#reader.page(after, this.#reader.head(), SUBSCRIPTION_PAGE, options.types)),
      handler,
      onError: options.onError ?? this.#onError,
      onClose: closed => this.#forget(closed),
    })
    this.#subscriptions.add(subscription)
    void subscription.poll()
    return subscription
  }

  acquireLease(
    key: string,
    owner: string,
    { ttlMs, isGone }: { ttlMs: number; isGone?: (owner: string) => boolean },
  ): Promise<Api.Lease | Api.HeldLease> {
    checkName('key of a lease', key)
    checkName('owner of a lease', owner)
    return this.#connection.write('full', () =>
      takeLease(this.#connection, { key, owner, now: this.clock.now(), ttlMs, isGone }),
    )
  }

  renewLease(lease: Api.Fence, ttlMs: number): Promise<boolean> {
    return this.#connection.write('normal', () => renewLease(this.#connection, lease, this.clock.now() + ttlMs))
  }

  async releaseLease(lease: Api.Fence): Promise<void> {
    await this.#connection.write('normal', () => releaseLease(this.#connection, lease))
  }

  async leaseHolder(key: string): Promise<Api.LeaseHolder | null> {
    return this.#connection.read(() => readHolder(this.#connection, key))
  }

  async leaseHolders(prefix: string): Promise<Api.KeyedLeaseHolder[]> {
    return this.#connection.read(() => readHolders(this.#connection, prefix))
  }

  /** Processes of one machine check each other by their ids. */
  async announce(): Promise<void> {}

  async connectedAmong(): Promise<null> {
    return null
  }

  async check(): Promise<Api.StoreProblem[]> {
    return checkStore(this.#connection)
  }

  async checkChain(): Promise<Api.ChainProblem[]> {
    return checkFileChain(this.#connection)
  }

  async close(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.close()
    await this.#connection.close()
  }

  #encode({ stream, expected, events }: Api.StreamAppend): EncodedAppend {
    checkName('name of a stream', stream)
    if (expected !== 'any' && !(Number.isInteger(expected) && expected >= 0)) {
      throw new SignalboxError(
        'E_INPUT',
        `the expected version of ${stream} is neither a version nor 'any': ${expected}`,
      )
    }
    return { stream, expected, events: events.map(event => encodeEvent(event, this.clock.now(), this.#validate)) }
  }

  /** Adds every written event to `events`. */
  #insertAll(appends: readonly EncodedAppend[], ends: Ends, events: WrittenEvent[]): Api.AppendResult[] {
    const { chain: end, last } = ends
    const log = { chain: end && { ...end }, last }
    const written = appends.map((append, index) =>
      this.#insert(append, index === 0 ? ends.stream : this.#endOf(append.stream), log, events),
    )
    if (log.chain && end && log.chain.value !== end.value) writeChainEnd(this.#connection, log.chain)
    return written
  }

  /** Each event advances the end of the log, and of the chain if its stream is chained. */
  #insert(
    { stream, expected, events }: EncodedAppend,
    end: Ends['stream'],
    log: { chain: ChainEnd | null; last: number },
    into: WrittenEvent[],
  ): Api.AppendResult {
    if (expected !== 'any' && expected !== end.version) {
      throw new SignalboxError('E_VERSION', `the stream ${stream} is at version ${end.version}, not ${expected}`, {
        details: { stream, expected, actual: end.version },
      })
    }
    let { version, position } = end
    for (const { type, at, given, ...event } of events) {
      let { data } = event
      version += 1
      log.last += 1
      position = log.last
      if (isChained(log.chain, stream)) {
        const { chain } = log
        chain.value = chainValue(chain.value, { stream, version, type, at, canonical: canonicalText(data) })
        chain.position = position
        data = withChain(data, chain.value)
      }
      const compressed = compressText(data)
      const sum = sumOf({ position, stream, version, type, at, data: compressed })
      this.#connection.run(INSERT_EVENT, position, stream, version, type, at, compressed, sum)
      into.push({ position, stream, version, type, at, text: data, given })
    }
    return { stream, version, position }
  }

  #endOf(stream: string): { version: number; position: number } {
    return (
      this.#connection.get<{ version: number; position: number }>(STREAM_END, stream) ?? { version: 0, position: 0 }
    )
  }

  async #catchUp(projection: string): Promise<void> {
    if (!(await this.#connection.read(() => this.#projector.isBehind(projection)))) return
    await this.#connection.write('normal', () => this.#projector.foldToHead())
  }

  #wake(): void {
    for (const subscription of this.#subscriptions) void subscription.poll()
  }

  #forget(subscription: LogSubscription): void {
    this.#subscriptions.delete(subscription)
    if (this.#subscriptions.size === 0) this.#feed.stop()
  }
}
