import { beforeEach, describe, expect, test } from 'vitest'
import type { OpenStep, RunState, RunSteps } from '../engine/index.js'
import { EVENT_GROUPS, newEvent, pipelineEvents } from '../events/index.js'
import type { NewEvent } from '../store/index.js'
import { PlacedSteps } from './placed-steps.js'

const LOCAL: RunSteps = {
  isEmpty: true,
  usage: [],
  begin: () => undefined,
  takeOver: async () => false,
  recover: () => undefined,
  keepOnly: () => undefined,
  stop: async () => undefined,
}
const open = (version: number): OpenStep => ({ effect: 'work', input: {}, startedAt: 1, version })

let arrived: NewEvent[]
let released: boolean[]
let refused: string[]
let state: RunState
let steps: PlacedSteps
const NOW = 1_000_000

beforeEach(() => {
  arrived = []
  released = []
  refused = []
  const about = { id: 'run_1', kind: 'list', cwd: '/p', placed: { worker: 'wrk_a', epoch: 1 }, work: {} }
  state = { ...about, steps: new Map([['a', open(5)]]) } as unknown as RunState
  const hub = {
    changed: () => undefined,
    released: (_: unknown, { isStopped }: { isStopped: boolean }) => released.push(isStopped),
    refused: (_: unknown, type: string) => refused.push(type),
  }
  steps = new PlacedSteps(
    hub as never,
    { lease: { isAcquired: true, key: 'run/1', owner: 'h', epoch: 3 }, state: () => state },
    {
      run: 'run_1',
      now: () => NOW,
      work: () => ({}),
      costLeftUsd: () => null,
      arrive: event => void arrived.push(event),
      onSpent: () => undefined,
      onError: error => {
        throw error
      },
      workflow: () => ({}) as never,
      local: LOCAL,
      isLocal: effect => effect === 'local',
    },
  )
  steps.begin('a', open(5))
})

const types = () => arrived.map(({ type }) => type)

describe('a report of a worker', () => {
  test('that says why the files were not saved is written before the end of its step', () => {
    steps.applyReport('a', 'a/5', { is: 'ended', status: 'ok', unsaved: 'the disk is full' })
    expect(types()).toEqual(['workspace.unsaved', 'step.ended'])
    expect(arrived[0]!.data).toEqual({ step: 'a', reason: 'the disk is full' })
  })

  test('counts once, and its step stays required until the journal has its end', () => {
    steps.applyReport('a', 'a/5', { is: 'ended', status: 'ok' })
    steps.applyReport('a', 'a/5', { is: 'ended', status: 'ok' })
    expect(types()).toEqual(['step.ended'])
    steps.keepOnly(new Set(['a']))
    expect(steps.wanted).toEqual([{ step: 'a', key: 'a/5', do: 'run' }])
    state.steps.delete('a')
    steps.keepOnly(new Set())
    expect([steps.wanted, steps.isEmpty, types()]).toEqual([[], true, ['step.ended']])
  })

  test('has no time before its step or later than that of the server', () => {
    const event = (at: number) => ({ type: 'run.notice', data: { level: 'info', text: 'x' }, at })
    steps.applyReport('a', 'a/5', { is: 'event', seq: 1, event: event(NOW + 600_000) })
    steps.applyReport('a', 'a/5', { is: 'event', seq: 2, event: event(NOW - 5) })
    steps.applyReport('a', 'a/5', { is: 'event', seq: 3, event: event(-600_000) })
    expect(arrived.map(({ at }) => at)).toEqual([NOW, NOW - 5, 1])
  })

  test('spends the budget of its run', () => {
    steps.applyReport('a', 'a/5', { is: 'spent', usage: { input: 10, output: 5 } })
    steps.applyReport('b', 'b/5', { is: 'spent', usage: { input: 10, output: 5 } })
    expect(steps.usage).toEqual([{ input: 10, output: 5 }])
  })

  test('has no effect if it belongs to another attempt', () => {
    steps.applyReport('a', 'a/4', { is: 'ended', status: 'ok' })
    steps.applyReport('b', 'b/5', { is: 'ended', status: 'ok' })
    expect(types()).toEqual([])
  })

  test('brings the saved workspace in the same turn as the end', () => {
    steps.applyReport('a', 'a/5', { is: 'ended', status: 'ok', saved: { head: 'h', wip: 'w', blob: 'b' } })
    expect(types()).toEqual(['workspace.saved', 'step.ended'])
  })

  const EVENTS = EVENT_GROUPS.flatMap(({ types }) => Object.keys(types))
  const OF_THE_ENGINE = ['step.spawned', 'run.notice', 'artifact.stored', 'budget.warned']
  const ALLOWED = [...OF_THE_ENGINE, ...Object.keys(pipelineEvents)]

  test.each(EVENTS)('writes %s only if a step may', type => {
    const event = { type, data: {} }
    steps.applyReport('a', 'a/5', { is: 'event', seq: 1, event })
    const isAllowed = ALLOWED.includes(type)
    expect([types(), refused]).toEqual(isAllowed ? [[type], []] : [[], [type]])
    // The events of a result are written with the end of the step.
    steps.applyReport('a', 'a/5', { is: 'ended', status: 'ok', result: { status: 'success', events: [event] } })
    const end = isAllowed ? { status: 'ok' } : { status: 'failed', result: null, reason: expect.stringContaining(type) }
    expect(arrived.at(-1)).toMatchObject({ type: 'step.ended', data: end })
  })

  test('cannot bring events of people with what it recovered', () => {
    state.steps.delete('a')
    steps.recover('a', 'work', {})
    const result = { events: [{ type: 'telegram.update-taken', data: {} }] }
    steps.applyReport('a', 'a/recover-1', { is: 'recovered', recovery: { verdict: 'success', result } })
    expect(arrived).toEqual([newEvent('step.recovered', { step: 'a', verdict: 'nothing', evidence: [] })])
    expect(refused).toEqual(['telegram.update-taken'])
  })

  test('counts an event once', () => {
    const event = { is: 'event' as const, seq: 1, event: { type: 'run.notice', data: {} } }
    steps.applyReport('a', 'a/5', event)
    steps.applyReport('a', 'a/5', event)
    expect(types()).toEqual(['run.notice'])
  })
})

describe('steps on a worker', () => {
  test('end as cancelled if they are no longer needed', () => {
    steps.keepOnly(new Set())
    expect(arrived).toMatchObject([{ type: 'step.ended', data: { step: 'a', status: 'cancelled' } }])
  })

  test('are dropped without an end if they were lost with their worker', () => {
    state.steps.delete('a')
    steps.keepOnly(new Set())
    expect(types()).toEqual([])
  })

  test('continue when their driver is replaced, and stop when the run is paused', async () => {
    await steps.stop('released')
    await steps.stop('fenced')
    await steps.stop('paused')
    expect(released).toEqual([false, false, true])
  })

  test('are recovered once per move by the worker that has the run now', () => {
    state.steps.delete('a')
    steps.recover('a', 'work', {})
    steps.keepOnly(new Set())
    expect(steps.wanted).toEqual([{ step: 'a', key: 'a/recover-1', do: 'recover' }])
    steps.applyReport('a', 'a/recover-1', { is: 'recovered', recovery: { verdict: 'nothing' } })
    steps.recover('a', 'work', {})
    steps.keepOnly(new Set())
    expect([steps.wanted.length, types()]).toEqual([1, ['step.recovered']])
    steps.keepOnly(new Set())
    expect(steps.wanted).toEqual([])
  })
})
