import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { getRun, resumeRun } from '../control.js'
import { GraphBench, type Ran, Script } from './testing/graph-bench.js'

let bench: GraphBench
beforeEach(async () => {
  bench = await GraphBench.open()
})
afterEach(() => bench.close())

const finishedAs = ({ events }: Ran, node: string) =>
  events.filter(({ type, data }) => type === 'node.finished' && data.node === node).map(({ data }) => data.status)
const selected = ({ events }: Ran, from: string) =>
  events.find(({ type, data }) => type === 'edge.selected' && data.from === from)?.data

describe('engine', () => {
  test('finds the start by shape before the one of that name', async () => {
    const id = await bench.create('digraph { Start; begin [shape=Mdiamond]; begin -> Start -> exit }')
    await bench.drive(id, new Script())
    expect((await bench.look(id)).path).toEqual(['begin', 'Start', 'exit'])
  })

  test('takes the handler from the type, then the shape, then an agent', async () => {
    const { events } = await bench.run(
      'a [type=tool, shape=diamond, tool_command=x]; b [shape=parallelogram]; c; start -> a -> b -> c -> exit',
    )
    const handlers = events.filter(({ type }) => type === 'node.started').map(({ data }) => data.handler)
    expect(handlers).toEqual(['start', 'tool', 'tool', 'codergen', 'exit'])
  })

  test('ends at a node that nothing leaves, after that node has run', async () => {
    const { status, script } = await bench.run('a; last; start -> a -> last; a -> exit [condition="outcome=never"]')
    expect([status, script.begun]).toEqual(['completed', ['a@1#1', 'last@1#1']])
  })

  test('goes through twelve nodes, and keeps the status of each', async () => {
    const names = Array.from({ length: 10 }, (_, at) => `n${at}`)
    const ran = await bench.run(`${names.join('; ')}; start -> ${names.join(' -> ')} -> exit`)
    expect(ran.path).toHaveLength(12)
    expect([...ran.work.outcomes.values()].every(status => status === 'success')).toBe(true)
    expect(ran.types.filter(type => type === 'checkpoint.saved')).toHaveLength(11)
  })

  test('fails where no edge may be taken, with each condition and what it saw', async () => {
    const ran = await bench.run(
      'a; start -> a; a -> exit [condition="colour=red"]',
      new Script({ a: { context_updates: { colour: 'blue' } } }),
    )
    expect([ran.status, ran.reason]).toEqual(['failed', 'no_route'])
    expect(ran.text).toContain('colour is "blue"')
  })

  test('goes where the handler says, and fails where that is nowhere', async () => {
    const dot = 'a; b; c; start -> a -> b -> exit; c -> exit'
    expect((await bench.run(dot, new Script({ a: { next_node: 'c' } }))).path).toEqual(['start', 'a', 'c', 'exit'])
    expect((await bench.run(dot, new Script({ a: { next_node: 'zzz' } }))).reason).toBe('bad_route')
  })

  test('reaching max_steps is a failure', async () => {
    const ran = await bench.run('graph [max_steps=5]; a [max_visits=0]; start -> a; a -> a [weight=1]; a -> exit')
    expect([ran.status, ran.reason]).toEqual(['failed', 'max_steps'])
  })
})

