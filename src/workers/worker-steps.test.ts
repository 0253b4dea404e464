import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import type { StepCall, StepEnd } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import type { StepNeeds, WorkerMessage } from './protocol.js'
import { WorkerSteps, type WorkspacePort } from './worker-steps.js'

let directory: string
let sent: WorkerMessage[]
let started: StepCall[]
let ended: string[]
let mayStart: () => Promise<boolean>
let isCutOff: boolean
let finish: () => void
let workspace: StepNeeds['workspace']
let save: WorkspacePort['save'] extends (...args: never) => infer R ? () => R : never
/** Makes a workspace ready. */
let prepare: (needs: StepNeeds) => Promise<StepNeeds>
let clock: SimulatedClock
/** What a step does when it is told to stop. */
let onAbort: (call: StepCall) => Promise<StepEnd>

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-worker-steps-'))
  sent = []
  started = []
  ended = []
  mayStart = async () => true
  prepare = async needs => needs
  clock = new SimulatedClock(1_000_000)
  isCutOff = false
  workspace = null
  save = async () => null
})
afterEach(() => rmSync(directory, { recursive: true }))

function open(): WorkerSteps {
  const run = (call: StepCall): Promise<StepEnd> => {
    started.push(call)
    return new Promise(resolve => {
      finish = () => resolve({ status: 'ok' })
      call.signal.addEventListener('abort', () => void onAbort(call).then(resolve))
    })
  }
  const needs = { kind: 'list', effect: 'work', input: null, startedAt: 1, work: {}, costLeftUsd: null, cwd: '/' }
  return new WorkerSteps({
    directory,
    clock,
    performers: { work: { run } },
    workflows: [],
    server: {
      send: message => void sent.push(message),
      call: async () => ({ ...needs, workspace }) satisfies StepNeeds,
    },
    workspaces: {
      prepare: (_, needs) => prepare(needs),
      save: () => save(),
      withServerPaths: (_, __, it) => it,
    },
    endProcesses: async name => void ended.push(name),
    mayStart: () => mayStart(),
    isCutOff: () => isCutOff,
    onError: error => {
      throw error
    },
  })
}

const wanted = (...steps: string[]) =>
  ({
    type: 'wanted',
    run: 'run_1',
    term: 1,
    steps: steps.map(step => ({ step, key: `${step}/1`, do: 'run' as const })),
  }) as const
const reports = () => sent.flatMap(message => (message.type === 'report' ? [[message.step, message.report.is]] : []))

test('a worker without a server stops all its steps at the same time, and reports them as lost', async () => {
  const steps = open()
  steps.wanted(wanted('a', 'b'))
  await expect.poll(() => started.length).toBe(2)
  let stopping = 0
  let bothStop: () => void = () => undefined
  const isStopping = new Promise<void>(resolve => {
    bothStop = resolve
  })
  // Each ends only when the other was told to stop, too.
  onAbort = async () => {
    if (++stopping === 2) bothStop()
    await isStopping
    return { status: 'ok' }
  }
  await steps.giveUp()
  expect(reports()).toEqual([
    ['a', 'lost'],
    ['b', 'lost'],
  ])
  expect(steps.count).toBe(0)
  // It is wanted again, after the network was healed: the answer is the same.
  steps.wanted(wanted('a', 'b'))
  await expect.poll(() => reports().length).toBe(4)
  expect([started.length, reports().slice(2)]).toEqual([2, reports().slice(0, 2)])
})

test('a worker that started without a server ends what its earlier start left running', async () => {
  const before = open()
  before.wanted(wanted('a'))
  await expect.poll(() => started.length).toBe(1)
  const after = open()
  expect(after.runs).toEqual(['run_1'])
  await after.giveUp()
  expect([ended, reports()]).toEqual([['run_1/a'], [['a', 'lost']]])
})

