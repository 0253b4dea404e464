import { describe, expect, it } from 'vitest'
import type { EventStore, StoredEvent, Subscription } from '../event-store.js'
import type { Bench } from './conformance.js'
import { event, numbered, numbersOf } from './conformance.js'

/** Collects what a subscription delivers, and lets a test wait for a number of events instead of for a time. */
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

export function describeSubscriptions(bench: Bench): void {
  describe('subscriptions', () => {
    it('deliver what is there, then what comes', async () => {
      await bench.store.append('a', 0, numbered(1, 3))
      const inbox = new Inbox(bench.store)
      await bench.store.append('b', 0, numbered(4, 5))
      expect(await inbox.receive(5)).toEqual([1, 2, 3, 4, 5])
    })

    it('begin after a position and keep to their types', async () => {
      const { position } = await bench.store.append('a', 0, numbered(1, 3))
      const inbox = new Inbox(bench.store, { after: position - 1, types: ['test.counted'] })
      await bench.store.append('a', 3, [event('test.other', { n: 99 }), ...numbered(4, 4)])
      expect(await inbox.receive(2)).toEqual([3, 4])
    })

    it('have delivered everything when poll() resolves', async () => {
      const inbox = new Inbox(bench.store)
      await bench.store.append('a', 0, numbered(1, 700), { durability: 'normal' })
      await inbox.subscription.poll()
      expect(inbox.events).toHaveLength(700)
    })

    it('survive a handler that throws, now or later', async () => {
      const errors: unknown[] = []
      const seen: unknown[] = []
      const failing = (kind: 'sync' | 'async') => (events: StoredEvent[]) => {
        seen.push(...numbersOf(events))
        if (kind === 'sync') throw new Error(kind)
        return Promise.reject(new Error(kind)) as unknown as undefined
      }
      for (const kind of ['sync', 'async'] as const) {
        const subscription = bench.store.subscribe({ after: 0, onError: error => errors.push(error) }, failing(kind))
        await bench.store.append(kind, 'any', numbered(1, 1))
        await subscription.poll()
        await bench.store.append(kind, 'any', numbered(2, 2))
        await subscription.poll()
        subscription.close()
      }
      expect(seen).toEqual([1, 2, 1, 2, 1, 2])
      expect(errors.length).toBeGreaterThanOrEqual(4)
    })

    it('deliver nothing after close(), not even from within the handler', async () => {
      const seen: unknown[] = []
      await bench.store.append('a', 0, numbered(1, 500), { durability: 'normal' })
      const subscription = bench.store.subscribe({ after: 0 }, events => {
        seen.push(...events)
        subscription.close()
      })
      await subscription.poll()
      const count = seen.length
      expect(count).toBeLessThan(500)
      await bench.store.append('a', 500, numbered(501, 501))
      await subscription.poll()
      expect(seen).toHaveLength(count)
    })

    it('may append from within the handler', async () => {
      const inbox = new Inbox(bench.store)
      const echo = bench.store.subscribe({ after: 0, types: ['test.counted'] }, events => {
        for (const { data } of events)
          void bench.store.append('echo', 'any', [event('test.echo', { n: Number(data.n) + 100 })])
      })
      await bench.store.append('a', 0, numbered(1, 2))
      expect(await inbox.receive(4)).toEqual([1, 2, 101, 102])
      echo.close()
    })

    it('see what other connections append, without gap or double', async () => {
      const other = await bench.connect()
      const inboxes = [new Inbox(bench.store), new Inbox(other), new Inbox(other, { types: ['test.counted'] })]
      for (let n = 1; n <= 200; n += 1) {
        await (n % 2 === 0 ? other : bench.store).append(`s${n % 3}`, 'any', numbered(n, n), {
          durability: n % 5 === 0 ? 'full' : 'normal',
        })
      }
      const expected = Array.from({ length: 200 }, (_, index) => index + 1)
      for (const inbox of inboxes) {
        expect(await inbox.receive(200)).toEqual(expected)
        expect(inbox.errors).toEqual([])
      }
    })

    it('see what another process appends', async () => {
      const inbox = new Inbox(bench.store)
      await bench.store.append('a', 0, numbered(1, 1))
      await bench.appendElsewhere('a', numbered(2, 4))
      await bench.store.append('a', 4, numbered(5, 5))
      expect(await inbox.receive(5)).toEqual([1, 2, 3, 4, 5])
    })

    it('wake up for another process while nothing happens in this one', async () => {
      const inbox = new Inbox(bench.store)
      await inbox.subscription.poll()
      await bench.appendElsewhere('a', numbered(1, 1))
      expect(await inbox.receive(1)).toEqual([1])
    })
  })
}