describe('edges', () => {
  const best = async (edges: string, said = {}) => {
    const ran = await bench.run(`a; b; c; start -> a; ${edges}; b -> exit; c -> exit`, new Script({ a: said }))
    return [ran.path[2], selected(ran, 'a')?.reason]
  }

  test('a condition beats weight', async () => {
    expect(await best('a -> b [weight=9]; a -> c [condition="outcome=success"]')).toEqual(['c', 'condition'])
  })
  test('a label beats a suggestion beats weight', async () => {
    const edges = 'a -> b [weight=9]; a -> c [label="[G] Go"]'
    expect(await best(edges, { preferred_label: 'go', suggested_next_ids: ['b'] })).toEqual(['c', 'label'])
    expect(await best(edges, { suggested_next_ids: ['c'] })).toEqual(['c', 'suggested'])
    expect(await best(edges)).toEqual(['b', 'weight'])
  })
  test('the target breaks ties of weight', async () => {
    expect(await best('a -> c; a -> b')).toEqual(['b', 'weight'])
  })
  test('edges between the same two nodes stay distinct', async () => {
    const ran = await bench.run(
      'a; start -> a; a -> exit [label=x]; a -> exit [label=y]',
      new Script({ a: { preferred_label: 'y' } }),
    )
    expect(selected(ran, 'a')?.edge).toBe('a->exit#2')
  })
  test('failure never follows an ordinary edge', async () => {
    const ran = await bench.run('a; b; start -> a -> b -> exit', new Script({ a: { status: 'fail' } }))
    expect([ran.status, ran.path]).toEqual(['failed', ['start', 'a']])
  })
  test('a failed parallel node does not go along one of its branches, even into a diamond', async () => {
    const dot = 'p [shape=component]; d [shape=diamond]; a; j; start -> p; p -> d; d -> a; a -> j; j -> exit'
    const ran = await bench.run(dot, new Script({ a: { status: 'fail', failure_class: 'deterministic' } }))
    expect(ran.status).toBe('failed')
    expect(ran.path.filter(node => node === 'd')).toHaveLength(1)
  })
  test.each([
    ['by condition', 'd -> good [condition="outcome=success"]; d -> bad [condition="outcome=fail"]'],
    ['by label', 'd -> good [label=success]; d -> bad [label=fail]'],
    ['by weight', 'd -> good; d -> bad [weight=5]'],
  ])('a diamond after a failure routes %s', async (_, edges) => {
    const dot = `a; d [shape=diamond]; good; bad; start -> a -> d; ${edges}; good -> exit; bad -> exit`
    const ran = await bench.run(dot, new Script({ a: { status: 'fail', failure_class: 'deterministic' } }))
    expect(ran.path).toEqual(['start', 'a', 'd', 'bad', 'exit'])
    expect(ran.context._failed_node).toBe('a')
  })
})

describe('goals', () => {
  test('no target fails the run', async () => {
    const ran = await bench.run(
      'a; t [goal_gate=true]; start -> a -> exit; a -> t [condition="outcome=fail"]; t -> exit',
    )
    expect([ran.status, ran.reason]).toEqual(['failed', 'goal_unmet'])
  })
  test('a gate that was never visited blocks; one that only counts when visited does not', async () => {
    const dot = (gate: string) =>
      `graph [retry_target=a, max_node_visits=3]; a; t [goal_gate=${gate}]; start -> a; a -> exit; a -> t [condition="outcome=other"]; t -> exit`
    expect((await bench.run(dot('true'))).reason).toBe('max_visits')
    expect((await bench.run(dot('visited'))).status).toBe('completed')
  })
  test('a required node, and a condition', async () => {
    const dot = 'graph [required_nodes="b", retry_target=b]; a; b; start -> a -> exit; b -> exit'
    expect((await bench.run(dot)).path).toEqual(['start', 'a', 'b', 'exit'])
    const condition = 'graph [goal_condition="ready=yes", retry_target=a]; a; start -> a -> exit'
    const ran = await bench.run(condition, new Script({ a: [{}, { context_updates: { ready: 'yes' } }] }))
    expect(ran.path).toEqual(['start', 'a', 'a', 'exit'])
    expect(ran.context._goal_gate_unmet).toEqual(['goal_condition'])
  })
  test('a goal that is the last node itself is asked after it ran', async () => {
    const id = await bench.create(
      'digraph { start [shape=Mdiamond]; a; t [goal_gate=true, retry_target=a]; start -> a -> t }',
    )
    const script = new Script({ t: [{ status: 'success' }] })
    await bench.drive(id, script)
    expect((await bench.look(id)).status).toBe('completed')
  })
})

