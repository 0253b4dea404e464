import type { NewEvent, StoredEvent } from '../events/index.js'

export type { NewEvent, StoredEvent }

/**
 * The log. Everything that happened is an event in a stream; everything a person sees is a projection of events.
 * SQLite implements it for one machine, PostgreSQL beyond; `store/testing/conformance.ts` is the contract both must pass.
 */
export interface EventStore {
  /** Eight hex digits made with the store; a restored or replaced store has another one. */
  readonly id: string

  /**
   * Appends to one stream at its expected version, all or nothing. Returns after the events are as durable as asked.
   * @throws SignalboxError `E_VERSION` when the stream is at another version; nothing was written.
   */
  append(
    stream: string,
    expected: ExpectedVersion,
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<AppendResult>

  /** The same for several streams in one transaction: either all streams move or none. */
  appendAll(appends: readonly StreamAppend[], options?: AppendOptions): Promise<AppendResult[]>

  /** Events of one stream in order of version, from `fromVersion` (inclusive, default 1). */
  readStream(stream: string, options?: { fromVersion?: number; limit?: number }): Promise<StoredEvent[]>

  /** Events of all streams in order of position, after `after` (exclusive). */
  readAll(options: { after: number; limit: number; types?: readonly string[] }): Promise<StoredEvent[]>

  /** Version of a stream; 0 when it does not exist. */
  streamVersion(stream: string): Promise<number>

  /** Position of the newest event; 0 in an empty store. */
  head(): Promise<number>

  /** Replaces the snapshot under this key. A snapshot is a cache: losing it only costs time. */
  saveSnapshot(key: string, snapshot: Snapshot): Promise<void>
  loadSnapshot(key: string): Promise<Snapshot | null>
  deleteSnapshot(key: string): Promise<void>

  /** The stored state of one projection's document, or null. Projections move in the transaction of the append. */
  document<T>(projection: string, key: string): Promise<StoredDocument<T> | null>
  /** Documents of a projection, newest change first. `prefix` filters by the key's beginning. */
  documents<T>(
    projection: string,
    options?: { prefix?: string; limit?: number; before?: number },
  ): Promise<StoredDocument<T>[]>

  /**
   * Calls back with every event after `after`, in order, without gap or double, whichever process wrote it; then with new ones as
   * they come. A handler that throws stops nothing: the error goes to `onError` and delivery goes on.
   */
  subscribe(
    options: { after: number; types?: readonly string[]; onError?: (error: unknown) => void },
    handler: (events: StoredEvent[]) => void,
  ): Subscription

  /**
   * Takes the lease of something that only one process may drive, or tells who has it. A lease is free when it has run out, or when
   * `isGone` says that its owner is no more; each taking raises its epoch, which fences the owner before.
   */
  acquireLease(
    key: string,
    owner: string,
    options: { ttlMs: number; isGone?: (owner: string) => boolean },
  ): Promise<Lease | LeaseHolder>
  /** False: another one has it by now. */
  renewLease(lease: Fence, ttlMs: number): Promise<boolean>
  releaseLease(lease: Fence): Promise<void>

  /** Reads the whole file and tells what is wrong with it, for `doctor`. */
  check(): Promise<StoreProblem[]>

  /** Walks the chain of the chained streams (`OpenStoreOptions.chained`) and names every place where it breaks. */
  checkChain(): Promise<ChainProblem[]>

  close(): Promise<void>
}

/** `'any'` appends at whatever version the stream has: for reports that cannot conflict. */
export type ExpectedVersion = number | 'any'

export interface StreamAppend {
  stream: string
  expected: ExpectedVersion
  events: readonly NewEvent[]
}

export interface AppendOptions {
  /** `full` survives a power cut (completions, answers, decisions); `normal` survives any crash of a process. Default `full`. */
  durability?: 'full' | 'normal'
  /**
   * Asked inside the transaction, before anything is written: false undoes all of it with `E_PRECONDITION`. For what a version cannot
   * tell, such as a time that may pass while the append waits for another process.
   */
  onlyIf?: () => boolean
  /**
   * `later`: documents need not be saved with this append. They follow with one of the next, and whoever reads one before is given it as
   * it must be. For events that come in quick succession and change little of what people see. Default `now`.
   */
  documents?: 'now' | 'later'
  /** The append is made under this lease: `E_FENCED`, and nothing written, when another one has it by now. */
  fence?: Fence
}

/** A lease as an append names it. */
export interface Fence {
  key: string
  epoch: number
}

export interface Lease extends Fence {
  isHeld: false
  owner: string
}

/** Someone else has the lease. */
export interface LeaseHolder {
  isHeld: true
  by: string
  until: number
}

export interface AppendResult {
  stream: string
  version: number
  position: number
}

export interface Snapshot {
  /** Version of the stream (or the position of the log) that the state was folded up to. */
  version: number
  state: unknown
}

export interface StoredDocument<T> {
  key: string
  state: T
  position: number
}

export interface Subscription {
  /** Looks for new events now, and resolves when the handler has had them. */
  poll(): Promise<void>
  close(): void
}

export interface StoreProblem {
  /** What is wrong, in a sentence. */
  message: string
  /** The position or table concerned, where known. */
  place?: string
}

/** Where the chain of the ledger does not hold. */
export interface ChainProblem extends StoreProblem {
  position: number
  stream: string
  version: number
}

/**
 * A projection keeps one document per key, folded from events in the transaction that appends them.
 * `version` grows when `evolve` changes: the store then rebuilds the documents from the log.
 */
export interface Projection<T = unknown> {
  readonly name: string
  readonly version: number
  readonly types: readonly string[]
  key(event: StoredEvent): string | null
  /** Pure. Returning null removes the document. */
  evolve(state: T | null, event: StoredEvent): T | null
}
