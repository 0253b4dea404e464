import { describe, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import type { EventStore, Lease } from '../event-store.js'
import type { StoreFixture } from './conformance.js'

const EVENT = { type: 'test.event', data: {} }

/** One driver at a time: leases, and the fence that keeps a former driver from writing. */
export function describeLeases(fixture: StoreFixture): void {
  describe('a lease', () => {
    const take = async (store: EventStore, owner: string, isGone?: (owner: string) => boolean): Promise<Lease> => {
      const lease = await store.acquireLease('run/1', owner, { ttlMs: 1_000, ...(isGone && { isGone }) })
      if (lease.isHeld) throw new Error(`held by ${lease.by}`)
      return lease
    }

    test('is held by one owner until it expires', async () => {
      const clock = new SimulatedClock(1_000)
      const store = await fixture.connect({ clock })
      const first = await take(store, 'one')
      expect(await store.acquireLease('run/1', 'two', { ttlMs: 1_000 })).toEqual({
        isHeld: true,
        by: 'one',
        until: 2_000,
      })
      clock.advance(900)
      expect(await store.renewLease(first, 1_000)).toBe(true)
      clock.advance(900)
      expect(await store.acquireLease('run/1', 'two', { ttlMs: 1_000 })).toMatchObject({ isHeld: true })
      clock.advance(100)
      const second = await take(store, 'two')
      expect(second.epoch).toBeGreaterThan(first.epoch)
      expect(await store.renewLease(first, 1_000)).toBe(false)
    })

    test('names its holder until it is released', async () => {
      const clock = new SimulatedClock(1_000)
      const store = await fixture.connect({ clock })
      expect(await store.leaseHolder('run/1')).toBeNull()
      await take(store, 'one')
      clock.advance(5_000)
      expect(await store.leaseHolder('run/1')).toEqual({ isHeld: true, by: 'one', until: 2_000 })
      await store.releaseLease(await take(store, 'two'))
      expect(await store.leaseHolder('run/1')).toBeNull()
    })

    test('of a dead owner can be acquired at once', async () => {
      const store = await fixture.connect()
      await take(store, 'dead')
      expect((await take(store, 'two', owner => owner === 'dead')).owner).toBe('two')
    })

    test('that was released is free, and its epoch is never used again', async () => {
      const store = await fixture.connect()
      const first = await take(store, 'one')
      await store.releaseLease(first)
      expect(await store.renewLease(first, 1_000)).toBe(false)
      const second = await take(store, 'one')
      expect(second.epoch).toBeGreaterThan(first.epoch)
      // A late release of the first holder does not release it for the second.
      await store.releaseLease(first)
      expect(await store.renewLease(second, 1_000)).toBe(true)
    })

    test('fences its previous holder: their append writes nothing', async () => {
      const [one, two] = [await fixture.connect(), await fixture.connect()]
      const first = await take(one, 'one')
      await one.append('run/1', 0, [EVENT], { fence: first })
      const second = await take(two, 'two', () => true)
      await expect(one.append('run/1', 1, [EVENT], { fence: first })).rejects.toMatchObject({ code: 'E_FENCED' })
      expect(await one.streamVersion('run/1')).toBe(1)
      await two.append('run/1', 1, [EVENT], { fence: second })
      expect(await one.streamVersion('run/1')).toBe(2)
    })

    test('does not affect leases of other keys', async () => {
      const store = await fixture.connect()
      const first = await take(store, 'one')
      const other = await store.acquireLease('run/2', 'two', { ttlMs: 1_000 })
      expect(other.isHeld).toBe(false)
      expect(await store.renewLease(first, 1_000)).toBe(true)
    })
  })
}