describe('retry', () => {
  test('delays grow, are capped and jittered', async () => {
    const script = new Script({ a: Array.from({ length: 9 }, () => ({ status: 'retry' as const })) })
    const ran = await bench.run('a [retry_policy=patient, max_retries=6]; start -> a -> exit', script)
    const delays = ran.events.filter(({ type }) => type === 'timer.set').map(({ data, at }) => Number(data.due) - at)
    expect(delays).toEqual([2_000, 6_000, 18_000, 54_000, 60_000, 60_000])
    expect(ran.events.find(({ type }) => type === 'timer.set')!.data.random).toBe(1)
    expect(finishedAs(ran, 'a')).toEqual(['fail'])
    expect(ran.text).toContain('max retries exceeded')
  })
  test('what no further try mends is not tried again', async () => {
    const ran = await bench.run(
      'a [max_retries=5]; start -> a -> exit',
      new Script({ a: { status: 'fail', failure_class: 'deterministic' } }),
    )
    expect(ran.script.begun).toEqual(['a@1#1'])
  })
  test('an exhausted outcome routes', async () => {
    const dot =
      'a [max_retries=1]; b; start -> a; a -> exit [condition="outcome=success"]; a -> b [condition="outcome=fail"]; b -> exit'
    const ran = await bench.run(dot, new Script({ a: { status: 'retry' } }))
    expect(ran.path).toEqual(['start', 'a', 'b', 'exit'])
  })
  test('the same failure ends the run before the visits do', async () => {
    const dot = 'a [retry_target=a]; start -> a -> exit'
    const failure = {
      status: 'fail' as const,
      failure_class: 'structural' as const,
      failure_reason: 'no file /tmp/x12',
    }
    const ran = await bench.run(dot, new Script({ a: failure }))
    expect([ran.reason, ran.script.begun.length]).toEqual(['failure_repeated', 3])
  })
  test('a death is looked into, and what was nearly done goes on in the same session without being lost', async () => {
    const script = new Script({ a: [{ status: 'fail', isDeath: true, failure_class: 'unknown' }, {}] })
    script.recovers = 'partial'
    const ran = await bench.run('a [max_retries=1]; start -> a -> exit', script)
    expect(ran.types).toContain('step.recovered')
    expect([ran.status, script.begun]).toEqual(['completed', ['a@1#1', 'a@1#2']])
  })
  test('a death whose work turns out to be done counts as success', async () => {
    const script = new Script({ a: { status: 'fail', isDeath: true } })
    script.recovers = 'success'
    expect((await bench.run('a; start -> a -> exit', script)).status).toBe('completed')
  })
})

