import { describe, expect, test } from 'vitest'
import { event, type StoreFixture } from './conformance.js'

const CHAINED = { chained: ['ledger/'] }

export function describeChain(fixture: StoreFixture): void {
  describe('a chained stream', () => {
    const chains = async () =>
      (await fixture.store.readAll({ after: 0, limit: 1000 }))
        .filter(stored => stored.stream.startsWith('ledger/'))
        .map(stored => stored.data.chain as string)

    test('gives each event its own value, and no value to events of other streams', async () => {
      const store = await fixture.connect(CHAINED)
      await store.append('ledger/a', 0, [event('test.a', { n: 1 }), event('test.a', { n: 1 })])
      await store.appendAll([
        { stream: 'ledger/b', expected: 0, events: [event('test.a', {})] },
        { stream: 'other', expected: 0, events: [event('test.a', {})] },
      ])
      const values = await chains()
      expect(new Set(values).size).toBe(3)
      for (const value of values) expect(value).toMatch(/^[0-9a-f]{64}$/)
      expect((await store.readStream('other'))[0]!.data).toEqual({})
      expect(await store.checkChain()).toEqual([])
    })

    test('is one chain for all connections and processes, including those that did not declare it', async () => {
      const store = await fixture.connect(CHAINED)
      const other = await fixture.connect(CHAINED)
      await store.append('ledger/a', 'any', [event('test.a', { n: 0 })])
      for (let round = 0; round < 10; round++) {
        await Promise.all(
          [store, other, fixture.store].map((each, index) =>
            each.append(`ledger/${index}`, 'any', [event('test.a', { round, '2': 1, b: [1.5, 'ä'] })]),
          ),
        )
      }
      await fixture.appendElsewhere('ledger/elsewhere', [event('test.a', { far: true })])
      expect(new Set(await chains()).size).toBe(32)
      expect(await other.checkChain()).toEqual([])
    })

    test('is not advanced by an append that fails', async () => {
      const store = await fixture.connect(CHAINED)
      await store.append('ledger/a', 0, [event('test.a')])
      await expect(store.append('ledger/a', 0, [event('test.a')])).rejects.toMatchObject({ code: 'E_VERSION' })
      await expect(store.append('ledger/a', 1, [event('test.a', { bad: '\ud800' })])).rejects.toMatchObject({
        code: 'E_CANONICAL',
      })
      await store.append('ledger/a', 1, [event('test.a')])
      expect(await store.checkChain()).toEqual([])
    })

    test('accepts events from before the chain started', async () => {
      await fixture.store.append('ledger/a', 0, [event('test.a')])
      const store = await fixture.connect(CHAINED)
      await store.append('ledger/a', 1, [event('test.a')])
      expect(await store.checkChain()).toEqual([])
    })
  })
}
