import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Ledger } from '../approvals/index.js'
import { SimulatedClock } from '../clock/index.js'
import type { KeptSession } from '../keeper/index.js'
import { sessionsProjection } from '../sessions/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import { homeId } from './home-id.js'
import type { PreparedSession, StartRequest } from './prepare-session.js'
import { SessionRecords } from './session-records.js'

let directory: string
let store: EventStore
const clock = new SimulatedClock(1_000_000)

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-records-'))
  const projections = [sessionsProjection] as never
  store = await openTestStore({ path: join(directory, 'store.db'), clock, projections })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

function recordsOf(worker: string): SessionRecords {
  return new SessionRecords(store, new Ledger(store, { clock }), { owner: 'daemon', worker })
}

function start(records: SessionRecords, id: string, startedAt = 1): Promise<void> {
  const kept = { id, pid: 1, cols: 80, rows: 24, recording: `${id}.cast`, startedAt } as KeptSession
  const spawn = { cwd: '/p', env: {} }
  const prepared = { agentName: 'demo', agentArgs: [], agentSessionId: null, spawn } as unknown as PreparedSession
  return records.start({ person: 'ada' } as StartRequest, prepared, kept)
}

test('two hosts of one store give every session of a person its own number', async () => {
  const [one, two] = [recordsOf('home_a'), recordsOf('home_b')]
  await Promise.all(['s1', 's2', 's3', 's4'].map((id, i) => start(i % 2 ? one : two, id)))
  expect((await one.all()).map(({ number }) => number).sort()).toEqual([1, 2, 3, 4])
})

test('a number is reused only long after its session ended', async () => {
  const records = recordsOf('home_a')
  const day = 24 * 3_600_000
  await start(records, 's1')
  await start(records, 's2')
  for (const id of ['s1', 's2']) await records.lose(await records.get(id))
  const ended = (await records.get('s1')).endedAt!
  await start(records, 's3', ended + day)
  expect((await records.get('s3')).number).toBe(3)
  await records.lose(await records.get('s3'))
  await start(records, 's4', ended + 30 * day)
  expect((await records.get('s4')).number).toBe(1)
})

test('a host does not mark sessions of another home directory as lost', async () => {
  const [one, two] = [recordsOf('home_a'), recordsOf('home_b')]
  await start(one, 's1')
  const record = await one.get('s1')
  expect(record.worker).toBe('home_a')
  expect([one.isOwnerGone(record), two.isOwnerGone(record)]).toEqual([true, false])
})

test('a home directory keeps its id, and two directories have different ones', () => {
  const [one, two] = [join(directory, 'one'), join(directory, 'two')]
  expect(homeId(one)).toMatch(/^home_[0-9a-f]{12}$/)
  expect(homeId(one)).toBe(homeId(one))
  expect(homeId(one)).not.toBe(homeId(two))
})
