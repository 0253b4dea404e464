import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../clock/index.js'
import { sessionsProjection } from '../../sessions/index.js'
import type { EventStore, NewEvent, Projection, StoredEvent } from '../../store/index.js'
import { describeStreams } from '../../store/testing/conformance-streams.js'
import { openTestStore } from '../../store/testing/open-test-store.js'
import { PendingCalls } from '../../workers/calls.js'
import { answerCall } from '../../workers/index.js'
import { SessionRights } from '../remote/session-rights.js'
import { remoteStore } from './remote-store.js'

const WORKER = 'wrk_own'
const STREAMS = ['a', 'ab', 'new', 'päth/🚀']

/** Sessions of a worker whose streams are empty, as the tests of every store want them. */
const ownership: Projection = {
  name: sessionsProjection.name,
  version: 1,
  types: ['test.owned'],
  key: ({ data }) => String(data.session),
  evolve: () => ({ worker: WORKER }),
  index: () => ({ worker: WORKER }),
}

const sessionOf = (stream: string) => `ses_${Buffer.from(stream).toString('hex')}`
const named = <T extends { type: string }>(event: T, from: string, to: string): T => ({
  ...event,
  type: event.type.replace(from, to),
})

/** The store of a worker, with the names of streams and events that the tests of stores use. */
function renamed(remote: EventStore): EventStore {
  const known: Partial<EventStore> = {
    append: (stream, expected, events) =>
      remote.append(
        `session/${sessionOf(stream)}`,
        expected,
        events.map(event => named(event, 'test.', 'message.')),
      ),
    readStream: async (stream, options) =>
      (await remote.readStream(`session/${sessionOf(stream)}`, options)).map(event => ({
        ...named(event, 'message.', 'test.'),
        stream,
      })),
    streamVersion: stream => remote.streamVersion(`session/${sessionOf(stream)}`),
  }
  return { ...known } as EventStore
}

type Fate = 'pass' | 'lose request' | 'lose answer'

/** A connection to servers that can break: calls without an answer are sent again, as links do. */
class BreakableLink {
  fate: () => Fate = () => 'pass'
  breaks = 0
  readonly #calls = new PendingCalls()
  readonly #rights: () => SessionRights

  constructor(rights: () => SessionRights) {
    this.#rights = rights
  }

  call(method: string, params: Record<string, unknown>): Promise<unknown> {
    const { id, answer } = this.#calls.add(method, params)
    this.#send(JSON.stringify({ id, method, params }))
    return answer
  }

  #send(message: string): void {
    const fate = this.fate()
    if (fate === 'lose request') return this.#break()
    const { id, method, params, again } = JSON.parse(message)
    const { signal } = new AbortController()
    const call = { method, params, isAgain: again === true, signal }
    void answerCall(id, () => this.#rights().answer(WORKER, call)).then(answer => {
      if (fate === 'lose answer') this.#break()
      else this.#calls.answered(JSON.parse(JSON.stringify(answer)))
    })
  }

  #break(): void {
    this.breaks += 1
    setImmediate(() => {
      for (const message of [...this.#calls.messages()]) this.#send(JSON.stringify(message))
    })
  }
}

describe("a worker's store", () => {
  let directory: string
  let store: EventStore
  let servers: SessionRights[]

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'signalbox-remote-store-'))
    const path = join(directory, 'store.db')
    store = await openTestStore({ path, clock: systemClock, projections: [ownership] })
    const owned = STREAMS.map(stream => ({ type: 'test.owned', data: { session: sessionOf(stream) } }))
    await store.append('owners', 0, owned)
    servers = [rightsOn(store), rightsOn(store)]
  })
  afterEach(async () => {
    await store.close()
    rmSync(directory, { recursive: true })
  })

  /** Any server may answer. */
  const rightsOn = (at: EventStore) => {
    const unused = new Proxy({}, { get: () => undefined }) as never
    const isStarting = () => false
    return new SessionRights({
      store: at,
      clock: systemClock,
      ledger: unused,
      records: unused,
      blobs: unused,
      isStarting,
    })
  }
  const link = () => {
    let calls = 0
    return new BreakableLink(() => servers[calls++ % servers.length]!)
  }
  const stream = `session/${sessionOf('a')}`
  const counted = (n: number): NewEvent => ({ type: 'message.counted', data: { n } })
  const numbersOf = (events: readonly StoredEvent[]) => events.map(({ data }) => data.n)

  describeStreams({
    get store() {
      return renamed(remoteStore(link(), systemClock))
    },
    connect: async () => renamed(remoteStore(link(), systemClock)),
  })

  test('offers its own sessions and the time, and refuses every other call', async () => {
    const remote = remoteStore(link(), systemClock)
    expect(Math.abs((await remote.now()) - (await store.now()))).toBeLessThan(60_000)
    const documents = await remote.documents<object>(sessionsProjection.name)
    expect(documents.map(({ key }) => key).sort()).toEqual(STREAMS.map(sessionOf).sort())
    expect(await remote.document(sessionsProjection.name, sessionOf('a'))).toMatchObject({ state: { worker: WORKER } })
    const calls: (keyof EventStore)[] = [
      'appendAll',
      'readAll',
      'head',
      'saveSnapshot',
      'loadSnapshot',
      'replaceSnapshot',
      'acquireLease',
      'renewLease',
      'leaseHolders',
      'check',
      'checkChain',
    ]
    for (const name of calls)
      await expect((remote[name] as () => Promise<unknown>)(), name).rejects.toMatchObject({ code: 'E_ROLE' })
  })

  test('writes each of 200 appends once and in order over a connection that breaks before and after them', async () => {
    const breaking = link()
    const remote = remoteStore(breaking, systemClock)
    await remote.append(stream, 0, [counted(0)])
    let messages = 0
    breaking.fate = () => {
      messages += 1
      return messages % 5 === 0 ? 'lose answer' : messages % 7 === 2 ? 'lose request' : 'pass'
    }
    // Every fourth is the same as the one before it.
    const wanted = Array.from({ length: 200 }, (_, index) => index + 1 - (index % 4 === 3 ? 1 : 0))
    await Promise.all(wanted.map(n => remote.append(stream, 'any', [counted(n)])))
    expect(breaking.breaks).toBeGreaterThan(20)
    expect(numbersOf(await store.readStream(stream, { fromVersion: 2 }))).toEqual(wanted)
  })

  test('writes an append once if the server performs it late, after a later one', async () => {
    let release: () => void = () => undefined
    const isReached = new Promise<void>(reached => {
      const held = new Promise<void>(resolve => {
        release = resolve
      })
      // Its connection to the database is cut for a while.
      const slow = new Proxy(store, {
        get(target, key) {
          const value = Reflect.get(target, key, target) as unknown
          if (key !== 'append') return typeof value === 'function' ? value.bind(target) : value
          return async (...args: Parameters<EventStore['append']>) => {
            reached()
            await held
            return target.append(...args)
          }
        },
      })
      servers = [rightsOn(slow), rightsOn(store)]
    })
    await store.append(stream, 0, [counted(0)])
    const call = { method: 'store.append', params: { stream, expected: 'any', events: [counted(1)], after: 1 } }
    const { signal } = new AbortController()
    const first = servers[0]!.answer(WORKER, { ...call, isAgain: false, signal })
    await isReached
    const second = await servers[1]!.answer(WORKER, { ...call, isAgain: true, signal })
    release()
    expect(await first).toEqual(second)
    expect(numbersOf(await store.readStream(stream))).toEqual([0, 1])
  })
})
