import { describe, expect, test } from 'vitest'
import { event, type StoreFixture } from './conformance.js'

const HOUR = 3_600_000

/** The store has one clock for all its connections, whatever the clocks of their processes say. */
export function describeTime(fixture: StoreFixture): void {
  describe("the store's time", () => {
    test('moves forward for every connection', async () => {
      const other = await fixture.connect()
      const before = await fixture.store.now()
      expect(Number.isInteger(before)).toBe(true)
      await fixture.passTime(HOUR)
      for (const store of [fixture.store, other]) {
        const passed = (await store.now()) - before
        expect(passed).toBeGreaterThanOrEqual(HOUR)
        expect(passed).toBeLessThan(2 * HOUR)
      }
    })

    test('rejects an append whose deadline has passed, and writes nothing', async () => {
      const notAfter = (await fixture.store.now()) + HOUR
      await fixture.store.append('s', 0, [event('test.a')], { notAfter })
      await fixture.passTime(HOUR + 1)
      const late = fixture.store.append('s', 1, [event('test.a')], { notAfter })
      await expect(late).rejects.toMatchObject({ code: 'E_PRECONDITION' })
      expect(await fixture.store.streamVersion('s')).toBe(1)
      await fixture.store.append('s', 1, [event('test.a')])
    })
  })
}
