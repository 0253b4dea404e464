import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { getRun } from '../control.js'
import { GraphFixture, Script } from './testing/graph-fixture.js'

let fixture: GraphFixture

beforeEach(async () => {
  fixture = await GraphFixture.open()
})
afterEach(() => fixture.close())

const run: GraphFixture['run'] = (dot, script) => fixture.run(dot, script)

describe('a graph run', () => {
  test('goes from start to exit', async () => {
    const { path, status, script } = await run('a [prompt="x"] b [prompt="y"] start -> a -> b -> exit')
    expect(path).toEqual(['start', 'a', 'b', 'exit'])
    expect(status).toBe('completed')
    expect(script.started).toEqual(['a@1#1', 'b@1#1'])
  })

  test('follows an edge whose condition holds, and never one whose condition does not', async () => {
    const dot =
      'a; good; bad; start -> a; a -> good [condition="outcome=success"]; a -> bad [condition="outcome=fail"]; good -> exit; bad -> exit'
    expect((await run(dot)).path).toEqual(['start', 'a', 'good', 'exit'])
    expect((await run(dot, new Script({ a: { status: 'fail', failure_class: 'deterministic' } }))).path).toEqual([
      'start',
      'a',
      'bad',
      'exit',
    ])
  })

  test('fails when a node fails and no edge handles it', async () => {
    const { status, reason, path } = await run(
      'a; b; start -> a -> b -> exit',
      new Script({ a: { status: 'fail', failure_reason: 'no luck' } }),
    )
    expect([status, reason]).toEqual(['failed', 'failed'])
    expect(path).toEqual(['start', 'a'])
  })

  test('retries as often as configured, with growing delays', async () => {
    const script = new Script({ a: [{ status: 'fail' }, { status: 'retry' }, {}] })
    const { status, events } = await run('a [max_retries=2]; start -> a -> exit', script)
    expect(status).toBe('completed')
    expect(script.started).toEqual(['a@1#1', 'a@1#2', 'a@1#3'])
    const timers = events.filter(({ type }) => type === 'timer.set')
    expect(timers).toHaveLength(2)
  })

  test('accepts a partial result where that is allowed', async () => {
    const { status, events } = await run(
      'a [allow_partial=true]; start -> a -> exit',
      new Script({ a: { status: 'retry' } }),
    )
    expect(status).toBe('completed')
    expect(events.find(({ type, data }) => type === 'node.finished' && data.node === 'a')!.data.status).toBe(
      'partial_success',
    )
  })

  test('passes outcomes through a diamond', async () => {
    const dot =
      'a; d [shape=diamond]; fix; start -> a -> d; d -> exit [condition="outcome=success"]; d -> fix [condition="outcome!=success"]; fix -> a'
    const { path, status } = await run(dot, new Script({ a: [{ status: 'fail' }, {}] }))
    expect(path).toEqual(['start', 'a', 'd', 'fix', 'a', 'd', 'exit'])
    expect(status).toBe('completed')
  })

  test.each([
    ['label', 'd -> exit [label=success]; d -> fix [label=fail]'],
    ['weight', 'd -> exit [weight=1]; d -> fix [weight=2]'],
  ])('routes through a diamond after a failure by %s', async (_, edges) => {
    const dot = `a; d [shape=diamond]; fix; start -> a -> d; ${edges}; fix -> exit`
    const { path, status } = await run(dot, new Script({ a: [{ status: 'fail' }] }))
    expect(path).toEqual(['start', 'a', 'd', 'fix', 'exit'])
    expect(status).toBe('completed')
  })

  test('returns while a goal is unmet', async () => {
    const dot =
      'a; t [goal_gate=true, retry_target=a]; start -> a -> t; t -> exit [condition="outcome=success"]; t -> exit [condition="outcome=weak"]'
    const { path, status } = await run(dot, new Script({ t: [{ status: 'fail', outcome: 'weak' }, {}] }))
    expect(path).toEqual(['start', 'a', 't', 'a', 't', 'exit'])
    expect(status).toBe('completed')
  })

  test('ends when a node was visited too often', async () => {
    const { status, reason } = await run('a [max_visits=3]; start -> a; a -> a [weight=1]; a -> exit')
    expect([status, reason]).toEqual(['failed', 'max_visits'])
  })

  test('runs branches in parallel and continues where they join', async () => {
    const dot =
      'p [shape=component]; a; b; c; j [shape=tripleoctagon]; z; start -> p; p -> a; p -> b; p -> c; a -> j; b -> j; c -> j; j -> z -> exit'
    const { path, status, events } = await run(dot)
    expect(status).toBe('completed')
    expect([...path].sort()).toEqual(['a', 'b', 'c', 'exit', 'j', 'p', 'start', 'z'])
    expect(path.slice(-3)).toEqual(['j', 'z', 'exit'])
    expect(events.filter(({ type }) => type === 'branch.finished')).toHaveLength(3)
  })

  test('stops the other branches at the first success', async () => {
    const dot =
      'p [shape=component, join_policy=first_success]; a; b [max_retries=3]; j [shape=tripleoctagon]; start -> p; p -> a; p -> b; a -> j; b -> j; j -> exit'
    const { status, events } = await run(dot, new Script({ b: { status: 'retry' } }))
    expect(status).toBe('completed')
    expect(events.filter(({ type }) => type === 'branch.cancelled')).toHaveLength(1)
  })

  test('waits in a wait node', async () => {
    const { status, events } = await run('w [shape=insulator, duration=5m]; start -> w -> exit')
    expect(status).toBe('completed')
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['timer.set', 'run.waiting', 'timer.fired']))
  })

  test('asks in a gate, and follows the chosen edge', async () => {
    const id = await fixture.create(
      'digraph g { start [shape=Mdiamond] exit [shape=Msquare] g [shape=hexagon] a; b; start -> g; g -> a [label="[Y] Yes"]; g -> b [label="[N] No"]; a -> exit; b -> exit }',
    )
    expect(await fixture.drive(id, new Script(), { park: true })).toEqual({ state: 'waiting' })
    expect(Object.keys((await getRun(fixture.store, id)).gates)).toEqual(['g@1#1'])
    await fixture.answer(id, 'N', { label: 'No' })
    const script = new Script()
    expect(await fixture.drive(id, script, { park: true })).toMatchObject({ status: 'completed' })
    expect(script.started).toEqual(['b@1#1'])
  })

  test('follows the default edge of an unanswered gate, and fails without one', async () => {
    const gate = (attributes: string) =>
      `g [shape=hexagon, human.timeout=10m${attributes}]; a; start -> g; g -> a [label="Go"]; g -> exit [label="Stop"]; a -> exit`
    expect((await run(gate(', human.default_choice="Go"'))).path).toEqual(['start', 'g', 'a', 'exit'])
    expect((await run(gate(''))).status).toBe('failed')
  })
})
