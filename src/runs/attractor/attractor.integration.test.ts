import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../clock/index.js'
import type { RunHost } from '../../engine/index.js'
import { openHome } from '../../host/home/index.js'
import { openLedger } from '../../host/open-ledger.js'
import { openHomeStore } from '../../host/open-store.js'
import type { EventStore } from '../../store/index.js'
import { executableText } from '../../trust/index.js'
import { createRunHost } from '../create-run-host.js'
import { daemonContext, type StartContext } from '../start-context.js'
import { AttractorApi, type NewPipeline } from './attractor.js'
import { type AttractorEvent, isAfter } from './attractor-events.js'

const directory = mkdtempSync(join(tmpdir(), 'signalbox-attractor-'))
const project = join(directory, 'project')
const WHO = {
  actor: { kind: 'person' as const, id: 'p1', name: 'Ada', role: 'approver' as const },
  surface: 'api' as const,
}
let store: EventStore
let runs: RunHost
let pipelines: AttractorApi
let context: StartContext

beforeAll(async () => {
  const { mkdirSync } = await import('node:fs')
  mkdirSync(project)
  const onError = () => undefined
  const env = { ...process.env, SIGNALBOX_HOME: join(directory, 'home') }
  const home = openHome({ env })
  const { dataDirectory } = home.settings
  store = await openHomeStore({ dataDirectory, clock: systemClock, onError })
  const ledger = openLedger({ store, settings: {} })
  const common = { store, ledger, clock: systemClock, dataDirectory }
  runs = createRunHost({ ...common, envPass: [], env: process.env, isInteractive: true, maxRuns: 8, onError })
  await runs.start()
  pipelines = new AttractorApi({ store, clock: systemClock, ledger })
  context = daemonContext({ store, home, env, clock: systemClock, person: 'Ada' }, project)
})

