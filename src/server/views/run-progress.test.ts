import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { approvalsProjection } from '../../approvals/index.js'
import { SimulatedClock } from '../../clock/index.js'
import { createRun, getRun, plainInput, recordCancel, runStream, runsProjection } from '../../engine/index.js'
import { newEvent, validateEvent } from '../../events/index.js'
import { type EventStore, openStore } from '../../store/index.js'
import { RunProgress } from './run-progress.js'

let directory: string
let store: EventStore

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-progress-'))
  store = await openStore({
    path: join(directory, 'store.db'),
    clock: new SimulatedClock(1_000),
    projections: [runsProjection, approvalsProjection] as never,
    validate: validateEvent,
  })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true })
})

const DOT =
  'digraph { start [shape=Mdiamond]; plan; build; check; exit [shape=Msquare]; start -> plan -> build -> check -> exit; check -> build [label="again"] }'
const about = { title: 'x', project: '/p', cwd: '/p', person: 'local' }
const finished = (node: string, visit: number, status: 'success' | 'skipped' = 'success') => [
  newEvent('node.started', { node, visit, handler: 'codergen' }),
  newEvent('node.finished', { node, visit, status }),
]

async function progressOf(progress: RunProgress, id: string) {
  return progress.of(await getRun(store, id), await store.streamVersion(runStream(id)))
}

test('the progress of a graph counts each node that has ended once, without start and exit', async () => {
  const id = await createRun(store, { ...about, kind: 'graph', input: plainInput(DOT, '/p') }, 1_000)
  const progress = new RunProgress(store)
  expect(await progressOf(progress, id)).toEqual({ unit: 'nodes', done: 0, of: 3, node: null })
  const events = [...finished('start', 1), ...finished('plan', 1, 'skipped'), ...finished('build', 1)]
  await store.append(runStream(id), 'any', [...events, ...finished('build', 2)])
  expect(await progressOf(progress, id)).toEqual({ unit: 'nodes', done: 2, of: 3, node: null })
})

test('a node that is visited again is not done while it works', async () => {
  const id = await createRun(store, { ...about, kind: 'graph', input: plainInput(DOT, '/p') }, 1_000)
  await store.append(runStream(id), 'any', [...finished('start', 1), ...finished('plan', 1), ...finished('build', 1)])
  const record = { ...(await getRun(store, id)), step: 'build@2#1' }
  expect(await new RunProgress(store).of({ ...record, status: 'running' }, 1)).toMatchObject({ done: 1, node: 'build' })
  expect(await new RunProgress(store).of({ ...record, status: 'paused' }, 1)).toMatchObject({ done: 2 })
})

test('the progress of a graph names the node of the current step by its label', async () => {
  const dot = DOT.replace('plan;', 'plan [label="Write a plan"];')
  const id = await createRun(store, { ...about, kind: 'graph', input: plainInput(dot, '/p') }, 1_000)
  const run = { ...(await getRun(store, id)), step: 'plan@1#1' }
  expect(await new RunProgress(store).of(run, 1)).toMatchObject({ node: 'Write a plan' })
})

test('a run that has ended, is of an unknown kind or has an unreadable journal has no progress', async () => {
  const progress = new RunProgress(store)
  const ended = await createRun(store, { ...about, kind: 'graph', input: plainInput(DOT, '/p') }, 1_000)
  await recordCancel(store, ended, { by: 'me', reason: 'enough' })
  const odd = await createRun(store, { ...about, kind: 'odd', input: {} }, 1_000)
  const torn = await createRun(store, { ...about, kind: 'oneshot', input: { task: '' } }, 1_000)
  for (const id of [ended, odd, torn]) expect(await progressOf(progress, id)).toBeNull()
})
