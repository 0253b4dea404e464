import { describe, expect, it } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { StoreFixture } from './conformance.js'
import { event, numbered, numbersOf } from './conformance.js'

const code = (value: string) => expect.objectContaining({ code: value })

export function describeAppending(fixture: StoreFixture): void {
  describe('a store that appends events', () => {
    it('numbers a stream from 1 and the log in order', async () => {
      const first = await fixture.store.append('a', 0, numbered(1, 2))
      const second = await fixture.store.append('b', 0, numbered(3, 3))
      expect(first).toMatchObject({ stream: 'a', version: 2 })
      expect(second).toMatchObject({ stream: 'b', version: 1 })
      expect(second.position).toBeGreaterThan(first.position)
      expect(await fixture.store.head()).toBe(second.position)
    })

    it('returns the version for an empty append', async () => {
      const { position } = await fixture.store.append('a', 0, numbered(1, 1))
      expect(await fixture.store.append('a', 1, [])).toEqual({ stream: 'a', version: 1, position })
      await expect(fixture.store.append('a', 5, [])).rejects.toThrow(code('E_VERSION'))
    })

    it('advances several streams together or none of them', async () => {
      await fixture.store.append('b', 0, numbered(1, 1))
      const broken = [
        { stream: 'a', expected: 0, events: numbered(2, 2) },
        { stream: 'b', expected: 0, events: numbered(3, 3) },
      ]
      await expect(fixture.store.appendAll(broken)).rejects.toThrow(code('E_VERSION'))
      expect(await fixture.store.streamVersion('a')).toBe(0)

      const right = [
        { stream: 'a', expected: 0, events: numbered(2, 3) },
        { stream: 'b', expected: 1, events: numbered(4, 4) },
        { stream: 'a', expected: 2, events: numbered(5, 5) },
      ]
      const results = await fixture.store.appendAll(right, { durability: 'normal' })
      expect(results.map(result => [result.stream, result.version])).toEqual([
        ['a', 2],
        ['b', 2],
        ['a', 3],
      ])
      expect(numbersOf(await fixture.store.readAll({ after: 0, limit: 10 }))).toEqual([1, 2, 3, 4, 5])
    })

    it('stamps events with its clock unless they have a time', async () => {
      const store = await fixture.connect({ clock: new SimulatedClock(1_700_000_000_000) })
      // For a shared store, it is the store's clock, not that of this machine.
      const time = store.clock.now()
      expect(time === 1_700_000_000_000).toBe(!store.isShared)
      await store.append('a', 0, [event('test.now'), { type: 'test.then', data: {}, at: 42 }])
      expect((await store.readStream('a')).map(stored => stored.at)).toEqual([time, 42])
    })

    it('rejects invalid events, streams and versions', async () => {
      const cyclic: Record<string, unknown> = {}
      cyclic.self = cyclic
      const list = [] as unknown as Record<string, unknown>
      const wrong = [
        fixture.store.append('', 0, numbered(1, 1)),
        fixture.store.append('a\0b', 0, numbered(1, 1)),
        fixture.store.append('a', -1, numbered(1, 1)),
        fixture.store.append('a', 0.5, numbered(1, 1)),
        fixture.store.append('a', 0, [event('')]),
        fixture.store.append('a', 0, [event('test.list', list)]),
        fixture.store.append('a', 0, [event('test.cyclic', cyclic)]),
        fixture.store.append('a', 0, [{ type: 'test.late', data: {}, at: Number.NaN }]),
      ]
      for (const append of wrong) await expect(append).rejects.toThrow(code('E_INPUT'))
      expect(await fixture.store.head()).toBe(0)
    })

    it('calls the validator before anything is written', async () => {
      const store = await fixture.connect({
        validate: type => {
          if (type === 'test.bad') throw new SignalboxError('E_EVENT', 'bad')
        },
      })
      await expect(store.append('a', 0, [event('test.good'), event('test.bad')])).rejects.toThrow(code('E_EVENT'))
      expect(await store.head()).toBe(0)
    })

    it('rejects every call after it was closed', async () => {
      const store = await fixture.connect()
      await store.close()
      await store.close()
      await expect(store.append('a', 0, numbered(1, 1))).rejects.toThrow(code('E_STORE_CLOSED'))
      await expect(store.head()).rejects.toThrow(code('E_STORE_CLOSED'))
      expect(() => store.subscribe({ after: 0 }, () => undefined)).toThrow(code('E_STORE_CLOSED'))
    })
  })
}
