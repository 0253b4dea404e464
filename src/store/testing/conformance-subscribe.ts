import { describe, expect, it } from 'vitest'
import type { EventStore, StoredEvent, Subscription } from '../event-store.js'
import type { StoreFixture } from './conformance.js'
import { event, numbered, numbersOf } from './conformance.js'

/** Collects delivered events, and lets a test wait for a number of events instead of a time. */
class Inbox {
  readonly events: StoredEvent[] = []
  readonly errors: unknown[] = []
  readonly subscription: Subscription
  #waiting: { count: number; resolve: () => void }[] = []

  constructor(store: EventStore, options: { after?: number; types?: readonly string[] } = {}) {
    const onError = (error: unknown) => this.errors.push(error)
    this.subscription = store.subscribe({ after: 0, ...options, onError }, events => {
      this.events.push(...events)
      for (const { count, resolve } of this.#waiting) if (this.events.length >= count) resolve()
    })
  }

  async receive(count: number): Promise<unknown[]> {
    if (this.events.length < count) await new Promise<void>(resolve => this.#waiting.push({ count, resolve }))
    return numbersOf(this.events)
  }
}

export function describeSubscriptions(fixture: StoreFixture): void {
  describe('a subscription', () => {
    it('delivers existing events, then new ones', async () => {
      await fixture.store.append('a', 0, numbered(1, 3))
      const inbox = new Inbox(fixture.store)
      await fixture.store.append('b', 0, numbered(4, 5))
      expect(await inbox.receive(5)).toEqual([1, 2, 3, 4, 5])
    })

    it('starts after a position and filters by type', async () => {
      const { position } = await fixture.store.append('a', 0, numbered(1, 3))
      const inbox = new Inbox(fixture.store, { after: position - 1, types: ['test.counted'] })
      await fixture.store.append('a', 3, [event('test.other', { n: 99 }), ...numbered(4, 4)])
      expect(await inbox.receive(2)).toEqual([3, 4])
    })

    it('has delivered all events when poll() resolves', async () => {
      const inbox = new Inbox(fixture.store)
      await fixture.store.append('a', 0, numbered(1, 700), { durability: 'normal' })
      await inbox.subscription.poll()
      expect(inbox.events).toHaveLength(700)
    })

    it('survives a handler that throws or rejects', async () => {
      const errors: unknown[] = []
      const seen: unknown[] = []
      const failing = (kind: 'sync' | 'async') => (events: StoredEvent[]) => {
        seen.push(...numbersOf(events))
        if (kind === 'sync') throw new Error(kind)
        return Promise.reject(new Error(kind)) as unknown as undefined
      }
      for (const kind of ['sync', 'async'] as const) {
        const subscription = fixture.store.subscribe({ after: 0, onError: error => errors.push(error) }, failing(kind))
        await fixture.store.append(kind, 'any', numbered(1, 1))
        await subscription.poll()
        await fixture.store.append(kind, 'any', numbered(2, 2))
        await subscription.poll()
        subscription.close()
      }
      expect(seen).toEqual([1, 2, 1, 2, 1, 2])
      expect(errors.length).toBeGreaterThanOrEqual(4)
    })

    it('delivers nothing after close(), also if its handler called it', async () => {
      const seen: unknown[] = []
      await fixture.store.append('a', 0, numbered(1, 500), { durability: 'normal' })
      const subscription = fixture.store.subscribe({ after: 0 }, events => {
        seen.push(...events)
        subscription.close()
      })
      await subscription.poll()
      const count = seen.length
      expect(count).toBeLessThan(500)
      await fixture.store.append('a', 500, numbered(501, 501))
      await subscription.poll()
      expect(seen).toHaveLength(count)
    })

    it('allows its handler to append', async () => {
      const inbox = new Inbox(fixture.store)
      const echo = fixture.store.subscribe({ after: 0, types: ['test.counted'] }, events => {
        for (const { data } of events)
          void fixture.store.append('echo', 'any', [event('test.echo', { n: Number(data.n) + 100 })])
      })
      await fixture.store.append('a', 0, numbered(1, 2))
      expect(await inbox.receive(4)).toEqual([1, 2, 101, 102])
      echo.close()
    })

    it('sees appends of other connections, without gaps or duplicates', async () => {
      const other = await fixture.connect()
      const inboxes = [new Inbox(fixture.store), new Inbox(other), new Inbox(other, { types: ['test.counted'] })]
      for (let n = 1; n <= 200; n += 1) {
        await (n % 2 === 0 ? other : fixture.store).append(`s${n % 3}`, 'any', numbered(n, n), {
          durability: n % 5 === 0 ? 'full' : 'normal',
        })
      }
      const expected = Array.from({ length: 200 }, (_, index) => index + 1)
      for (const inbox of inboxes) {
        expect(await inbox.receive(200)).toEqual(expected)
        expect(inbox.errors).toEqual([])
      }
    })

    it('sees appends of another process', async () => {
      const inbox = new Inbox(fixture.store)
      await fixture.store.append('a', 0, numbered(1, 1))
      await fixture.appendElsewhere('a', numbered(2, 4))
      await fixture.store.append('a', 4, numbered(5, 5))
      expect(await inbox.receive(5)).toEqual([1, 2, 3, 4, 5])
    })

    it('wakes up for another process while its own is idle', async () => {
      const inbox = new Inbox(fixture.store)
      await inbox.subscription.poll()
      await fixture.appendElsewhere('a', numbered(1, 1))
      expect(await inbox.receive(1)).toEqual([1])
    })
  })
}