test('a step is known to what ends it before it starts, and does not start without that', async () => {
  const steps = open()
  const named: string[][] = []
  mayStart = async () => {
    named.push(steps.names)
    return named.length > 1
  }
  steps.wanted(wanted('a'))
  await expect.poll(reports).toEqual([['a', 'lost']])
  steps.wanted(wanted('a', 'b'))
  await expect.poll(() => started.map(({ step }) => step)).toEqual(['b'])
  expect(named).toEqual([['run_1/a'], ['run_1/b']])
})

test('a step that is given up while it is prepared does not start', async () => {
  const steps = open()
  let go: (mayStart: boolean) => void = () => undefined
  let isAsked = false
  mayStart = () => {
    isAsked = true
    return new Promise(resolve => {
      go = resolve
    })
  }
  steps.wanted(wanted('a'))
  await expect.poll(() => isAsked).toBe(true)
  await steps.giveUp()
  go(true)
  mayStart = async () => true
  steps.wanted(wanted('a', 'b'))
  await expect.poll(() => started.map(({ step }) => step)).toEqual(['b'])
})

test('a step that ended while its worker was cut off for too long is reported as lost', async () => {
  const steps = open()
  steps.wanted(wanted('a'))
  await expect.poll(() => started.length).toBe(1)
  isCutOff = true
  finish()
  await expect.poll(reports).toEqual([['a', 'lost']])
})

test('a step says whether its files were saved', async () => {
  const steps = open()
  const saved = { head: 'a', wip: 'b', blob: 'c' }
  const repository = { origin: null, base: 'a', branch: 'b', saved: null, epoch: 1 }
  const withGit = { ...repository, identity: { name: 'Ada', email: 'ada@example.org' } }
  const cases: [StepNeeds['workspace'], typeof save, object][] = [
    [withGit, async () => saved, { saved }],
    [withGit, async () => null, {}],
    [withGit, () => Promise.reject(new Error('the disk is full')), { unsaved: 'the disk is full' }],
    [null, async () => null, { unsaved: 'it works in a directory without git' }],
  ]
  for (const [index, [needed, saving, expected]] of cases.entries()) {
    workspace = needed
    save = saving
    const names = cases.slice(0, index + 1).map((_, n) => `s${n}`)
    steps.wanted(wanted(...names))
    await expect.poll(() => started.length).toBe(index + 1)
    finish()
    const ends = () => sent.flatMap(sent => (sent.type === 'report' && sent.step === `s${index}` ? [sent.report] : []))
    await expect.poll(() => ends().at(-1)).toMatchObject({ is: 'ended', ...expected })
    const { saved: kept, unsaved } = ends().at(-1) as { saved?: object; unsaved?: string }
    expect({ ...(kept && { saved: kept }), ...(unsaved !== undefined && { unsaved }) }).toEqual(expected)
  }
})

test('a step waits for the files of its run while the blob store is away, says so once, and then starts', async () => {
  let attempts = 0
  prepare = () => {
    attempts += 1
    return Promise.reject(new SignalboxError('E_BLOBS_AWAY', 'the blob store does not work: refused'))
  }
  const steps = open()
  steps.wanted(wanted('a'))
  await expect
    .poll(() => {
      clock.advance(5_000)
      return attempts
    })
    .toBeGreaterThan(2)
  expect(reports()).toEqual([['a', 'event']])
  expect(JSON.stringify(sent)).toContain('the step waits for the files of its run: the blob store does not work')
  expect([started.length, steps.runs]).toEqual([0, ['run_1']])
  prepare = async needs => needs
  await expect
    .poll(() => {
      clock.advance(5_000)
      return started.length
    })
    .toBe(1)
  finish()
  await expect.poll(reports).toEqual([
    ['a', 'event'],
    ['a', 'ended'],
  ])
})

test('a step that waits for files is dropped when it is no longer wanted', async () => {
  let prepared = 0
  prepare = () => {
    prepared += 1
    return Promise.reject(new SignalboxError('E_BLOBS_AWAY', 'away'))
  }
  const steps = open()
  steps.wanted(wanted('a'))
  await expect.poll(() => reports().length).toBe(1)
  steps.wanted(wanted())
  await expect.poll(() => steps.runs).toEqual([])
  clock.advance(60_000)
  expect([prepared, started.length]).toEqual([1, 0])
})