afterAll(async () => {
  await runs.close()
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const graph = (body: string) => `digraph g { start [shape=Mdiamond]; exit [shape=Msquare]; ${body} }`

const start = (pipeline: NewPipeline) => pipelines.create(context, { project, ...pipeline })

/** Names the hash of the graph, as a page does after showing it. */
async function create(dot: string, inputs: Record<string, string> = {}): Promise<string> {
  const { hash } = await executableText(dot, project)
  return (await start({ dot, inputs, trust: hash })).id
}

/** Events until one of this name, or all. */
async function until(id: string, name?: string, since: string | null = null): Promise<AttractorEvent[]> {
  const seen: AttractorEvent[] = []
  for await (const event of pipelines.events(id, { since })) {
    seen.push(event)
    if (event.event === name) break
  }
  return seen
}

const names = (events: readonly AttractorEvent[]) => events.map(({ event }) => event)

const GATE = graph(
  'a [shape=parallelogram, tool_command="echo hello"]; g [shape=hexagon, label="Go on?"]; a -> g; start -> a; g -> exit [label="[Y] Yes"]; g -> exit [label="[N] No"]',
)

describe('a pipeline of the attractor API with a gate', () => {
  test('starts, asks, is answered once and ends; every route shows its part', async () => {
    const id = await create(GATE)
    const before = await until(id, 'InterviewStarted')
    expect(names(before)).toEqual([
      'PipelineStarted',
      'StageStarted',
      'StageCompleted',
      'CheckpointSaved',
      'StageStarted',
      'StageCompleted',
      'CheckpointSaved',
      'StageStarted',
      'InterviewStarted',
    ])
    const [question] = await pipelines.questions(id)
    expect(question).toMatchObject({
      type: 'MULTIPLE_CHOICE',
      stage: 'g',
      text: 'Go on?',
      options: [
        { key: 'Y', label: '[Y] Yes' },
        { key: 'N', label: '[N] No' },
      ],
    })
    expect(await pipelines.status(id)).toMatchObject({ status: 'running', current_node: 'g', outcome: null })
    expect(await pipelines.checkpoint(id)).toMatchObject({ current_node: 'a', next_node: 'g' })
    await expect(pipelines.answer(id, question!.id, { value: 'perhaps' }, WHO)).rejects.toMatchObject({
      code: 'E_APPROVAL_OPTION',
    })
    await expect(
      pipelines.answer(id, question!.id, { value: 'Y', fingerprint: 'f'.repeat(64) }, WHO),
    ).rejects.toMatchObject({ code: 'E_APPROVAL_CHANGED' })
    await pipelines.answer(id, question!.id, { value: 'yes', fingerprint: question!.fingerprint }, WHO)
    await expect(pipelines.answer(id, question!.id, { value: 'N' }, WHO)).rejects.toMatchObject({
      code: 'E_APPROVAL_DECIDED',
      message: expect.stringContaining('Ada'),
    })
    const last = before.at(-1)!.id
    const after = await until(id, undefined, last)
    expect(names(after)).toEqual([
      'InterviewCompleted',
      'StageCompleted',
      'CheckpointSaved',
      'StageStarted',
      'StageCompleted',
      'PipelineCompleted',
    ])
    expect(after[0]!.data).toMatchObject({ answer: '[Y] Yes', by: 'Ada', stage: 'g' })
    expect(await pipelines.questions(id)).toEqual([])
    expect(await pipelines.status(id)).toMatchObject({
      status: 'completed',
      outcome: 'success',
      completed_nodes: ['start', 'a', 'g', 'exit'],
    })
    const context = await pipelines.context(id)
    expect(context).toMatchObject({ 'tool.output': 'hello\n', 'human.gate.selected': 'Y' })
    expect(Object.keys(context).some(key => key.startsWith('internal.'))).toBe(false)
    expect(await pipelines.context(id, { isWhole: true })).toMatchObject({ 'internal.run_id': id })
    expect(await pipelines.graph(id)).toMatch(/<svg[\s\S]*Go on\?/)
    await expect(pipelines.cancel(id, { by: 'Ada' })).rejects.toMatchObject({ code: 'E_STATE' })
  })

  test('closes its question, refuses a late answer and ends its stream if it is cancelled while waiting', async () => {
    const id = await create(GATE)
    await until(id, 'InterviewStarted')
    const [question] = await pipelines.questions(id)
    await pipelines.cancel(id, { by: 'Ada' })
    await expect(pipelines.answer(id, question!.id, { value: 'Y' }, WHO)).rejects.toMatchObject({ code: 'E_STATE' })
    expect((await until(id)).at(-1)).toMatchObject({ event: 'PipelineFailed', data: { error: 'cancelled: cancelled' } })
    expect(await pipelines.status(id)).toMatchObject({ status: 'cancelled', outcome: 'fail' })
  })
})

test('a failing stage is retried and reported, and then fails the pipeline', async () => {
  const id = await create(graph('a [shape=parallelogram, tool_command="exit 3", max_retries=1]; start -> a -> exit'))
  const events = await until(id)
  const reported = events.filter(({ data }) => data.name === 'a').map(({ event, data }) => [event, data.will_retry])
  expect(reported).toEqual([
    ['StageStarted', undefined],
    ['StageFailed', true],
    ['StageRetrying', undefined],
    ['StageFailed', false],
  ])
  expect(events.find(({ event }) => event === 'StageRetrying')!.data.delay_ms).toBeGreaterThanOrEqual(100)
  expect(events.at(-1)).toMatchObject({
    event: 'PipelineFailed',
    data: { error: expect.stringContaining('exited with code 3') },
  })
})

test('branches and their outcomes are reported', async () => {
  const id = await create(
    graph(
      'p [shape=component]; a [shape=parallelogram, tool_command=true]; b [shape=parallelogram, tool_command=false]; j [shape=diamond]; start -> p; p -> a; p -> b; a -> j; b -> j; j -> exit',
    ),
  )
  const events = await until(id)
  const parallel = events.filter(({ event }) => event.startsWith('Parallel'))
  expect(names(parallel).sort()).toEqual([
    'ParallelBranchCompleted',
    'ParallelBranchCompleted',
    'ParallelBranchStarted',
    'ParallelBranchStarted',
    'ParallelCompleted',
    'ParallelStarted',
  ])
  expect(parallel[0]).toMatchObject({ event: 'ParallelStarted', data: { name: 'p', branch_count: 2 } })
  expect(events[0]).toMatchObject({ event: 'PipelineStarted', data: { id } })
  expect(parallel.find(({ event }) => event === 'ParallelCompleted')!.data).toMatchObject({
    success_count: 1,
    failure_count: 1,
  })
})

describe('the attractor API', () => {
  test('refuses a graph with errors and lists every diagnostic', async () => {
    await expect(start({ dot: 'digraph { a -> b [condition="x==1"] }' })).rejects.toMatchObject({
      code: 'E_GRAPH',
      details: { diagnostics: expect.arrayContaining([expect.anything()]) },
    })
  })

  test('leaves no directory of a run after a refused request', async () => {
    const own = join(context.home.settings.dataDirectory, 'runs')
    const before = existsSync(own) ? readdirSync(own) : []
    await expect(pipelines.create(context, { dot: 'digraph { a -> b }' })).rejects.toMatchObject({ code: 'E_GRAPH' })
    expect(existsSync(own) ? readdirSync(own) : []).toEqual(before)
  })

  test('refuses an untrusted graph with its hash, and again after a project file has changed', async () => {
    const dot = graph('a [shape=parallelogram, tool_command="true"]; start -> a -> exit')
    const refused = await start({ dot }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'E_UNTRUSTED' })
    const { hash } = (refused as { details: { hash: string } }).details
    await start({ dot, trust: hash })
    await start({ dot })
    writeFileSync(join(project, '.signalbox.toml'), '[runs]\nmax_concurrent = 1\n')
    await expect(start({ dot })).rejects.toMatchObject({ code: 'E_UNTRUSTED' })
    rmSync(join(project, '.signalbox.toml'))
  })

  test('refuses a graph without its inputs, and an unknown run', async () => {
    const dot = graph('graph [inputs="ticket"]; start -> exit')
    await expect(create(dot)).rejects.toMatchObject({ code: 'E_INPUT', message: 'the graph needs ticket' })
    await expect(pipelines.status('run_nope')).rejects.toMatchObject({ code: 'E_UNKNOWN' })
  })
})

test.each([
  ['3', null, true],
  ['3', '3', false],
  ['4', '3', true],
  ['3.1', '3', false],
  ['3.2', '3.1', true],
  ['3.1', '3.1', false],
  ['3', 'nonsense', true],
])('isAfter gives for event %s after %s: %s', (id, seen, expected) => expect(isAfter(id, seen)).toBe(expected))
