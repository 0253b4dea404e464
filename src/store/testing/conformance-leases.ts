import { describe, expect, test } from 'vitest'
import type { EventStore, Lease, LeaseHolder } from '../event-store.js'
import type { StoreFixture } from './conformance.js'

const EVENT = { type: 'test.event', data: {} }
/** Long enough for the slowest machine: the store's own clock keeps running. */
const TTL = 1_000_000

/** One driver at a time: leases, and the fence that keeps a former driver from writing. */
export function describeLeases(fixture: StoreFixture): void {
  describe('a lease', () => {
    const take = async (store: EventStore, owner: string): Promise<Lease> => {
      const lease = await store.acquireLease('run/1', owner, { ttlMs: TTL })
      if (!lease.isAcquired) throw new Error(`held by ${lease.by}`)
      return lease
    }

    test('is held by one owner until it expires', async () => {
      const [store, other] = [await fixture.connect(), await fixture.connect()]
      const start = await store.now()
      const first = await take(store, 'one')
      const held = await other.acquireLease('run/1', 'two', { ttlMs: TTL })
      expect(held).toMatchObject({ isAcquired: false, by: 'one' })
      expect((held as LeaseHolder).until).toBeGreaterThanOrEqual(start + TTL)
      expect((held as LeaseHolder).until).toBeLessThanOrEqual((await store.now()) + TTL)
      await fixture.passTime(0.9 * TTL)
      expect(await store.renewLease(first, TTL)).toBe(true)
      await fixture.passTime(0.9 * TTL)
      expect(await other.acquireLease('run/1', 'two', { ttlMs: TTL })).toMatchObject({ isAcquired: false })
      await fixture.passTime(0.1 * TTL)
      const second = await take(other, 'two')
      expect(second.epoch).toBeGreaterThan(first.epoch)
      expect(await store.renewLease(first, TTL)).toBe(false)
    })

    test('names its holder until it is released', async () => {
      const store = await fixture.connect()
      expect(await store.leaseHolder('run/1')).toBeNull()
      await take(store, 'one')
      await fixture.passTime(2 * TTL)
      expect(await store.leaseHolder('run/1')).toEqual({ by: 'one', epoch: 1, until: expect.any(Number) })
      await store.releaseLease(await take(store, 'two'))
      expect(await store.leaseHolder('run/1')).toBeNull()
    })

    test('is free after its release, and its epoch is never used again', async () => {
      const store = await fixture.connect()
      const first = await take(store, 'one')
      await store.releaseLease(first)
      expect(await store.renewLease(first, TTL)).toBe(false)
      const second = await take(store, 'one')
      expect(second.epoch).toBeGreaterThan(first.epoch)
      // A late release of the first holder does not release it for the second.
      await store.releaseLease(first)
      expect(await store.renewLease(second, TTL)).toBe(true)
    })

    test('fences its previous holder, whose append writes nothing', async () => {
      const [one, two] = [await fixture.connect(), await fixture.connect()]
      const first = await take(one, 'one')
      await one.append('run/1', 0, [EVENT], { fence: first })
      await fixture.passTime(TTL)
      const second = await take(two, 'two')
      await expect(one.append('run/1', 1, [EVENT], { fence: first })).rejects.toMatchObject({ code: 'E_FENCED' })
      expect(await one.streamVersion('run/1')).toBe(1)
      await two.append('run/1', 1, [EVENT], { fence: second })
      expect(await one.streamVersion('run/1')).toBe(2)
    })

    test('is free for others at once if its owner is certainly gone', async () => {
      const [one, two] = [await fixture.connect(), await fixture.connect()]
      const first = await take(one, 'one')
      const isGone = (owner: string) => owner === 'one'
      const second = await two.acquireLease('run/1', 'two', { ttlMs: TTL, isGone })
      expect(second).toMatchObject({ isAcquired: true, epoch: first.epoch + 1 })
      expect(await one.acquireLease('run/1', 'three', { ttlMs: TTL, isGone })).toMatchObject({
        isAcquired: false,
        by: 'two',
      })
      await expect(one.append('run/1', 0, [EVENT], { fence: first })).rejects.toMatchObject({ code: 'E_FENCED' })
    })

    test('is listed with the other leases of its prefix', async () => {
      const store = await fixture.connect()
      await take(store, 'one')
      const other = await store.acquireLease('run/2', 'two', { ttlMs: TTL })
      await store.acquireLease('server/1', 'three', { ttlMs: TTL })
      const listed = async () => (await store.leaseHolders('run/')).map(({ key, by }) => [key, by]).sort()
      expect(await listed()).toEqual([
        ['run/1', 'one'],
        ['run/2', 'two'],
      ])
      await store.releaseLease(other as Lease)
      expect(await listed()).toEqual([['run/1', 'one']])
    })

    test('does not affect leases of other keys', async () => {
      const store = await fixture.connect()
      const first = await take(store, 'one')
      const other = await store.acquireLease('run/2', 'two', { ttlMs: TTL })
      expect(other.isAcquired).toBe(true)
      expect(await store.renewLease(first, TTL)).toBe(true)
    })
  })
}