describe('parallel', () => {
  const fork = (attributes: string, join = 'j [shape=tripleoctagon]') =>
    `p [shape=component${attributes}]; a; b; c; ${join}; start -> p; p -> a; p -> b; p -> c; a -> j; b -> j; c -> j; j -> exit`
  const failing = { status: 'fail' as const, failure_class: 'deterministic' as const }

  test.each([
    ['wait_all', '', ['a'], 'partial_success'],
    ['wait_all with every branch failing', '', ['a', 'b', 'c'], 'fail'],
    ['first_success', ', join_policy=first_success, max_parallel=1', ['a'], 'success'],
    ['k_of_n', ', join_policy=k_of_n, k=2', ['a'], 'success'],
    ['k_of_n that cannot be reached', ', join_policy=k_of_n, k=3', ['a'], 'fail'],
    ['quorum', ', join_policy=quorum', ['a'], 'success'],
    ['fail_fast', ', error_policy=fail_fast, max_parallel=1', ['a'], 'fail'],
    ['ignore', ', error_policy=ignore', ['a'], 'success'],
  ])('%s', async (_, attributes, bad, status) => {
    const ran = await bench.run(fork(attributes), new Script(Object.fromEntries(bad.map(node => [node, failing]))))
    expect(finishedAs(ran, 'p')).toEqual([status])
  })

  test('fan-in takes the best by status, score and name, and only its changes', async () => {
    const script = new Script({
      a: { context_updates: { colour: 'red', score: 1 } },
      b: { context_updates: { colour: 'green', score: 7 } },
      c: { status: 'partial_success', context_updates: { colour: 'blue', score: 99 } },
    })
    const ran = await bench.run(fork(''), script)
    expect(ran.context['parallel.fan_in.best_id']).toBe('p@1.2')
    expect(ran.context.colour).toBe('green')
  })

  test('fan-in by an agent takes the one it names, and says so when there is no such one', async () => {
    const join = 'j [shape=tripleoctagon, prompt="Which?"]'
    const named = await bench.run(fork('', join), new Script({ j: { response: '{"best_id":"p@1.3"}' } }))
    expect(named.context['parallel.fan_in.best_id']).toBe('p@1.3')
    const unknown = await bench.run(fork('', join), new Script({ j: { response: '{"best_id":"nobody"}' } }))
    expect(unknown.context['parallel.fan_in.best_id']).toBe('p@1.1')
    const note = unknown.events.find(({ type, data }) => type === 'node.finished' && data.node === 'j')!.data.notes
    expect(note).toContain('nobody')
  })

  test('an ordinary join goes on without taking over what branches changed', async () => {
    const ran = await bench.run(fork('', 'j'), new Script({ a: { context_updates: { colour: 'red' } } }))
    expect([ran.status, ran.context.colour]).toEqual(['completed', undefined])
    expect((ran.context['parallel.results'] as { context_updates: object }[])[0]!.context_updates).toMatchObject({
      colour: 'red',
    })
  })

  test('nested branches join inside their branch, and a terminal inside one ends only it', async () => {
    const dot =
      'p [shape=component]; q [shape=component]; a; b; c; k; j; start -> p; p -> q; p -> c; q -> a; q -> b; a -> k; b -> k; k -> j; c -> j; j -> exit'
    const ran = await bench.run(dot)
    expect(ran.status).toBe('completed')
    expect([...ran.path].sort()).toEqual(['a', 'b', 'c', 'exit', 'j', 'k', 'p', 'q', 'start'])
  })
})

describe('loop_restart', () => {
  const dot =
    'a; start -> a; a -> exit [condition="outcome=success"]; a -> a [condition="outcome=fail", loop_restart=true]'

  test('ends the run and begins a new one at the target, with its context and without its visits', async () => {
    const failing = {
      status: 'fail' as const,
      failure_class: 'transient_infra' as const,
      context_updates: { tried: 'yes' },
    }
    const ran = await bench.run(dot, new Script({ a: [failing] }))
    expect([ran.status, ran.reason]).toEqual(['completed', 'restarted'])
    const successor = String(ran.events.find(({ type }) => type === 'run.completed')!.data.successor)
    await bench.drive(successor, new Script())
    const next = await bench.look(successor)
    expect([next.status, next.path, next.context.tried]).toEqual(['completed', ['a', 'exit'], 'yes'])
    expect((await getRun(bench.store, successor)).from).toEqual({ run: ran.id, as: 'restart' })
    expect(next.work.visits.get('a')).toBe(1)
  })

  test('is given up when the same failure brings it back too often', async () => {
    let { id, ...ran } = await bench.run(dot, new Script({ a: { status: 'fail', failure_reason: 'no' } }))
    let runs = 1
    for (; ran.reason === 'restarted'; runs++) {
      id = String(ran.events.find(({ type }) => type === 'run.completed')!.data.successor)
      await bench.drive(id, new Script({ a: { status: 'fail', failure_reason: 'no' } }))
      ran = await bench.look(id)
    }
    expect([ran.status, ran.reason, runs]).toEqual(['failed', 'restart_limit', 4])
  })
})

