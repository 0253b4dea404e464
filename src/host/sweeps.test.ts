import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { newEvent, validateEvent } from '../events/index.js'
import { type SessionRecord, sessionStream, sessionsProjection } from '../sessions/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import type { HostSettings } from './settings.js'
import { RecordingSweep, SessionSweep } from './sweeps.js'

const DAY = 86_400_000
const NOW = 100 * DAY

let directory: string
let store: EventStore
const clock = new SimulatedClock(NOW)

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-sweep-'))
  mkdirSync(join(directory, 'recordings'))
  const projections = [sessionsProjection] as never
  store = await openTestStore({ path: join(directory, 'store.db'), clock, projections, validate: validateEvent })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const records = async () => (await store.documents<SessionRecord>(sessionsProjection.name)).map(({ state }) => state)

async function session(id: string, endedDaysAgo: number | null, recording = `recordings/${id}.cast`): Promise<string> {
  const file = join(directory, recording)
  writeFileSync(file, 'x')
  const started = {
    ...{ agent: 'demo', project: '/p', cwd: '/p', args: [], pid: 1, size: { cols: 80, rows: 24 } },
    ...{ person: 'local', number: 1, recording: file, owner: 'daemon' },
  }
  const events = [newEvent('session.started', started, 0)]
  if (endedDaysAgo !== null)
    events.push(newEvent('session.ended', { exit: null, reason: 'exited' }, NOW - endedDaysAgo * DAY) as never)
  await store.append(sessionStream(id), 0, events)
  return file
}

const sweep = (keepDays: number | null) =>
  new SessionSweep({
    ...{ store, clock, records },
    settings: { dataDirectory: directory, keepDays } as HostSettings,
    onError: error => {
      throw error
    },
  }).sweep()

test('a session that ended long ago is removed with its recording; a recent one and a running one stay', async () => {
  const old = await session('ses_old', 40)
  const young = await session('ses_young', 20)
  const running = await session('ses_running', null)
  await sweep(30)
  expect((await records()).map(({ id }) => id).sort()).toEqual(['ses_running', 'ses_young'])
  expect([old, young, running].map(file => existsSync(file))).toEqual([false, true, true])
  // Its messages are still in the log.
  expect((await store.readStream('session/ses_old')).map(({ type }) => type)).toContain('session.ended')
  await sweep(30)
  expect(await store.readStream('session/ses_old')).toHaveLength(3)
})

test('without the setting everything stays, and a file outside the data directory always stays', async () => {
  const elsewhere = await session('ses_old', 40, 'mine.cast')
  await sweep(null)
  expect(await records()).toHaveLength(1)
  await sweep(30)
  expect([await records(), existsSync(elsewhere)]).toEqual([[], true])
})

test('a packed recording is removed with its session', async () => {
  const old = await session('ses_old', 40)
  renameSync(old, `${old}.gz`)
  await sweep(30)
  expect(existsSync(`${old}.gz`)).toBe(false)
})

test('recordings are packed when their session has ended, and others stay as they are', async () => {
  const ended = await session('ses_ended', 1)
  const running = await session('ses_running', null)
  const elsewhere = await session('ses_else', 1, 'mine.cast')
  const settings = { dataDirectory: directory } as HostSettings
  await new RecordingSweep({ clock, records, settings, onError: error => expect(error).toBeNull() }).sweep()
  expect([ended, `${ended}.gz`, running, elsewhere].map(existsSync)).toEqual([false, true, true, true])
})
