import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { createRun, getRun, plainInput, runStream, runsProjection } from '../../engine/index.js'
import { type EventData, newEvent, validateEvent } from '../../events/index.js'
import { type EventStore, openStore } from '../../store/index.js'
import { usageRows } from './usage-view.js'

let directory: string
let store: EventStore

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-usage-'))
  store = await openStore({
    path: join(directory, 'store.db'),
    clock: new SimulatedClock(1_000),
    projections: [runsProjection] as never,
    validate: validateEvent,
  })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true })
})

const DOT = 'digraph { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }'
const started = (step: string, input: unknown = {}) => newEvent('step.started', { step, effect: 'graph.code', input })
const ended = (step: string, usage?: EventData<'step.ended'>['usage']) =>
  newEvent('step.ended', { step, status: 'ok', result: null, ...(usage && { usage }) })
const recorded = (step: string, agent: string, model: string | null, input: number) =>
  newEvent('usage.recorded', { step, role: 'r', agent, model, task: null, iteration: 0, usage: { input, output: 1 } })

test('names the agents of a pipeline’s steps, says unknown where no name was reported, and counts a step once', async () => {
  const about = { title: 'x', project: '/p', cwd: '/p', person: 'local' }
  const id = await createRun(store, { kind: 'graph', ...about, input: plainInput(DOT, '/p') }, 1_000)
  await store.append(runStream(id), 'any', [
    started('developer@1#1'),
    recorded('developer@1#1', 'claude', null, 10),
    ended('developer@1#1', { input: 10, output: 1 }),
    started('reviewer@1#1'),
    recorded('reviewer@1#1', 'codex', 'gpt', 20),
    recorded('reviewer@1#1', 'claude', 'opus', 5),
    ended('reviewer@1#1', { input: 25, output: 2 }),
    started('other@1#1'),
    ended('other@1#1', { input: 3, output: 1 }),
    started('checks@1#1'),
    ended('checks@1#1'),
  ])
  const runs = [await getRun(store, id)]
  const rowsBy = async (by: 'agent' | 'model' | 'node') => {
    const { rows } = await usageRows(store, runs, { from: 0, to: 9_000, by: [by], sessions: [] })
    return rows.map(({ key, usage, steps }) => [key[by], usage.input, steps])
  }
  expect(await rowsBy('agent')).toEqual([
    ['claude', 15, 2],
    ['codex', 20, 1],
    ['unknown', 3, 1],
    ['–', 0, 1],
  ])
  expect(await rowsBy('model')).toEqual([
    ['unknown', 13, 2],
    ['gpt', 20, 1],
    ['opus', 5, 1],
    ['–', 0, 1],
  ])
  expect(await rowsBy('node')).toContainEqual(['reviewer', 25, 1])
})

test('counts each session and run without a known price once, and marks the cost as the least', async () => {
  const about = { title: 'x', project: '/p', cwd: '/p', person: 'local' }
  const id = await createRun(store, { kind: 'graph', ...about, input: plainInput(DOT, '/p') }, 1_000)
  await store.append(runStream(id), 'any', [
    started('a@1#1'),
    ended('a@1#1', { input: 10, output: 1, costUsd: 0.5 }),
    started('b@1#1'),
    ended('b@1#1', { input: 20, output: 1 }),
  ])
  const on = (session: string, day: string, costUsd: number | null) => ({
    ...{ session, day, costUsd, agent: 'pi', model: 'm', project: '/p', input: 3, output: 1 },
  })
  const sessions = [on('ses_1', '1970-01-01', null), on('ses_1', '1970-01-02', null), on('ses_2', '1970-01-01', 1)]
  const { rows, unpriced } = await usageRows(store, [await getRun(store, id)], {
    ...{ from: 0, to: 9e8, by: ['day'] as const, sessions },
  })
  expect(unpriced).toEqual({ sessions: 1, runs: 1 })
  expect(rows.map(({ key, usage, unpriced: own }) => [key.day, usage.costUsd, usage.isPartial, own])).toEqual([
    ['1970-01-01', 1.5, true, { sessions: 1, runs: 1 }],
    ['1970-01-02', undefined, undefined, { sessions: 1, runs: 0 }],
  ])
  expect(rows.map(({ runCostUsd }) => runCostUsd)).toEqual([0.5, null])
})
