import type { Clock } from '../clock/index.js'
import type { NewEvent, StoredEvent } from '../events/index.js'

export type { NewEvent, StoredEvent }

/** What this process has written to a shared store, and what waits. */
export interface StoreLoad {
  /** Appends that wait for the database. */
  waiting: number
  /** Since the start of the process. */
  appends: number
  /** Statements that they were sent with. */
  batches: number
  /** Batches that had to be computed again because another process wrote first. */
  retries: number
  /** The time that the statements took, in seconds. */
  seconds: number
}

/**
 * The log. Everything that happened is an event in a stream; everything a person sees is a
 * projection of events. SQLite and PostgreSQL implement it; `store/testing/conformance.ts` is the
 * contract for every implementation.
 */
export interface EventStore {
  /** Eight hex digits created with the store; a restored or replaced store has another one. */
  readonly id: string

  /** Whether several machines write to it: its clock is then not the clock of this machine. */
  readonly isShared: boolean

  /**
   * The store's time without asking it: what machines that share the store must agree on (ends of
   * grants and logins, timers of runs, times of events) is judged by this clock. For a store that
   * is not shared, it is the clock of this machine.
   */
  readonly clock: Clock

  /** How busy it is; only of a shared store. */
  readonly load?: StoreLoad

  /**
   * Appends to one stream at its expected version, all or nothing. Returns once the events are as
   * durable as requested.
   * @throws SignalboxError `E_VERSION` if the stream is at another version; nothing was written.
   */
  append(
    stream: string,
    expected: ExpectedVersion,
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<AppendResult>

  /** Appends to several streams in one transaction: either all streams advance or none. */
  appendAll(appends: readonly StreamAppend[], options?: AppendOptions): Promise<AppendResult[]>

  /** Events of one stream in version order, from `fromVersion` (inclusive, default 1). */
  readStream(stream: string, options?: { fromVersion?: number; limit?: number }): Promise<StoredEvent[]>

  /** Events of all streams in position order, after `after` (exclusive). */
  readAll(options: { after: number; limit: number; types?: readonly string[] }): Promise<StoredEvent[]>

  streamVersion(stream: string): Promise<number>

  /** Position of the newest event; 0 in an empty store. */
  head(): Promise<number>

  /** Replaces the snapshot under this key. A snapshot is a cache: losing it only costs time. */
  saveSnapshot(key: string, snapshot: Snapshot): Promise<void>
  loadSnapshot(key: string): Promise<Snapshot | null>
  deleteSnapshot(key: string): Promise<void>
  /**
   * Replaces a snapshot only if it has this version, or creates it only if there is none (null).
   * @returns false if another process was first: nothing was written. So a snapshot can hold what
   * several processes change, or what may happen once.
   */
  replaceSnapshot(key: string, expected: number | null, snapshot: Snapshot): Promise<boolean>
  /** Removes the snapshots under this prefix whose version is below this one. */
  dropSnapshots(prefix: string, below: number): Promise<void>

  /** A projection's document, or null. Projections change in the append's transaction. */
  document<T>(projection: string, key: string): Promise<StoredDocument<T> | null>
  /** Documents of a projection, most recently changed first. */
  documents<T>(projection: string, options?: DocumentFilter): Promise<StoredDocument<T>[]>

  /** The store's time in milliseconds since the epoch: leases and `notAfter` are judged by it. */
  now(): Promise<number>

  /**
   * Calls back with every event after `after`, in order, without gaps or duplicates, whichever
   * process wrote it; then with new ones as they arrive. A handler that throws does not stop
   * delivery: the error goes to `onError`.
   */
  subscribe(
    options: { after: number; types?: readonly string[]; onError?: (error: unknown) => void },
    handler: (events: StoredEvent[]) => void,
  ): Subscription

  /**
   * Acquires a lease on something that only one process may drive, or returns its holder. A lease
   * is free if it has expired by the store's clock, or if `isGone` says that its owner is dead,
   * which must be certain; each acquisition raises its epoch, which fences the previous owner.
   */
  acquireLease(
    key: string,
    owner: string,
    options: { ttlMs: number; isGone?: (owner: string) => boolean },
  ): Promise<Lease | HeldLease>
  /** @returns false if another owner holds the lease now. */
  renewLease(lease: Fence, ttlMs: number): Promise<boolean>
  releaseLease(lease: Fence): Promise<void>
  /** Who holds a lease, also if it has expired; null if it was never acquired or was released. */
  leaseHolder(key: string): Promise<LeaseHolder | null>
  /** The holders of all leases under this prefix that have not been released. */
  leaseHolders(prefix: string): Promise<KeyedLeaseHolder[]>
  /**
   * Shows this process under a name to the others while it is connected, from its first
   * subscription on: they notice its death before its leases expire.
   */
  announce(name: string): Promise<void>
  /** Those of the names whose process is connected; null if the store cannot tell, or not now. */
  connectedAmong(names: readonly string[]): Promise<ReadonlySet<string> | null>

  /** Reads the whole file and reports its problems, for `doctor`. */
  check(): Promise<StoreProblem[]>

  /** Verifies the chained streams and reports every position at which the chain breaks. */
  checkChain(): Promise<ChainProblem[]>

  close(): Promise<void>
}

/** `'any'` appends at any version of the stream: for reports that cannot conflict. */
export type ExpectedVersion = number | 'any'

export interface StreamAppend {
  stream: string
  expected: ExpectedVersion
  events: readonly NewEvent[]
}

export interface AppendOptions {
  /** `full` (default) survives a power failure; `normal` a crash of the process. */
  durability?: 'full' | 'normal'
  /**
   * A deadline by the store's clock, checked inside the transaction: later than this, nothing is
   * written and the append is rejected with `E_PRECONDITION`. It may pass while the append waits
   * for another process.
   */
  notAfter?: number
  /**
   * `later`: the documents need not be saved with this append. A following append saves them, and a
   * reader before that still gets the current state. For events in quick succession that change
   * little of what people see. Default `now`.
   */
  documents?: 'now' | 'later'
  /** Append under this lease: `E_FENCED`, and nothing is written, if another owner holds it now. */
  fence?: Fence
}

/** A lease, as an append refers to it. */
export interface Fence {
  key: string
  epoch: number
}

export interface Lease extends Fence {
  isAcquired: true
  owner: string
}

export interface LeaseHolder {
  by: string
  epoch: number
  until: number
}

/** The lease was not acquired: another owner holds it. */
export interface HeldLease extends LeaseHolder {
  isAcquired: false
}

export interface KeyedLeaseHolder extends LeaseHolder {
  key: string
}

export interface AppendResult {
  stream: string
  version: number
  position: number
}

export interface Snapshot {
  /** Version of the stream (or position of the log) that is folded into the state. */
  version: number
  state: unknown
}

export interface StoredDocument<T> {
  key: string
  state: T
  position: number
}

export interface Subscription {
  /** Checks for new events now, and resolves once the handler has received them. */
  poll(): Promise<void>
  close(): void
}

export interface StoreProblem {
  /** What is wrong, in one sentence. */
  message: string
  /** The position or table, if known. */
  location?: string
  /** What to do about it, if that is known. */
  next?: string
}

/** A position at which the chain of the ledger is broken. */
export interface ChainProblem extends StoreProblem {
  position: number
  stream: string
  version: number
}

/** Only documents that match every given part. */
export interface DocumentFilter {
  /** Keys that start with this. */
  prefix?: string
  limit?: number
  /** Last changed before this position. */
  before?: number
  /** By fields of the projection's `index`. */
  where?: Readonly<Record<string, FieldTest>>
  /** The caller changes nothing: the documents may be frozen, and shared with other readers. */
  isReadOnly?: boolean
}

export type Scalar = string | number | boolean | null

/** Equal to this value, equal to one of these, or a number that is at most this. */
export type FieldTest = Scalar | readonly Scalar[] | { readonly atMost: number }

/** An event as projections see it: positions are assigned only while the append is written. */
export type ProjectedEvent = Omit<StoredEvent, 'position'>

/**
 * A projection keeps one document per key, folded from events in the transaction that appends them.
 * Raise `version` when `evolve` or `index` changes: the store then rebuilds the documents from the
 * log.
 */
export interface Projection<T = unknown> {
  readonly name: string
  readonly version: number
  readonly types: readonly string[]
  key(event: ProjectedEvent): string | null
  /** Pure. Returning null removes the document. */
  evolve(state: T | null, event: ProjectedEvent): T | null
  /** Pure. Up to 6 fields by which `documents({ where })` finds the document. */
  index?(state: T): Readonly<Record<string, Scalar>>
}
