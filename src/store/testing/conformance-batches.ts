import { describe, expect, it } from 'vitest'
import { SignalboxError } from '../../errors/index.js'
import type { EventStore, Fence, NewEvent, Projection, Scalar, StreamAppend } from '../event-store.js'
import { event, type StoreFixture } from './conformance.js'

const CALLS = 80
const STREAMS = ['a', 'b', 'c', 'ledger/a', 'ledger/b']

/** Counts and indexes by stream; removes its document at `test.removed`; cannot fold `test.bad`. */
const counts: Projection = {
  name: 'counts',
  version: 1,
  types: ['test.set', 'test.removed', 'test.bad'],
  key: ({ stream }) => stream,
  evolve: (state, { type, data }) => {
    if (type === 'test.bad') throw new Error('cannot fold this')
    if (type === 'test.removed') return null
    return { count: ((state as { count: number } | null)?.count ?? 0) + 1, kind: data.kind }
  },
  index: state => ({ kind: (state as { kind: Scalar }).kind }),
}

const isBad = ({ type }: NewEvent) => type === 'test.bad'

interface Call {
  appends: StreamAppend[]
  fence: 'valid' | 'outdated' | 'none'
  notAfter: number | undefined
}

/** Calls of all kinds, the same for the same seed: most are accepted, some are rejected. */
function calls(seed: number, count: number): Call[] {
  let state = seed
  const pick = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  const events = (): NewEvent[] =>
    Array.from({ length: pick(4) }, () => {
      const type = ['test.set', 'test.set', 'test.set', 'test.removed', 'test.other', 'test.bad'][pick(6)]!
      return event(type, { n: pick(100), kind: ['x', 'y', null][pick(3)] })
    })
  const versions = new Map<string, number>()
  let rejected = 0
  return Array.from({ length: count }, () => {
    const isRejected = pick(8) === 0
    const appends = Array.from({ length: 1 + pick(2) }, (): StreamAppend => {
      const stream = STREAMS[pick(STREAMS.length)]!
      const expected = pick(2) === 0 ? 'any' : (versions.get(stream) ?? 0)
      const added = events()
      if (!isRejected) versions.set(stream, (versions.get(stream) ?? 0) + added.length)
      return { stream, expected, events: added }
    })
    // Only one conflict at a time, so that the versions above are right.
    const why = isRejected ? rejected++ % 3 : -1
    if (why === 0) appends[0] = { ...appends[0]!, expected: 1_000 }
    const fence = why === 1 ? 'outdated' : pick(3) === 0 ? 'valid' : 'none'
    return { appends, fence, notAfter: why === 2 ? 1 : undefined }
  })
}

/** What is compared of a store whose streams have this prefix. */
async function contents(store: EventStore, prefix: string) {
  const short = (stream: string) => stream.replace(prefix, '')
  const log = await store.readAll({ after: 0, limit: 10_000 })
  const documents = await store.documents('counts')
  const found = async (kind: Scalar) =>
    (await store.documents('counts', { where: { kind } })).map(({ key }) => key).filter(key => key.includes(prefix))
  return {
    events: log
      .filter(({ stream }) => stream.includes(prefix))
      .map(({ stream, version, type, data: { chain: _, ...data } }) => ({
        stream: short(stream),
        version,
        type,
        data,
      })),
    documents: documents
      .filter(({ key }) => key.includes(prefix))
      .map(({ key, state }) => ({ key: short(key), state }))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
    indexed: (await Promise.all(['x', 'y', null].map(found))).map(keys => keys.map(short)),
  }
}

export function describeBatches(fixture: StoreFixture): void {
  describe('many appends at once', () => {
    const options = { projections: [counts], chained: ['ledger/'] }
    const leases = async (store: EventStore): Promise<Record<Call['fence'], Fence | null>> => {
      const former = await store.acquireLease('batches', 'former', { ttlMs: 1 })
      await fixture.passTime(2)
      const valid = await store.acquireLease('batches', 'valid', { ttlMs: 600_000 })
      if (!former.isAcquired || !valid.isAcquired) throw new Error('the lease is held')
      return { valid, outdated: former, none: null }
    }
    const send = async (store: EventStore, prefix: string, call: Call, fences: Record<Call['fence'], Fence | null>) => {
      const appends = call.appends.map(each => ({ ...each, stream: each.stream.replace(/[^/]$/, `${prefix}$&`) }))
      const fence = fences[call.fence]
      const { notAfter } = call
      return store.appendAll(appends, { ...(fence && { fence }), ...(notAfter !== undefined && { notAfter }) }).then(
        results => results.map(({ version }) => version),
        error => (error instanceof SignalboxError ? error.code : String(error)),
      )
    }

    for (const seed of [1, 2, 3, 4])
      it(`have the results, events and documents of single appends (seed ${seed})`, async () => {
        const store = await fixture.connect(options)
        const fences = await leases(store)
        const all = calls(seed, CALLS)
        const single: unknown[] = []
        for (const call of all) single.push(await send(store, 'single-', call, fences))
        const other = await fixture.connect(options)
        const together = await Promise.all(all.map(call => send(other, 'batch-', call, fences)))
        expect(together).toEqual(single)
        expect(single).toEqual(expect.arrayContaining(['E_VERSION', 'E_FENCED', 'E_PRECONDITION']))
        expect(await contents(store, 'batch-')).toEqual(await contents(store, 'single-'))
        expect(await store.checkChain()).toEqual([])
        const positions = (await store.readAll({ after: 0, limit: 10_000 })).map(({ position }) => position)
        expect(positions).toEqual(positions.map((_, at) => at + 1))
      })

    it('are all accepted, or each by itself if one is rejected', async () => {
      const store = await fixture.connect(options)
      const accepted = calls(5, CALLS).filter(
        ({ fence, notAfter, appends }) =>
          fence !== 'outdated' && notAfter === undefined && appends.every(({ expected }) => expected !== 1_000),
      )
      const fences = await leases(store)
      await Promise.all(accepted.map(call => send(store, 'batch-', call, fences)))
      const bad = accepted.flatMap(({ appends }) => appends.flatMap(each => each.events)).filter(isBad).length
      expect(await store.check()).toEqual([
        expect.objectContaining({ message: expect.stringMatching(`counts.* ${bad} events`) }),
      ])
      const single: unknown[] = []
      for (const call of accepted) single.push(await send(store, 'single-', call, fences))
      expect(single.every(Array.isArray)).toBe(true)
      expect(await contents(store, 'batch-')).toEqual(await contents(store, 'single-'))
      expect(await store.checkChain()).toEqual([])
    })
  })
}
