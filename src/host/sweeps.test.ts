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
import { RecordingCompressor, SessionSweep } from './sweeps.js'

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
  await store.append(sessionStream(id), 0, events, { durability: 'normal' })
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

test('an old ended session is removed with its recording; a recent one and a running one stay', async () => {
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

test('many old sessions are removed once each while others write, and no event is lost', async () => {
  const old = Array.from({ length: 60 }, (_, n) => `ses_old${n}`)
  const running = Array.from({ length: 2 }, (_, n) => `ses_running${n}`)
  const files = await Promise.all(old.map(id => session(id, 40)))
  for (const id of running) await session(id, null)
  let isSwept = false
  const writing = running.map(async id => {
    let written = 0
    for (; !isSwept; written++) {
      const renamed = newEvent('session.renamed', { label: `name ${written}`, person: 'local' })
      await store.append(sessionStream(id), written + 1, [renamed], { durability: 'normal' })
      // As output does, each one comes with a round of the event loop.
      await new Promise(resolve => setImmediate(resolve))
    }
    return written
  })
  await sweep(30)
  isSwept = true
  const written = await Promise.all(writing)
  expect(files.filter(existsSync)).toEqual([])
  expect((await records()).map(({ id }) => id).sort()).toEqual(running)
  for (const id of old)
    expect((await store.readStream(sessionStream(id))).filter(({ type }) => type === 'session.forgotten')).toHaveLength(
      1,
    )
  for (const [index, id] of running.entries())
    expect(await store.readStream(sessionStream(id))).toHaveLength(written[index]! + 1)
  // Nobody waits for the end of the sweep.
  expect(Math.min(...written)).toBeGreaterThan(20)
})

test('all sessions stay without the setting, and files outside the data directory always stay', async () => {
  const elsewhere = await session('ses_old', 40, 'mine.cast')
  await sweep(null)
  expect(await records()).toHaveLength(1)
  await sweep(30)
  expect([await records(), existsSync(elsewhere)]).toEqual([[], true])
})

test('a compressed recording is removed with its session', async () => {
  const old = await session('ses_old', 40)
  renameSync(old, `${old}.gz`)
  await sweep(30)
  expect(existsSync(`${old}.gz`)).toBe(false)
})

test('recordings are compressed when their session has ended; others stay unchanged', async () => {
  const ended = await session('ses_ended', 1)
  const running = await session('ses_running', null)
  const elsewhere = await session('ses_else', 1, 'mine.cast')
  const settings = { dataDirectory: directory } as HostSettings
  await new RecordingCompressor({ clock, records, settings, onError: error => expect(error).toBeNull() }).sweep()
  expect([ended, `${ended}.gz`, running, elsewhere].map(existsSync)).toEqual([false, true, true, true])
})
