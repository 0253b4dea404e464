import { describe, expect, it } from 'vitest'
import type { StoreFixture } from './conformance.js'
import { event, numbered, numbersOf } from './conformance.js'

export function describeReading(fixture: StoreFixture): void {
  describe('reading a store', () => {
    it('returns nothing from an empty store', async () => {
      expect(await fixture.store.head()).toBe(0)
      expect(await fixture.store.readAll({ after: 0, limit: 10 })).toEqual([])
      expect(await fixture.store.readStream('a')).toEqual([])
      expect(await fixture.store.check()).toEqual([])
      expect(fixture.store.id).toMatch(/^[0-9a-f]{8}$/)
    })

    it('returns the log after a position, up to a limit and by type', async () => {
      for (const n of [1, 2, 3, 4, 5, 6]) {
        await fixture.store.append(`s${n % 2}`, 'any', [event(n % 3 === 0 ? 'test.third' : 'test.other', { n })])
      }
      const all = await fixture.store.readAll({ after: 0, limit: 100 })
      expect(numbersOf(all)).toEqual([1, 2, 3, 4, 5, 6])
      const after = all[1]!.position
      expect(numbersOf(await fixture.store.readAll({ after, limit: 2 }))).toEqual([3, 4])
      expect(numbersOf(await fixture.store.readAll({ after: 0, limit: 9, types: ['test.third'] }))).toEqual([3, 6])
      expect(numbersOf(await fixture.store.readAll({ after, limit: 1, types: ['test.third', 'test.none'] }))).toEqual([
        3,
      ])
      expect(await fixture.store.readAll({ after: 0, limit: 9, types: [] })).toEqual([])
      expect(await fixture.store.readAll({ after: await fixture.store.head(), limit: 9 })).toEqual([])
    })

    it('returns more events than one page', async () => {
      await fixture.store.append('a', 0, numbered(1, 2_500), { durability: 'normal' })
      const expected = Array.from({ length: 2_500 }, (_, index) => index + 1)
      expect(numbersOf(await fixture.store.readStream('a'))).toEqual(expected)
      expect(numbersOf(await fixture.store.readAll({ after: 0, limit: 2_400 }))).toEqual(expected.slice(0, 2_400))
    })

    it('returns the same log and id for every connection', async () => {
      const other = await fixture.connect()
      await fixture.store.append('a', 0, numbered(1, 2))
      await other.append('a', 2, numbered(3, 3))
      expect(await other.readAll({ after: 0, limit: 9 })).toEqual(await fixture.store.readAll({ after: 0, limit: 9 }))
      expect(other.id).toBe(fixture.store.id)
    })
  })

  describe('a snapshot', () => {
    it('is kept under its key until it is replaced or deleted', async () => {
      expect(await fixture.store.loadSnapshot('a')).toBeNull()
      await fixture.store.saveSnapshot('a', { version: 1, state: { n: 1 } })
      await fixture.store.saveSnapshot('a', { version: 2, state: null })
      await fixture.store.saveSnapshot('b', { version: 3, state: [1, 'x'] })
      expect(await fixture.store.loadSnapshot('a')).toEqual({ version: 2, state: null })
      await fixture.store.deleteSnapshot('a')
      expect(await fixture.store.loadSnapshot('a')).toBeNull()
      expect(await fixture.store.loadSnapshot('b')).toEqual({ version: 3, state: [1, 'x'] })
    })

    it('is rejected if it is not JSON', async () => {
      const saved = fixture.store.saveSnapshot('a', { version: 1, state: undefined })
      await expect(saved).rejects.toThrow(expect.objectContaining({ code: 'E_INPUT' }))
    })
  })
}
