import { afterEach, beforeEach, describe } from 'vitest'
import type { Clock } from '../../clock/index.js'
import type { EventStore, NewEvent, Projection, StoredEvent } from '../event-store.js'
import { describeAppending } from './conformance-append.js'
import { describeChain } from './conformance-chain.js'
import { describeDocuments } from './conformance-documents.js'
import { describeLeases } from './conformance-leases.js'
import { describeReading } from './conformance-read.js'
import { describeSubscriptions } from './conformance-subscribe.js'

export interface ConnectOptions {
  projections?: readonly Projection[]
  clock?: Clock
  validate?: (type: string, data: Record<string, unknown>) => void
  chained?: readonly string[]
}

/** One place where events are kept. Every test gets a fresh, empty one. */
export interface StoreSite {
  /** A connection of its own to the same events, as another part of the system would have. */
  connect(options?: ConnectOptions): Promise<EventStore>
  /** Appends from another process; resolves when that process has ended well. */
  appendElsewhere(stream: string, events: readonly NewEvent[]): Promise<void>
  dispose(): Promise<void>
}

/** What a group of tests works with; `site` and `store` are those of the running test. */
export interface Bench {
  readonly store: EventStore
  /** Connects again, and closes the connection after the test. */
  connect(options?: ConnectOptions): Promise<EventStore>
  appendElsewhere: StoreSite['appendElsewhere']
}

/** The contract of every event store. */
export function describeEventStore(name: string, makeSite: () => Promise<StoreSite>): void {
  describe(name, () => {
    let site: StoreSite
    let store: EventStore
    let open: EventStore[] = []
    const bench: Bench = {
      get store() {
        return store
      },
      async connect(options) {
        const connected = await site.connect(options)
        open.push(connected)
        return connected
      },
      appendElsewhere: (stream, events) => site.appendElsewhere(stream, events),
    }

    beforeEach(async () => {
      site = await makeSite()
      store = await bench.connect()
    })

    afterEach(async () => {
      for (const connected of open) await connected.close()
      open = []
      await site.dispose()
    })

    describeAppending(bench)
    describeReading(bench)
    describeDocuments(bench)
    describeSubscriptions(bench)
    describeLeases(bench)
    describeChain(bench)
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
