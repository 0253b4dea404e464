import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { approvalsProjection } from '../approvals/index.js'
import { SimulatedClock } from '../clock/index.js'
import { newEvent, validateEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import { createRun, getRun } from './control.js'
import { RunHost } from './run-host.js'
import { RunningSteps } from './running-steps.js'
import { runsProjection } from './runs-projection.js'
import { listRun, listWorkflow } from './testing/list-workflow.js'
import type { Performer } from './workflow.js'

let directory: string
let clock: SimulatedClock
let store: EventStore

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-run-host-'))
  clock = new SimulatedClock(1_000_000)
  store = await openTestStore({
    path: join(directory, 'store.db'),
    clock,
    projections: [runsProjection, approvalsProjection] as never,
    validate: validateEvent,
  })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true })
})

let age = 0
const made = (title: string, labels: Record<string, string> = {}) =>
  createRun(store, { ...listRun([{ do: 'step', name: 'a' }], title), labels }, clock.now() - 1_000 + age++)

function host(options: { onDriving?(title: string): void; maxRuns?: number; store?: EventStore }): RunHost {
  const performer: Performer = { run: async () => ({ status: 'ok' }) }
  return new RunHost({
    store: options.store ?? store,
    clock,
    owner: 'test',
    isGone: () => true,
    workflows: [listWorkflow] as never,
    performers: { work: performer },
    maxRuns: options.maxRuns ?? 4,
    onError: () => undefined,
    onDriving: async run => options.onDriving?.(run.title),
  })
}

test('a run that cannot be driven is retried after a delay, not in a busy loop', async () => {
  let tries = 0
  const hosted = host({
    onDriving: title => {
      if (title !== 'troubled') return
      tries++
      throw new Error('the disk is full')
    },
  })
  const troubled = await made('troubled')
  await hosted.start()
  await expect.poll(() => [tries, hosted.isDriving(troubled)]).toEqual([1, false])
  // Each ended run makes the host scan again.
  for (const title of ['one', 'two', 'three']) {
    const id = await made(title)
    await expect.poll(async () => (await getRun(store, id)).endedAt).not.toBeNull()
  }
  expect(tries).toBe(1)
  clock.advance(5_000)
  await expect.poll(() => tries).toBe(2)
  await hosted.close()
})

test('a run of higher priority is driven before an older one if there is one slot', async () => {
  const order: string[] = []
  const ids = [await made('old'), await made('young'), await made('urgent', { priority: '1' })]
  const hosted = host({ maxRuns: 1, onDriving: title => void order.push(title) })
  await hosted.start()
  for (const id of ids) await expect.poll(async () => (await getRun(store, id)).endedAt).not.toBeNull()
  await hosted.close()
  expect(order).toEqual(['urgent', 'old', 'young'])
})

test('a scan reads the runs that are due, not ended or waiting ones', async () => {
  const ended = await Promise.all(['one', 'two', 'three'].map(title => made(title)))
  for (const id of ended) await store.append(`run/${id}`, 1, [newEvent('run.cancelled', { reason: 'over', by: 'me' })])
  const waiting = await made('waiting')
  const events = [
    newEvent('run.started', { host: 'x', epoch: 1 }),
    newEvent('run.waiting', { gates: [], wakeAt: 9e12 }),
  ]
  await store.append(`run/${waiting}`, 1, events)
  const due = await made('due')
  const read: string[] = []
  const counted = new Proxy(store, {
    get(target, name: keyof EventStore) {
      if (name !== 'documents') return typeof target[name] === 'function' ? target[name].bind(target) : target[name]
      return async (...args: Parameters<EventStore['documents']>) => {
        const documents = await target.documents(...args)
        read.push(...documents.map(({ key }) => key))
        return documents
      }
    },
  })
  const hosted = host({ store: counted })
  hosted.start()
  await expect.poll(async () => (await getRun(store, due)).endedAt).not.toBeNull()
  await hosted.close()
  expect(new Set(read)).toEqual(new Set([due]))
})

test('a run that no worker accepts waits with the reason and is retried later, not in a busy loop', async () => {
  let asked = 0
  const hosted = new RunHost({
    store,
    clock,
    owner: 'test',
    isGone: () => true,
    workflows: [listWorkflow] as never,
    performers: {},
    maxRuns: 4,
    onError: () => undefined,
    placer: {
      place: async () => {
        asked++
        return { waits: 'every worker is busy' }
      },
      stepsFor: (_, options) => new RunningSteps({ ...options, performers: {} }),
    },
  })
  const create = { ...listRun([{ do: 'step', name: 'a' }]), placement: { pool: 'build' } }
  const id = await createRun(store, create, clock.now())
  await hosted.start()
  await expect.poll(async () => (await getRun(store, id)).text).toBe('every worker is busy')
  // Each ended run makes the engine scan again.
  for (const title of ['one', 'two', 'three'])
    await expect.poll(async () => (await getRun(store, await made(title))).status).toBe('queued')
  await expect.poll(() => hosted.isDriving(id)).toBe(false)
  const before = asked
  expect(before).toBe(1)
  await expect
    .poll(() => {
      clock.advance(1_000)
      return asked
    })
    .toBeGreaterThan(before)
  expect(await getRun(store, id)).toMatchObject({ status: 'waiting', worker: null })
  await hosted.close()
})