describe('again', () => {
  test('goals stay met and outcomes stay known when a run goes on after a failure', async () => {
    const script = new Script({ b: [{ status: 'fail' }] })
    const ran = await bench.run('a [goal_gate=true]; b; start -> a -> b -> exit', script)
    expect(ran.status).toBe('failed')
    await resumeRun(bench.store, ran.id, { by: 'someone' })
    await bench.drive(ran.id, script)
    const after = await bench.look(ran.id, script)
    expect([after.status, script.begun]).toEqual(['completed', ['a@1#1', 'b@1#1', 'b@1#2']])
    expect(after.work.outcomes.get('a')).toBe('success')
  })

  test('a checkpoint follows every node that leads on, and names the next', async () => {
    const ran = await bench.run('a; b; start -> a -> b -> exit')
    const saved = ran.events.filter(({ type }) => type === 'checkpoint.saved')
    expect(saved.map(({ data }) => [data.node, data.next])).toEqual([
      ['start', 'a'],
      ['a', 'b'],
      ['b', 'exit'],
    ])
    for (const { version } of saved) expect(ran.events[version - 2]!.type).toBe('edge.selected')
  })

  test('no more branches than max_parallel are open at once, each goes its whole way, and the run goes on at the join', async () => {
    let open = 0
    let most = 0
    const step = async () => {
      open++
      most = Math.max(most, open)
      await new Promise(resolve => setImmediate(resolve))
      open--
      return {}
    }
    const names = ['a', 'b', 'c', 'd', 'e']
    const dot = `p [shape=component, max_parallel=2]; j [shape=diamond]; start -> p; j -> exit; ${names.map(name => `p -> ${name} -> ${name}2 -> j`).join('; ')}`
    const script = new Script(
      Object.fromEntries(
        names.flatMap(name => [
          [name, step],
          [`${name}2`, step],
        ]),
      ),
    )
    const ran = await bench.run(dot, script)
    expect([ran.status, most, ran.script.begun.length]).toEqual(['completed', 2, 10])
    expect(ran.path.filter(node => node === 'j')).toEqual(['j'])
  })
})

describe('state', () => {
  test('updates are seen by the next node; engine keys are protected', async () => {
    let seen: unknown
    const script = new Script({
      a: { context_updates: { colour: 'red', _completed_nodes: 'mine', 'graph.goal': 'mine' } },
      b: async call => {
        seen = structuredClone((call.work() as { cursors: Map<string, { context: object }> }).cursors.get('')!.context)
        return {}
      },
    })
    const ran = await bench.run('graph [goal=ours]; a; b; start -> a -> b -> exit', script)
    expect(seen).toMatchObject({
      colour: 'red',
      'graph.goal': 'ours',
      last_stage: 'a',
      current_node: 'b',
      outcome: 'success',
    })
    expect(ran.context._completed_nodes).toEqual(['start', 'a', 'b', 'exit'])
    expect(ran.events.find(({ type }) => type === 'context.changed')!.data.dropped).toEqual([
      '_completed_nodes',
      'graph.goal',
    ])
  })

  test('a failed run that is resumed tries the failed node anew, and keeps what was done', async () => {
    const ran = await bench.run('a; b; start -> a -> b -> exit', new Script({ b: { status: 'fail' } }))
    expect(ran.status).toBe('failed')
    await resumeRun(bench.store, ran.id, { by: 'someone' })
    const script = new Script()
    await bench.drive(ran.id, script)
    expect([(await bench.look(ran.id)).status, script.begun]).toEqual(['completed', ['b@1#2']])
  })

  test('a run goes on with a changed graph when it is told so', async () => {
    const ran = await bench.run('a; b; start -> a -> b -> exit', new Script({ b: { status: 'fail' } }))
    const dot = 'digraph { start [shape=Mdiamond]; exit [shape=Msquare]; a; b; c; start -> a -> b -> c -> exit }'
    await resumeRun(bench.store, ran.id, { by: 'someone', changes: { dot } })
    await bench.drive(ran.id, new Script())
    expect((await bench.look(ran.id)).path).toEqual(['start', 'a', 'b', 'c', 'exit'])
  })
})

