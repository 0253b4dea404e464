import { describe, expect, it } from 'vitest'
import type { DocumentFilter, ProjectedEvent, Projection, Scalar } from '../event-store.js'
import type { StoreFixture } from './conformance.js'
import { event, numbered } from './conformance.js'

interface Tally {
  count: number
  last: unknown
}

/** Counts events per stream; removes the document at `test.forgotten`; fails at `test.poison`. */
function tally(version = 1, step = 1): Projection {
  return {
    name: 'tally',
    version,
    types: ['test.counted', 'test.forgotten', 'test.poison'],
    key: (stored: ProjectedEvent) => (stored.data.ignored ? null : stored.stream),
    evolve: (state, stored) => {
      if (stored.type === 'test.poison') throw new Error('cannot fold this')
      if (stored.type === 'test.forgotten') return null
      const before = state as Tally | null
      return { count: (before?.count ?? 0) + step, last: stored.data.n } satisfies Tally
    },
  }
}

const INDEXED = {
  a: { status: 'open', parent: 'p', isDone: false, due: 5 },
  b: { status: 'shut', parent: null, isDone: false, due: -1 },
  c: { status: 'ü"\0', parent: 'p', isDone: true, due: 7.5 },
  d: { status: 'open', parent: null, isDone: false, due: null },
}

/** The document is the data of the newest event, and all of it is indexed. */
function indexed(version = 1): Projection {
  return {
    name: 'indexed',
    version,
    types: ['test.set', 'test.removed'],
    key: ({ stream }) => stream,
    evolve: (_, { type, data }) => (type === 'test.set' ? data : null),
    index: state => state as Record<string, Scalar>,
  }
}

