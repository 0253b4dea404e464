import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { NewEvent } from '../../store/index.js'
import type { Performer, StepCall } from '../workflow.js'
import { Artifacts } from './artifacts.js'
import { type NodeOutcome, plainInput } from './graph-run.js'
import { graphWorkflow } from './graph-workflow.js'
import { NodeSteps, StallDetector } from './node-steps.js'

let directory: string
let clock: SimulatedClock
const recorded: NewEvent[] = []
const notices: string[] = []

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-node-'))
  clock = new SimulatedClock(1_000)
  recorded.length = 0
  notices.length = 0
})
afterEach(() => rmSync(directory, { recursive: true }))

function call(dot: string, attempt = 1): StepCall {
  const input = plainInput(
    `digraph { start [shape=Mdiamond]; exit [shape=Msquare]; ${dot}; start -> a -> exit }`,
    directory,
  )
  const about = { kind: 'graph', title: '', project: directory, cwd: directory, person: '' }
  const work = graphWorkflow.begin({ ...about, input }, { id: 'run_x', at: 0 })
  Object.assign(work.cursors.get('')!, { node: 'a', visit: 1, handler: 'codergen' })
  return {
    run: 'run_x',
    step: `a@1#${attempt}`,
    input: { node: 'a', visit: 1, attempt, branch: '' },
    work: () => work,
    name: `run_x/a@1#${attempt}`,
    signal: new AbortController().signal,
    startedAt: 0,
    spent: () => undefined,
    notice: (_, text) => void notices.push(text),
    record: event => void recorded.push(event),
  }
}

const steps = (handler: Performer['run']) =>
  new NodeSteps({ run: handler }, { clock, runDirectory: () => directory }, new StallDetector(clock))
const says = (outcome: Partial<NodeOutcome>) => async () => ({
  status: 'ok' as const,
  result: { status: 'success', ...outcome },
})

describe('every node of a graph', () => {
  test('fails if a must_write file is unchanged, unless an earlier attempt wrote it', async () => {
    writeFileSync(join(directory, 'out.txt'), 'old')
    const dot = 'a [must_write="out.txt"]'
    const idle = await steps(says({})).run(call(dot))
    expect(idle.result).toMatchObject({ status: 'fail', failure_reason: expect.stringContaining('out.txt') })
    writeFileSync(join(directory, 'out.txt'), 'new')
    expect((await steps(says({})).run(call(dot, 2))).result).toMatchObject({ status: 'success' })
  })

  test('stores a large value as an artifact, once, and keeps a reference', async () => {
    const big = 'x'.repeat(150 * 1024)
    const { result } = await steps(says({ response: big, context_updates: { copy: big, small: 1 } })).run(call('a'))
    const { context_updates: updates, response } = result as NodeOutcome
    expect(updates).toMatchObject({
      small: 1,
      copy: { size: big.length + 2 },
      'response.a': { artifact: expect.any(String) },
    })
    expect(response).toHaveLength(200)
    expect(recorded.map(({ type }) => type)).toEqual(['artifact.stored', 'artifact.stored'])
    const store = new Artifacts(join(directory, 'artifacts'))
    const { artifact } = updates!.copy as { artifact: string }
    expect([store.list().length, store.has(artifact), store.get(artifact)]).toEqual([1, true, big])
    expect([store.remove(artifact), store.has(artifact), store.remove(artifact)]).toEqual([true, false, false])
  })

  test('drops values that are not JSON, and reports them', async () => {
    const { result } = await steps(says({ context_updates: { good: [1], bad: new Date(), worse: Number.NaN } })).run(
      call('a'),
    )
    expect((result as NodeOutcome).context_updates).toEqual({ good: [1] })
    expect(notices).toHaveLength(2)
  })

  test('fails when it throws, with the message', async () => {
    const end = await steps(async () => {
      throw new Error('no luck')
    }).run(call('a'))
    expect(end.result).toMatchObject({ status: 'fail', failure_reason: 'no luck' })
  })

  test('has no outcome when the store was lost', async () => {
    const lost = new SignalboxError('E_STORE_AWAY', 'the store does not answer')
    const end = steps(() => Promise.reject(lost)).run(call('a'))
    await expect(end).rejects.toBe(lost)
  })

  test('leaves no timer after it stops, which would keep the process alive', async () => {
    const abort = new AbortController()
    let started: () => void = () => undefined
    const hasStarted = new Promise<void>(resolve => {
      started = resolve
    })
    const obedient = steps(({ signal }) => {
      started()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    })
    const ended = expect(obedient.run({ ...call('a'), signal: abort.signal })).rejects.toThrow('enough')
    await hasStarted
    abort.abort(new Error('enough'))
    await ended
    expect(clock.pending).toBe(0)
  })

  test('ends the run after the stall timeout; any progress restarts the timeout', async () => {
    let alive: (() => void) | null = null
    const hanging = steps(
      step =>
        new Promise(resolve => {
          alive = () => step.notice('info', 'still here')
          step.signal.addEventListener('abort', () => resolve({ status: 'failed', result: { status: 'fail' } }))
        }),
    )
    const done = hanging.run(call('graph [stall_timeout=10m]; a'))
    for (let turn = 0; turn < 10 && !alive; turn++) await new Promise(resolve => setImmediate(resolve))
    clock.advance(9 * 60_000)
    alive!()
    clock.advance(9 * 60_000)
    expect(await Promise.race([done, Promise.resolve('still running')])).toBe('still running')
    clock.advance(60_000)
    expect((await done).result).toMatchObject({ isStalled: true })
  })

  test('succeeds if it wrote the must_write file', async () => {
    mkdirSync(join(directory, 'sub'))
    const end = await steps(async () => {
      writeFileSync(join(directory, 'sub/new.txt'), 'x')
      return { status: 'ok', result: { status: 'success' } }
    }).run(call('a [must_write="sub/new.txt"]'))
    expect(end.result).toMatchObject({ status: 'success' })
  })
})