describe('people', () => {
  const gate = (attributes = '', edges = 'g -> a [label="[Y] Yes"]; g -> b [label="[N] No"]') =>
    `digraph { start [shape=Mdiamond]; exit [shape=Msquare]; g [shape=hexagon${attributes}]; a; b; start -> g; ${edges}; a -> exit; b -> exit }`
  const asked = async (dot: string, option: string, extra = {}) => {
    const id = await bench.create(dot)
    await bench.drive(id, new Script(), { park: true })
    await bench.answer(id, option, extra)
    const script = new Script()
    await bench.drive(id, script, { park: true })
    return bench.look(id, script)
  }

  test.each(['choice', 'yes_no', 'confirm'])('a question of type %s takes the edge of its option', async type => {
    const ran = await asked(gate(`, human.type=${type}`), 'N')
    expect([ran.script.begun, ran.context['human.gate.selected'], ran.context['human.gate.by']]).toEqual([
      ['b@1#1'],
      'N',
      'someone',
    ])
  })
  test('several choices go along the first, and all are kept', async () => {
    const ran = await asked(gate(', human.type=multi'), 'Y', { choices: ['Y', 'N'] })
    expect([ran.script.begun, ran.context['human.gate.selected']]).toEqual([['a@1#1'], 'Y,N'])
  })
  test('typed text goes along the freeform edge', async () => {
    const ran = await asked(gate('', 'g -> a [label=Yes]; g -> b [freeform=true]'), '', { text: 'my words' })
    expect([ran.script.begun, ran.context['human.gate.text']]).toEqual([['b@1#1'], 'my words'])
  })
  test('an answer that is none is refused: the gate is asked again', async () => {
    const ran = await asked(gate(), 'Z')
    expect([ran.status, ran.script.begun]).toEqual(['waiting', []])
  })
  test('a run that approves by itself takes the first option, on record as such', async () => {
    const id = await bench.create(gate(), { isAutoApproved: true })
    const script = new Script()
    await bench.drive(id, script)
    const ran = await bench.look(id, script)
    expect([ran.status, script.begun, ran.context['human.gate.by']]).toEqual(['completed', ['a@1#1'], 'auto-approve'])
  })
  test('nobody answering fails the gate, and takes no option', async () => {
    const id = await bench.create(gate())
    await bench.drive(id, new Script(), { park: true })
    const [[name, approval]] = Object.entries((await getRun(bench.store, id)).gates) as [[string, string]]
    const data = { gate: name, approval, reason: 'skipped: nobody answers' }
    await bench.store.append(`run/${id}`, 'any', [{ type: 'gate.expired', data }])
    await bench.drive(id, new Script(), { park: true })
    const ran = await bench.look(id)
    expect([ran.status, ran.context.failure_class]).toEqual(['failed', 'canceled'])
  })
})

describe('a dry run', () => {
  test('follows its script, answers gates, waits for nothing, and stops going round after ten visits', async () => {
    const dot =
      'a; g [shape=hexagon]; w [shape=insulator, duration=9h]; m [shape=house, stack.child_dotfile=x]; b; start -> a -> g; g -> b [label=No]; g -> w [label=Yes]; w -> m -> exit; b -> exit'
    const dryRun = { g: { preferred_label: 'Yes' } }
    const ran = await bench.run(dot, new Script(), { dryRun })
    expect(ran.path).toEqual(['start', 'a', 'g', 'w', 'm', 'exit'])
    const loop = await bench.run('a; start -> a; a -> a [weight=1]; a -> exit', new Script(), { dryRun: {} })
    expect([loop.reason, loop.path.length]).toEqual(['max_visits', 11])
  })
})
