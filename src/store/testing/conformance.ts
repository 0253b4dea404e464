import { afterEach, beforeEach, describe } from 'vitest'
import type { Clock } from '../../clock/index.js'
import type { EventStore, NewEvent, Projection, StoredEvent } from '../event-store.js'
import { describeAppending } from './conformance-append.js'
import { describeBatches } from './conformance-batches.js'
import { describeChain } from './conformance-chain.js'
import { describeDocuments } from './conformance-documents.js'
import { describeLeases } from './conformance-leases.js'
import { describeReading } from './conformance-read.js'
import { describeStreams } from './conformance-streams.js'
import { describeSubscriptions } from './conformance-subscribe.js'
import { describeTime } from './conformance-time.js'

interface ConnectOptions {
  projections?: readonly Projection[]
  clock?: Clock
  validate?: (type: string, data: Record<string, unknown>) => void
  chained?: readonly string[]
}

/** A storage location for events. Every test gets a new, empty one. */
export interface StoreSite {
  /** Another connection to the same events, as another process would have. */
  connect(options?: ConnectOptions): Promise<EventStore>
  /** Appends from another process; resolves when that process has exited successfully. */
  appendElsewhere(stream: string, events: readonly NewEvent[]): Promise<void>
  /** Moves the store's clock forward, for all its connections. */
  passTime(ms: number): Promise<void>
  dispose(): Promise<void>
}

/** What the tests work with; `store` belongs to the running test. */
export interface StoreFixture {
  readonly store: EventStore
  /** Opens another connection, which is closed after the test. */
  connect(options?: ConnectOptions): Promise<EventStore>
  appendElsewhere: StoreSite['appendElsewhere']
  passTime: StoreSite['passTime']
}

/** The contract of every event store, as a test suite. */
export function describeEventStore(name: string, makeSite: () => Promise<StoreSite>): void {
  describe(name, () => {
    let site: StoreSite
    let store: EventStore
    let open: EventStore[] = []
    const fixture: StoreFixture = {
      get store() {
        return store
      },
      async connect(options) {
        const connected = await site.connect(options)
        open.push(connected)
        return connected
      },
      appendElsewhere: (stream, events) => site.appendElsewhere(stream, events),
      passTime: ms => site.passTime(ms),
    }

    beforeEach(async () => {
      site = await makeSite()
      store = await fixture.connect()
    })

    afterEach(async () => {
      for (const connected of open) await connected.close()
      open = []
      await site.dispose()
    })

    describeStreams(fixture)
    describeAppending(fixture)
    describeBatches(fixture)
    describeReading(fixture)
    describeDocuments(fixture)
    describeSubscriptions(fixture)
    describeLeases(fixture)
    describeTime(fixture)
    describeChain(fixture)
  })
}

export function event(type: string, data: Record<string, unknown> = {}): NewEvent {
  return { type, data }
}

export function numbered(from: number, to: number, type = 'test.counted'): NewEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => event(type, { n: from + index }))
}

export function numbersOf(events: readonly StoredEvent[]): unknown[] {
  return events.map(stored => stored.data.n)
}
