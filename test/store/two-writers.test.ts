import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock/index.js'
import { type EventStore, openStore, type StoredEvent } from '../../src/store/index.js'
import { Child } from './child-process.js'
import { tally } from './tally.js'

const SHARED = 1_000
const OWN = 4_000

describe('two processes that append 10 000 events at once', () => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-two-'))
  const path = join(directory, 'store.db')
  let store: EventStore
  let events: StoredEvent[]
  const received: number[] = []

  beforeAll(async () => {
    const writers = ['left', 'right'].map(
      name => new Child('two-writers.child.ts', [path, name, `${SHARED}`, `${OWN}`]),
    )
    await Promise.all(writers.map(writer => writer.line()))
    store = await openStore({ path, clock: systemClock, projections: [tally] })
    const subscription = store.subscribe({ after: 0 }, batch => received.push(...batch.map(event => event.position)))
    const finished = writers.map(writer => writer.finish())
    for (const writer of writers) writer.send('go')
    await Promise.all(finished)
    await subscription.poll()
    events = await store.readAll({ after: 0, limit: 100_000 })
  })

  afterAll(async () => {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  })

  it('lose and duplicate none', () => {
    expect(events).toHaveLength(2 * (SHARED + OWN))
    const written = events.map(
      event => `${event.stream.startsWith('own') ? 'own' : 'shared'} ${event.data.by} ${event.data.n}`,
    )
    expect(new Set(written).size).toBe(events.length)
  })

  it('keep the order of each writer in each stream, without a gap in the versions', () => {
    const lastVersion = new Map<string, number>()
    const lastNumber = new Map<string, number>()
    for (const { stream, version, data } of events) {
      expect(version).toBe((lastVersion.get(stream) ?? 0) + 1)
      lastVersion.set(stream, version)
      const writer = `${stream} ${data.by}`
      expect(Number(data.n)).toBeGreaterThan(lastNumber.get(writer) ?? -1)
      lastNumber.set(writer, Number(data.n))
    }
    expect(lastVersion.get('shared')).toBe(2 * SHARED)
  })

  it('are delivered to a third process in order, each event once', () => {
    expect(received).toEqual(events.map(event => event.position))
  })

  it('leave documents that match the log, and a store without problems', async () => {
    expect(await store.document('tally', 'shared')).toMatchObject({ state: { count: 2 * SHARED } })
    const counted = (await store.documents<{ count: number }>('tally')).reduce((sum, { state }) => sum + state.count, 0)
    expect(counted).toBe(events.length)
    expect(await store.check()).toEqual([])
  })
})
