import { describe, expect, it } from 'vitest'
import type { EventStore } from '../event-store.js'
import { event, numbered, numbersOf } from './conformance.js'

const code = (value: string) => expect.objectContaining({ code: value })

/** What the tests of streams need. */
export interface StreamFixture {
  readonly store: EventStore
  connect(): Promise<EventStore>
}

/** The part of the contract that a worker's store offers, too: single streams. */
export function describeStreams(fixture: StreamFixture): void {
  describe('streams of a store', () => {
    it('reject a wrong expected version and write nothing', async () => {
      await fixture.store.append('a', 0, numbered(1, 2))
      for (const wrong of [0, 1, 3]) {
        await expect(fixture.store.append('a', wrong, numbered(9, 9))).rejects.toThrow(code('E_VERSION'))
      }
      await expect(fixture.store.append('new', 1, numbered(9, 9))).rejects.toMatchObject({
        details: { expected: 1, actual: 0 },
      })
      expect(numbersOf(await fixture.store.readStream('a'))).toEqual([1, 2])
      expect(await fixture.store.streamVersion('new')).toBe(0)
    })

    it("accept an append at any version with 'any'", async () => {
      await fixture.store.append('a', 'any', numbered(1, 1))
      expect(await fixture.store.append('a', 'any', numbered(2, 3))).toMatchObject({ version: 3 })
    })

    it('keep the order of calls that are not awaited', async () => {
      await Promise.all(
        numbered(1, 50).map((one, index) =>
          fixture.store.append('a', 'any', [one], { durability: index % 2 === 0 ? 'full' : 'normal' }),
        ),
      )
      expect(numbersOf(await fixture.store.readStream('a'))).toEqual(
        Array.from({ length: 50 }, (_, index) => index + 1),
      )
    })

    it('return any JSON unchanged, including hidden and foreign characters', async () => {
      const data = {
        text: 'ä🚀\u202e\0\n"',
        list: [1, null, { deep: [true] }],
        float: 0.1,
        big: 2 ** 53 - 1,
        '': 'empty key',
      }
      await fixture.store.append('päth/🚀', 0, [event('test.text', data)])
      const [stored] = await fixture.store.readStream('päth/🚀')
      expect(stored).toMatchObject({ stream: 'päth/🚀', version: 1, type: 'test.text', data })
    })

    it('contain the data at the time of the append', async () => {
      const data = { list: [1] }
      const appended = fixture.store.append('a', 0, [event('test.text', data)])
      data.list.push(2)
      await appended
      expect((await fixture.store.readStream('a'))[0]?.data).toEqual({ list: [1] })
    })

    it('reject data beyond 256 KiB and write nothing of that append', async () => {
      const fits = event('test.large', { text: 'x'.repeat(256 * 1024 - 11) })
      const tooLarge = event('test.large', { text: 'x'.repeat(256 * 1024 - 10) })
      await expect(fixture.store.append('a', 0, [event('test.small'), tooLarge])).rejects.toThrow(code('E_TOO_LARGE'))
      expect(await fixture.store.streamVersion('a')).toBe(0)
      expect(await fixture.store.append('a', 0, [fits])).toMatchObject({ version: 1 })
    })

    it('let exactly one of two connections win a version', async () => {
      const other = await fixture.connect()
      for (let version = 0; version < 20; version += 1) {
        const tries = await Promise.allSettled(
          [fixture.store, other].map(store => store.append('a', version, [event('test.raced')])),
        )
        expect(tries.map(result => result.status).sort()).toEqual(['fulfilled', 'rejected'])
      }
      expect(await other.streamVersion('a')).toBe(20)
    })

    it('are read from a version, up to a limit', async () => {
      await fixture.store.append('a', 0, numbered(1, 5))
      await fixture.store.append('ab', 0, numbered(6, 6))
      expect(numbersOf(await fixture.store.readStream('a', { fromVersion: 2 }))).toEqual([2, 3, 4, 5])
      expect(numbersOf(await fixture.store.readStream('a', { fromVersion: 2, limit: 2 }))).toEqual([2, 3])
      expect(await fixture.store.readStream('a', { fromVersion: 6 })).toEqual([])
      expect(await fixture.store.readStream('a', { limit: 0 })).toEqual([])
    })
  })
}
