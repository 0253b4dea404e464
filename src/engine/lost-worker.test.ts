import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ApprovalRecord, approvalsProjection } from '../approvals/index.js'
import { SimulatedClock } from '../clock/index.js'
import { newEvent, validateEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import { createRun, getRun } from './control.js'
import { LOST_WORKER_GATE } from './lost-worker-gate.js'
import { RunHost } from './run-host.js'
import { RunningSteps } from './running-steps.js'
import { runsProjection } from './runs-projection.js'
import { listRun, listWorkflow } from './testing/list-workflow.js'

let directory: string
let clock: SimulatedClock
let store: EventStore
let hosted: RunHost
let isBack: boolean
let performed: string[]
let mayReturn: boolean

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-lost-worker-'))
  clock = new SimulatedClock(Date.parse('2026-03-01T12:03:10Z'))
  const projections = [runsProjection, approvalsProjection] as never
  store = await openTestStore({ path: join(directory, 'store.db'), clock, projections, validate: validateEvent })
  isBack = false
  mayReturn = true
  performed = []
  const perform = async ({ step }: { step: string }) => {
    performed.push(step)
    return { status: 'ok' as const }
  }
  hosted = new RunHost({
    store,
    clock,
    owner: 'test',
    isGone: () => true,
    workflows: [listWorkflow] as never,
    performers: {},
    maxRuns: 4,
    onError: error => {
      throw error
    },
    placer: {
      place: async ({ placed, unsaved, onLoss }) => {
        if (isBack || placed?.worker === 'wrk_b') return { stay: true }
        if (unsaved && onLoss?.option !== 'move')
          return { lost: { name: 'w3', since: Date.parse('2026-03-01T12:03:00Z'), mayReturn } }
        return { worker: 'wrk_b', name: 'w4', why: 'test' }
      },
      stepsFor: (_, options) => new RunningSteps({ ...options, performers: { work: { run: perform } } }),
    },
  })
})
afterEach(async () => {
  await hosted.close()
  await store.close()
  rmSync(directory, { recursive: true })
})

const SAVED = { head: 'a'.repeat(40), wip: 'b'.repeat(40), blob: 'c'.repeat(64) }

/** A run whose worker had finished step `a` when it was lost, and had not finished step `b`. */
async function lost({ isSaved = true } = {}, child: object = {}): Promise<string> {
  const items = ['a', 'b', 'c'].map(name => ({ do: 'step' as const, name }))
  const run = await createRun(store, { ...listRun(items), placement: {}, ...child }, clock.now())
  await store.append(`run/${run}`, 1, [
    newEvent('run.started', { host: 'test', epoch: 1 }),
    newEvent('run.placed', { worker: 'wrk_a', name: 'w3', epoch: 1, why: 'test' }),
    ...(isSaved ? [newEvent('workspace.saved', SAVED, Date.parse('2026-03-01T12:02:00Z'))] : []),
    newEvent('step.started', { step: 'a@1#1', effect: 'work', input: {} }),
    newEvent('workspace.unsaved', { step: 'a@1#1', reason: 'the disk is full' }),
    newEvent('step.ended', { step: 'a@1#1', status: 'ok', result: null }),
    newEvent('step.started', { step: 'b@2#1', effect: 'work', input: {} }),
  ])
  return run
}

async function asked(run: string): Promise<{ approval: string; record: ApprovalRecord }> {
  const approval = await expect.poll(async () => (await getRun(store, run)).gates[LOST_WORKER_GATE]).toBeDefined()
  void approval
  const id = (await getRun(store, run)).gates[LOST_WORKER_GATE]!
  const found = await store.document<ApprovalRecord>('approvals', id)
  return { approval: id, record: found!.state }
}

async function answer(run: string, option: string): Promise<void> {
  const { approval } = await asked(run)
  const data = { gate: LOST_WORKER_GATE, approval, option, by: 'ada' }
  await store.append(`run/${run}`, 'any', [newEvent('gate.answered', data)])
}

const typesOf = async (run: string) => (await store.readStream(`run/${run}`)).map(({ type }) => type)

test('a run whose worker is gone with unsaved files asks a person, and says what would be lost', async () => {
  const run = await lost()
  await hosted.start()
  const { record } = await asked(run)
  expect(record.display.title).toBe(
    'w3 is gone since 2026-03-01 12:03 UTC; the last save is from 2026-03-01 12:02 UTC. Move, wait, or cancel?',
  )
  expect(record.request.text).toContain('a@1#1')
  expect(record.request.text).toContain('the disk is full')
  expect(record.request.options.map(({ key }) => key)).toEqual(['move', 'wait', 'cancel'])
  await expect.poll(async () => (await getRun(store, run)).status).toBe('waiting')
  expect((await typesOf(run)).filter(type => type === 'step.lost')).toHaveLength(1)
  expect(performed).toEqual([])
})

test('a worker that was removed cannot be waited for', async () => {
  mayReturn = false
  const run = await lost({ isSaved: false })
  await hosted.start()
  const { record } = await asked(run)
  expect(record.display.title).toContain('nothing was saved. Move or cancel?')
  expect(record.request.options.map(({ key }) => key)).toEqual(['move', 'cancel'])
})

test('the answer "move" continues the run on another worker, after the steps that have ended', async () => {
  const run = await lost()
  await hosted.start()
  await answer(run, 'move')
  await expect.poll(async () => (await getRun(store, run)).status).toBe('completed')
  expect(await getRun(store, run)).toMatchObject({ worker: 'wrk_b', epoch: 2 })
  expect(performed.map(step => step[0])).toEqual(['b', 'c'])
})

test('the answer "wait" lets the run wait until its worker is back, and does not ask again', async () => {
  const run = await lost()
  await hosted.start()
  await answer(run, 'wait')
  await expect.poll(async () => (await getRun(store, run)).text).toBe('waits for its worker w3, which is gone')
  hosted.wake(run)
  await expect.poll(() => hosted.isDriving(run)).toBe(false)
  expect(await getRun(store, run)).toMatchObject({ status: 'waiting', gates: {} })
  isBack = true
  hosted.wake(run)
  await expect.poll(async () => (await getRun(store, run)).status).toBe('completed')
  expect((await typesOf(run)).filter(type => type === 'gate.opened')).toHaveLength(1)
  expect(await getRun(store, run)).toMatchObject({ worker: 'wrk_a', epoch: 1 })
})

test('the answer "cancel" cancels the run, tells its parent, and performs nothing', async () => {
  const parent = await createRun(store, listRun([{ do: 'step', name: 'x' }]), clock.now())
  const run = await lost({}, { parent: { run: parent, child: 'c' } })
  await hosted.start()
  await answer(run, 'cancel')
  await expect.poll(async () => (await getRun(store, run)).status).toBe('cancelled')
  const cancelled = (await store.readStream(`run/${run}`)).find(({ type }) => type === 'run.cancelled')
  expect(cancelled!.data).toMatchObject({ by: 'ada' })
  expect(await typesOf(parent)).toContain('child.finished')
  expect(performed.filter(step => !step.startsWith('x'))).toEqual([])
})

test('a worker that comes back before anybody answers keeps its run, and the question is closed', async () => {
  const run = await lost()
  await hosted.start()
  const { approval } = await asked(run)
  await expect.poll(() => hosted.isDriving(run)).toBe(false)
  isBack = true
  hosted.wake(run)
  await expect.poll(async () => (await getRun(store, run)).status).toBe('completed')
  expect((await store.document<ApprovalRecord>('approvals', approval))!.state.state).toBe('cancelled')
})