export function describeDocuments(fixture: StoreFixture): void {
  describe('a document', () => {
    it('includes an event when its append returns, for every connection', async () => {
      const store = await fixture.connect({ projections: [tally()] })
      await store.append('a', 0, numbered(1, 3))
      const { position } = await store.append('a', 3, [...numbered(4, 4), event('test.other')])
      expect(await store.document('tally', 'a')).toEqual({
        key: 'a',
        state: { count: 4, last: 4 },
        position: position - 1,
      })
      expect(await fixture.store.document('tally', 'a')).toMatchObject({ state: { count: 4 } })
      expect(await store.document('tally', 'b')).toBeNull()
      expect(await store.document('nothing', 'a')).toBeNull()
    })

    it('is current for every reader, even if an append postponed saving it', async () => {
      const [store, other] = [
        await fixture.connect({ projections: [tally()] }),
        await fixture.connect({ projections: [tally()] }),
      ]
      const count = async (of: typeof store) => (await of.document<Tally>('tally', 'a'))?.state.count ?? 0
      const later = { documents: 'later' } as const
      await store.append('a', 0, numbered(1, 1))
      for (let n = 2; n <= 5; n++) await store.append('a', n - 1, numbered(n, n), later)
      expect(await count(other)).toBe(5)
      await store.append('a', 5, numbered(6, 6), later)
      expect(await count(store)).toBe(6)
      // An append by another connection in between, and one that failed: neither is lost, and
      // neither counts twice.
      await store.append('a', 6, numbered(7, 7), later)
      await other.append('a', 7, numbered(8, 8), later)
      await expect(store.append('a', 3, numbered(4, 4), later)).rejects.toThrow()
      await store.append('a', 8, numbered(9, 9), later)
      await other.append('b', 0, numbered(1, 1))
      await store.append('a', 9, numbered(10, 10))
      expect([await count(store), await count(other)]).toEqual([10, 10])
      for (let n = 11; n <= 200; n++) await store.append('a', n - 1, numbered(n, n), later)
      expect([await count(other), await count(store)]).toEqual([200, 200])
    })

    it('is unchanged when the append fails', async () => {
      const store = await fixture.connect({ projections: [tally()] })
      await store.append('a', 0, numbered(1, 1))
      const broken = [
        { stream: 'a', expected: 1, events: numbered(2, 2) },
        { stream: 'b', expected: 7, events: numbered(3, 3) },
      ]
      await expect(store.appendAll(broken)).rejects.toThrow()
      expect(await store.document('tally', 'a')).toMatchObject({ state: { count: 1, last: 1 } })
    })

    it('can be removed; events without a key are ignored', async () => {
      const store = await fixture.connect({ projections: [tally()] })
      await store.append('a', 0, [...numbered(1, 2), event('test.counted', { ignored: true })])
      expect(await store.document('tally', 'a')).toMatchObject({ state: { count: 2 } })
      await store.append('a', 3, [event('test.forgotten')])
      expect(await store.document('tally', 'a')).toBeNull()
      await store.append('a', 4, numbered(9, 9))
      expect(await store.document('tally', 'a')).toMatchObject({ state: { count: 1, last: 9 } })
    })

    it('is listed most recently changed first, by prefix, page by page', async () => {
      const store = await fixture.connect({ projections: [tally()] })
      for (const stream of ['x/1', 'x/2', 'y/1', 'x/3', 'x%']) await store.append(stream, 0, numbered(1, 1))
      await store.append('x/1', 1, numbered(2, 2))
      const keys = async (options: Parameters<typeof store.documents>[1]) =>
        (await store.documents('tally', options)).map(document => document.key)
      expect(await keys({})).toEqual(['x/1', 'x%', 'x/3', 'y/1', 'x/2'])
      expect(await keys({ prefix: 'x/' })).toEqual(['x/1', 'x/3', 'x/2'])
      expect(await keys({ prefix: 'x%' })).toEqual(['x%'])
      const page = await store.documents('tally', { prefix: 'x/', limit: 2 })
      expect(await keys({ prefix: 'x/', before: page.at(-1)!.position })).toEqual(['x/2'])
    })

    it('is found by the fields that its projection indexes, and by their newest values', async () => {
      const store = await fixture.connect({ projections: [indexed()] })
      for (const [key, data] of Object.entries(INDEXED)) await store.append(key, 0, [event('test.set', data)])
      const keys = async (where: DocumentFilter['where'], of = store) =>
        (await of.documents('indexed', { where: where! })).map(document => document.key)
      expect(await keys({ status: 'open' })).toEqual(['d', 'a'])
      expect(await keys({ status: ['open', 'shut'] })).toEqual(['d', 'b', 'a'])
      expect(await keys({ status: [] })).toEqual([])
      expect(await keys({ parent: null })).toEqual(['d', 'b'])
      expect(await keys({ status: 'open', parent: 'p' })).toEqual(['a'])
      expect(await keys({ isDone: true })).toEqual(['c'])
      expect(await keys({ due: { atMost: 5 } })).toEqual(['b', 'a'])
      expect(await keys({ due: 7.5 })).toEqual(['c'])
      expect(await keys({ status: 'true' })).toEqual([])
      expect(await keys({ unknown: 1 })).toEqual([])
      await store.append('a', 1, [event('test.set', { ...INDEXED.a, status: 'shut' })])
      await store.append('d', 1, [event('test.removed')])
      for (const of of [store, fixture.store, await fixture.connect({ projections: [indexed(2)] })]) {
        expect(await keys({ status: 'open' }, of)).toEqual([])
        expect(await keys({ status: 'shut' }, of)).toEqual(['a', 'b'])
      }
      expect(await store.documents('indexed', { where: { status: 'shut' }, limit: 1 })).toMatchObject([{ key: 'a' }])
    })

    it('is in every list as its newest change left it, whichever connection changed or removed it', async () => {
      const connect = (version = 1) => fixture.connect({ projections: [tally(version, version)] })
      const [store, other] = [await connect(), await connect()]
      const listed = async (from = store) =>
        (await from.documents<Tally>('tally', { isReadOnly: true })).map(({ key, state }) => `${key} ${state.count}`)
      await store.append('a', 0, numbered(1, 1))
      await other.append('b', 0, numbered(1, 2))
      expect(await listed()).toEqual(['b 2', 'a 1'])
      await other.append('a', 1, numbered(2, 3))
      expect(await listed()).toEqual(['a 3', 'b 2'])
      // One is removed and another one added: as many as before.
      await other.append('b', 2, [event('test.forgotten')])
      await other.append('c', 0, numbered(1, 1), { documents: 'later' })
      expect(await listed()).toEqual(['c 1', 'a 3'])
      await store.append('c', 1, [event('test.forgotten')])
      expect(await listed()).toEqual(['a 3'])
      expect(await listed(other)).toEqual(['a 3'])
      expect(await listed(await connect(2))).toEqual(['a 6'])
      // Where several servers share a store, an older one keeps the lists of its own version.
      expect(await listed()).toEqual([store.isShared ? 'a 3' : 'a 6'])
    })

    it('is a failure if it indexes more than 6 fields, or values that are not scalars', async () => {
      const store = await fixture.connect({ projections: [indexed()] })
      const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`f${index}`, index]))
      await store.append('a', 0, [event('test.set', many)])
      await store.append('b', 0, [event('test.set', { list: [1] })])
      expect(await store.documents('indexed')).toEqual([])
      expect(await store.check()).toEqual([
        expect.objectContaining({ message: expect.stringMatching(/indexed.* 2 events/) }),
      ])
    })

    it('skips an event that cannot be folded, reports it in check(), and continues', async () => {
      const store = await fixture.connect({ projections: [tally()] })
      expect(await store.append('a', 0, [...numbered(1, 1), event('test.poison'), ...numbered(2, 2)])).toMatchObject({
        version: 3,
      })
      expect(await store.document('tally', 'a')).toMatchObject({ state: { count: 2, last: 2 } })
      expect(await store.check()).toEqual([
        expect.objectContaining({ message: expect.stringMatching(/tally.* 1 event/) }),
      ])
    })

    it('counts invalid keys and states as failures, too', async () => {
      const odd: Projection = {
        name: 'odd',
        version: 1,
        types: ['test.counted'],
        key: stored => (stored.data.n === 1 ? (7 as unknown as string) : 'k'),
        evolve: (_state, stored) => (stored.data.n === 2 ? undefined : { big: stored.data.n === 3 ? 1n : 1 }),
      }
      const store = await fixture.connect({ projections: [odd] })
      for (const n of [1, 2, 3, 4]) await store.append('a', 'any', numbered(n, n))
      expect(await store.document('odd', 'k')).toMatchObject({ state: { big: 1 } })
      expect(await store.check()).toEqual([
        expect.objectContaining({ message: expect.stringMatching(/odd.* 3 events/) }),
      ])
    })

    it('is built from a log that is older than the projection', async () => {
      await fixture.store.append('a', 0, numbered(1, 1_200), { durability: 'normal' })
      const store = await fixture.connect({ projections: [tally()] })
      expect(await store.document('tally', 'a')).toMatchObject({ state: { count: 1_200, last: 1_200 } })
    })

    it('is rebuilt only when the version of the projection grows', async () => {
      const first = await fixture.connect({ projections: [tally(1, 1)] })
      await first.append('a', 0, numbered(1, 3))
      const same = await fixture.connect({ projections: [tally(1, 100)] })
      expect(await same.document('tally', 'a')).toMatchObject({ state: { count: 3 } })
      const newer = await fixture.connect({ projections: [tally(2, 10)] })
      expect(await newer.document('tally', 'a')).toMatchObject({ state: { count: 30 } })
    })

    it('is not folded by an older program after a newer one has rebuilt it', async () => {
      const older = await fixture.connect({ projections: [tally(1, 1)] })
      await older.append('a', 0, numbered(1, 1))
      const newer = await fixture.connect({ projections: [tally(2, 10)] })
      await older.append('a', 1, numbered(2, 2))
      expect(await newer.document('tally', 'a')).toMatchObject({ state: { count: 20 } })
      expect(await older.check()).toEqual([])
    })

    it('catches up on appends of a program without the projection', async () => {
      const store = await fixture.connect({ projections: [tally()] })
      await store.append('a', 0, numbered(1, 1))
      await fixture.store.append('a', 1, numbered(2, 3))
      expect(await store.document('tally', 'a')).toMatchObject({ state: { count: 3, last: 3 } })
      await fixture.store.append('a', 3, numbered(4, 4))
      await store.append('a', 4, numbered(5, 5))
      expect(await fixture.store.document('tally', 'a')).toMatchObject({ state: { count: 5, last: 5 } })
    })
  })
}
