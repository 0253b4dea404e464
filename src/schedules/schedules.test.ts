import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import { schedulesProjection } from './schedule-record.js'
import { type Launch, Schedules } from './schedules.js'

const DAY = 24 * 3_600_000
const NOON = new Date('2026-03-04T12:00:00').getTime()
const BY = { kind: 'person', id: 'local', name: 'kim', role: 'owner' } as const
const NIGHTLY = { cron: '0 2 * * *', command: ['oneshot', 'Update'], directory: '/work', by: BY }

let directory: string
let clock: SimulatedClock
let store: EventStore
let started: string[]
const open: Schedules[] = []

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-schedules-'))
  clock = new SimulatedClock(NOON)
  store = await openTestStore({ path: join(directory, 'store.db'), clock, projections: [schedulesProjection] })
  started = []
})
afterEach(async () => {
  for (const schedules of open.splice(0)) await schedules.close()
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const launches: Launch = async ({ command }) => {
  started.push(command.join(' '))
  return { run: `run_${started.length}` }
}

function daemon(launch: Launch = launches, home = 'here'): Schedules {
  const schedules = new Schedules({ store, clock, home, launch, onError: error => expect.fail(String(error)) })
  open.push(schedules)
  return schedules
}

const last = async (schedules: Schedules) => (await schedules.list())[0]?.last
const settled = (schedules: Schedules, outcome: string) =>
  vi.waitFor(async () => expect((await last(schedules))?.outcome).toBe(outcome))

test('a schedule starts its command at its time once, also with two daemons', async () => {
  const [one, two] = [daemon(), daemon()]
  await one.add({ ...NIGHTLY, cron: '2 12 * * *' })
  await one.start()
  await two.start()
  expect(started).toEqual([])
  clock.advance(2 * 60_000)
  await settled(one, 'started')
  expect(started).toEqual(['oneshot Update'])
  expect(await last(two)).toMatchObject({ run: 'run_1' })
})

test('times that were missed without a daemon lead to one start', async () => {
  await daemon().add(NIGHTLY)
  clock.advance(5 * DAY)
  const later = daemon()
  await later.start()
  await settled(later, 'started')
  const [record] = await later.list()
  expect(started).toHaveLength(1)
  expect(later.nextAt(record!)).toBe(new Date('2026-03-10T02:00:00').getTime())
})

test('a paused schedule does not start, and does not make up for the pause when it is resumed', async () => {
  const schedules = daemon()
  const paused = await schedules.setPaused(await schedules.add(NIGHTLY), true, BY)
  expect(schedules.nextAt(paused)).toBeNull()
  clock.advance(3 * DAY)
  await schedules.setPaused(paused, false, BY)
  await schedules.start()
  expect(started).toEqual([])
  await schedules.remove((await schedules.list())[0]!, BY)
  expect(await schedules.list()).toEqual([])
})

test('a command that starts nothing is kept with its error; a start by hand changes no time', async () => {
  const schedules = daemon(() => Promise.reject(new Error('claude was not found')))
  const added = await schedules.add(NIGHTLY)
  const before = schedules.nextAt(added)
  const tried = await schedules.startNow(added, BY)
  expect(tried.last).toMatchObject({ outcome: 'failed', problem: 'claude was not found' })
  expect(schedules.nextAt(tried)).toBe(before)
})

test('a schedule of another home directory does not start in this one', async () => {
  await daemon(launches, 'there').add(NIGHTLY)
  clock.advance(DAY)
  await daemon().start()
  expect(started).toEqual([])
})

test.each([
  [{ command: ['approve', 'apr_1'] }, /"approve" cannot be scheduled/],
  [{ command: ['config', 'set'] }, /cannot be scheduled/],
  [{ directory: 'work' }, /not an absolute path/],
  [{ cron: 'tonight' }, /five fields/],
])('the schedule %j is refused', async (change, problem) => {
  await expect(daemon().add({ ...NIGHTLY, ...change })).rejects.toThrow(problem)
})
