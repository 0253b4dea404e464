import { describe, expect, it } from 'vitest'
import type { Bench } from './conformance.js'
import { event, numbered, numbersOf } from './conformance.js'

export function describeReading(bench: Bench): void {
  describe('reading', () => {
    it('has nothing to read in the beginning', async () => {
      expect(await bench.store.head()).toBe(0)
      expect(await bench.store.readAll({ after: 0, limit: 10 })).toEqual([])
      expect(await bench.store.readStream('a')).toEqual([])
      expect(await bench.store.check()).toEqual([])
      expect(bench.store.id).toMatch(/^[0-9a-f]{8}$/)
    })

    it('reads a stream from a version, up to a limit', async () => {
      await bench.store.append('a', 0, numbered(1, 5))
      await bench.store.append('ab', 0, numbered(6, 6))
      expect(numbersOf(await bench.store.readStream('a', { fromVersion: 2 }))).toEqual([2, 3, 4, 5])
      expect(numbersOf(await bench.store.readStream('a', { fromVersion: 2, limit: 2 }))).toEqual([2, 3])
      expect(await bench.store.readStream('a', { fromVersion: 6 })).toEqual([])
      expect(await bench.store.readStream('a', { limit: 0 })).toEqual([])
    })

    it('reads the log after a position, up to a limit, of some types', async () => {
      for (const n of [1, 2, 3, 4, 5, 6]) {
        await bench.store.append(`s${n % 2}`, 'any', [event(n % 3 === 0 ? 'test.third' : 'test.other', { n })])
      }
      const all = await bench.store.readAll({ after: 0, limit: 100 })
      expect(numbersOf(all)).toEqual([1, 2, 3, 4, 5, 6])
      const after = all[1]!.position
      expect(numbersOf(await bench.store.readAll({ after, limit: 2 }))).toEqual([3, 4])
      expect(numbersOf(await bench.store.readAll({ after: 0, limit: 9, types: ['test.third'] }))).toEqual([3, 6])
      expect(numbersOf(await bench.store.readAll({ after, limit: 1, types: ['test.third', 'test.none'] }))).toEqual([3])
      expect(await bench.store.readAll({ after: 0, limit: 9, types: [] })).toEqual([])
      expect(await bench.store.readAll({ after: await bench.store.head(), limit: 9 })).toEqual([])
    })

    it('reads more events than it holds in one page', async () => {
      await bench.store.append('a', 0, numbered(1, 2_500), { durability: 'normal' })
      const expected = Array.from({ length: 2_500 }, (_, index) => index + 1)
      expect(numbersOf(await bench.store.readStream('a'))).toEqual(expected)
      expect(numbersOf(await bench.store.readAll({ after: 0, limit: 2_400 }))).toEqual(expected.slice(0, 2_400))
    })

    it('shows every connection the same log and the same id', async () => {
      const other = await bench.connect()
      await bench.store.append('a', 0, numbered(1, 2))
      await other.append('a', 2, numbered(3, 3))
      expect(await other.readAll({ after: 0, limit: 9 })).toEqual(await bench.store.readAll({ after: 0, limit: 9 }))
      expect(other.id).toBe(bench.store.id)
    })
  })

  describe('snapshots', () => {
    it('keeps the last one under a key until it is deleted', async () => {
      expect(await bench.store.loadSnapshot('a')).toBeNull()
      await bench.store.saveSnapshot('a', { version: 1, state: { n: 1 } })
      await bench.store.saveSnapshot('a', { version: 2, state: null })
      await bench.store.saveSnapshot('b', { version: 3, state: [1, 'x'] })
      expect(await bench.store.loadSnapshot('a')).toEqual({ version: 2, state: null })
      await bench.store.deleteSnapshot('a')
      expect(await bench.store.loadSnapshot('a')).toBeNull()
      expect(await bench.store.loadSnapshot('b')).toEqual({ version: 3, state: [1, 'x'] })
    })

    it('refuses a state that is not JSON', async () => {
      const saved = bench.store.saveSnapshot('a', { version: 1, state: undefined })
      await expect(saved).rejects.toThrow(expect.objectContaining({ code: 'E_INPUT' }))
    })
  })
}
