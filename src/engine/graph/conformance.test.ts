import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { getRun, recordResume } from '../control.js'
import { gateRequest } from './gate-request.js'
import { MAIN } from './graph-work.js'
import { GraphFixture, type RunTrace, Script } from './testing/graph-fixture.js'

let fixture: GraphFixture
beforeEach(async () => {
  fixture = await GraphFixture.open()
})
afterEach(() => fixture.close())

const finishedAs = ({ events }: RunTrace, node: string) =>
  events.filter(({ type, data }) => type === 'node.finished' && data.node === node).map(({ data }) => data.status)
const selected = ({ events }: RunTrace, from: string) =>
  events.find(({ type, data }) => type === 'edge.selected' && data.from === from)?.data

describe('the graph engine', () => {
  test('finds the start node by shape before one by name', async () => {
    const id = await fixture.create('digraph { Start; begin [shape=Mdiamond]; begin -> Start -> exit }')
    await fixture.drive(id, new Script())
    expect((await fixture.read(id)).path).toEqual(['begin', 'Start', 'exit'])
  })

  test('takes the handler from the type, then from the shape, then codergen by default', async () => {
    const { events } = await fixture.run(
      'a [type=tool, shape=diamond, tool_command=x]; b [shape=parallelogram]; c; start -> a -> b -> c -> exit',
    )
    const handlers = events.filter(({ type }) => type === 'node.started').map(({ data }) => data.handler)
    expect(handlers).toEqual(['start', 'tool', 'tool', 'codergen', 'exit'])
  })

  test('ends at a node without outgoing edges, after that node has run', async () => {
    const { status, script } = await fixture.run('a; last; start -> a -> last; a -> exit [condition="outcome=never"]')
    expect([status, script.started]).toEqual(['completed', ['a@1#1', 'last@1#1']])
  })

  test('runs twelve nodes, and keeps the status of each', async () => {
    const names = Array.from({ length: 10 }, (_, at) => `n${at}`)
    const ran = await fixture.run(`${names.join('; ')}; start -> ${names.join(' -> ')} -> exit`)
    expect(ran.path).toHaveLength(12)
    expect([...ran.work.outcomes.values()].every(status => status === 'success')).toBe(true)
    expect(ran.types.filter(type => type === 'checkpoint.saved')).toHaveLength(11)
  })

  test('fails when no edge may be taken, and lists each condition with its values', async () => {
    const ran = await fixture.run(
      'a; start -> a; a -> exit [condition="colour=red"]',
      new Script({ a: { context_updates: { colour: 'blue' } } }),
    )
    expect([ran.status, ran.reason]).toEqual(['failed', 'no_route'])
    expect(ran.text).toContain('colour is "blue"')
  })

  test('follows the node that the handler names, and fails if the node does not exist', async () => {
    const dot = 'a; b; c; start -> a -> b -> exit; c -> exit'
    expect((await fixture.run(dot, new Script({ a: { next_node: 'c' } }))).path).toEqual(['start', 'a', 'c', 'exit'])
    expect((await fixture.run(dot, new Script({ a: { next_node: 'zzz' } }))).reason).toBe('bad_route')
  })

  test('fails on reaching max_steps', async () => {
    const ran = await fixture.run('graph [max_steps=5]; a [max_visits=0]; start -> a; a -> a [weight=1]; a -> exit')
    expect([ran.status, ran.reason]).toEqual(['failed', 'max_steps'])
  })
})

describe('the choice of an edge', () => {
  const best = async (edges: string, said = {}) => {
    const ran = await fixture.run(`a; b; c; start -> a; ${edges}; b -> exit; c -> exit`, new Script({ a: said }))
    return [ran.path[2], selected(ran, 'a')?.reason]
  }

  test('a condition beats weight', async () => {
    expect(await best('a -> b [weight=9]; a -> c [condition="outcome=success"]')).toEqual(['c', 'condition'])
  })
  test('a label beats a suggestion, and a suggestion beats weight', async () => {
    const edges = 'a -> b [weight=9]; a -> c [label="[G] Go"]'
    expect(await best(edges, { preferred_label: 'go', suggested_next_ids: ['b'] })).toEqual(['c', 'label'])
    expect(await best(edges, { suggested_next_ids: ['c'] })).toEqual(['c', 'suggested'])
    expect(await best(edges)).toEqual(['b', 'weight'])
  })
  test('the target name decides between equal weights', async () => {
    expect(await best('a -> c; a -> b')).toEqual(['b', 'weight'])
  })
  test('edges between the same two nodes stay distinct', async () => {
    const ran = await fixture.run(
      'a; start -> a; a -> exit [label=x]; a -> exit [label=y]',
      new Script({ a: { preferred_label: 'y' } }),
    )
    expect(selected(ran, 'a')?.edge).toBe('a->exit#2')
  })
  test('a failure never follows an unconditional edge', async () => {
    const ran = await fixture.run('a; b; start -> a -> b -> exit', new Script({ a: { status: 'fail' } }))
    expect([ran.status, ran.path]).toEqual(['failed', ['start', 'a']])
  })
  test('a failed parallel node follows none of its branch edges, not even into a diamond', async () => {
    const dot = 'p [shape=component]; d [shape=diamond]; a; j; start -> p; p -> d; d -> a; a -> j; j -> exit'
    const ran = await fixture.run(dot, new Script({ a: { status: 'fail', failure_class: 'deterministic' } }))
    expect(ran.status).toBe('failed')
    expect(ran.path.filter(node => node === 'd')).toHaveLength(1)
  })
  test.each([
    ['by condition', 'd -> good [condition="outcome=success"]; d -> bad [condition="outcome=fail"]'],
    ['by label', 'd -> good [label=success]; d -> bad [label=fail]'],
    ['by weight', 'd -> good; d -> bad [weight=5]'],
  ])('a diamond after a failure routes %s', async (_, edges) => {
    const dot = `a; d [shape=diamond]; good; bad; start -> a -> d; ${edges}; good -> exit; bad -> exit`
    const ran = await fixture.run(dot, new Script({ a: { status: 'fail', failure_class: 'deterministic' } }))
    expect(ran.path).toEqual(['start', 'a', 'd', 'bad', 'exit'])
    expect(ran.context._failed_node).toBe('a')
  })
})

describe('goals of a graph', () => {
  test('fail the run if they have no retry target', async () => {
    const ran = await fixture.run(
      'a; t [goal_gate=true]; start -> a -> exit; a -> t [condition="outcome=fail"]; t -> exit',
    )
    expect([ran.status, ran.reason]).toEqual(['failed', 'goal_unmet'])
  })
  test('include a goal gate that was never visited, unless it only counts when visited', async () => {
    const dot = (gate: string) =>
      `graph [retry_target=a, max_node_visits=3]; a; t [goal_gate=${gate}]; start -> a; a -> exit; a -> t [condition="outcome=other"]; t -> exit`
    expect((await fixture.run(dot('true'))).reason).toBe('max_visits')
    expect((await fixture.run(dot('visited'))).status).toBe('completed')
  })
  test('include required nodes and goal conditions', async () => {
    const dot = 'graph [required_nodes="b", retry_target=b]; a; b; start -> a -> exit; b -> exit'
    expect((await fixture.run(dot)).path).toEqual(['start', 'a', 'b', 'exit'])
    const condition = 'graph [goal_condition="ready=yes", retry_target=a]; a; start -> a -> exit'
    const ran = await fixture.run(condition, new Script({ a: [{}, { context_updates: { ready: 'yes' } }] }))
    expect(ran.path).toEqual(['start', 'a', 'a', 'exit'])
    expect(ran.context._goal_gate_unmet).toEqual(['goal_condition'])
  })
  test('are checked for the last node after it ran', async () => {
    const id = await fixture.create(
      'digraph { start [shape=Mdiamond]; a; t [goal_gate=true, retry_target=a]; start -> a -> t }',
    )
    const script = new Script({ t: [{ status: 'success' }] })
    await fixture.drive(id, script)
    expect((await fixture.read(id)).status).toBe('completed')
  })
})

describe('retries of a node', () => {
  test('have growing, capped and jittered delays', async () => {
    const script = new Script({ a: Array.from({ length: 9 }, () => ({ status: 'retry' as const })) })
    const ran = await fixture.run('a [retry_policy=patient, max_retries=6]; start -> a -> exit', script)
    const delays = ran.events.filter(({ type }) => type === 'timer.set').map(({ data, at }) => Number(data.due) - at)
    expect(delays).toEqual([2_000, 6_000, 18_000, 54_000, 60_000, 60_000])
    expect(ran.events.find(({ type }) => type === 'timer.set')!.data.random).toBe(1)
    expect(finishedAs(ran, 'a')).toEqual(['fail'])
    expect(ran.text).toContain('max retries exceeded')
  })
  test('do not follow failures that another attempt cannot fix', async () => {
    const ran = await fixture.run(
      'a [max_retries=5]; start -> a -> exit',
      new Script({ a: { status: 'fail', failure_class: 'deterministic' } }),
    )
    expect(ran.script.started).toEqual(['a@1#1'])
  })
  test('lead an exhausted outcome to routing', async () => {
    const dot =
      'a [max_retries=1]; b; start -> a; a -> exit [condition="outcome=success"]; a -> b [condition="outcome=fail"]; b -> exit'
    const ran = await fixture.run(dot, new Script({ a: { status: 'retry' } }))
    expect(ran.path).toEqual(['start', 'a', 'b', 'exit'])
  })
  test('end the run when the same failure repeats, before the visit limit', async () => {
    const dot = 'a [retry_target=a]; start -> a -> exit'
    const failure = {
      status: 'fail' as const,
      failure_class: 'structural' as const,
      failure_reason: 'no file /tmp/x12',
    }
    const ran = await fixture.run(dot, new Script({ a: failure }))
    expect([ran.reason, ran.script.started.length]).toEqual(['failure_repeated', 3])
  })
  test('recover a dead step, and continue nearly finished work in the same session', async () => {
    const script = new Script({ a: [{ status: 'fail', isDeath: true, failure_class: 'unknown' }, {}] })
    script.recovers = 'partial'
    const ran = await fixture.run('a [max_retries=1]; start -> a -> exit', script)
    expect(ran.types).toContain('step.recovered')
    expect([ran.status, script.started]).toEqual(['completed', ['a@1#1', 'a@1#2']])
  })
  test('count a dead step as successful if recovery finds its work complete', async () => {
    const script = new Script({ a: { status: 'fail', isDeath: true } })
    script.recovers = 'success'
    expect((await fixture.run('a; start -> a -> exit', script)).status).toBe('completed')
  })
})

describe('parallel branches', () => {
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
  ])('join by the policy %s', async (_, attributes, bad, status) => {
    const ran = await fixture.run(fork(attributes), new Script(Object.fromEntries(bad.map(node => [node, failing]))))
    expect(finishedAs(ran, 'p')).toEqual([status])
  })

  test('join in a fan-in by status, score and name, which takes only the changes of the best', async () => {
    const script = new Script({
      a: { context_updates: { colour: 'red', score: 1 } },
      b: { context_updates: { colour: 'green', score: 7 } },
      c: { status: 'partial_success', context_updates: { colour: 'blue', score: 99 } },
    })
    const ran = await fixture.run(fork(''), script)
    expect(ran.context['parallel.fan_in.best_id']).toBe('b')
    expect(ran.context.colour).toBe('green')
  })

  test('join in the branch that an agent names, and a missing branch is reported', async () => {
    const join = 'j [shape=tripleoctagon, prompt="Which?"]'
    const named = await fixture.run(fork('', join), new Script({ j: { response: '{"best_id":"c"}' } }))
    expect(named.context['parallel.fan_in.best_id']).toBe('c')
    const unknown = await fixture.run(fork('', join), new Script({ j: { response: '{"best_id":"nobody"}' } }))
    expect(unknown.context['parallel.fan_in.best_id']).toBe('a')
    const note = unknown.events.find(({ type, data }) => type === 'node.finished' && data.node === 'j')!.data.notes
    expect(note).toContain('nobody')
  })

  test('join in an ordinary node without taking over their changes', async () => {
    const ran = await fixture.run(fork('', 'j'), new Script({ a: { context_updates: { colour: 'red' } } }))
    expect([ran.status, ran.context.colour]).toEqual(['completed', undefined])
    expect((ran.context['parallel.results'] as { context_updates: object }[])[0]!.context_updates).toMatchObject({
      colour: 'red',
    })
  })

  test('join inside their own branch if nested; a terminal node ends only its branch', async () => {
    const dot =
      'p [shape=component]; q [shape=component]; a; b; c; k; j; start -> p; p -> q; p -> c; q -> a; q -> b; a -> k; b -> k; k -> j; c -> j; j -> exit'
    const ran = await fixture.run(dot)
    expect(ran.status).toBe('completed')
    expect([...ran.path].sort()).toEqual(['a', 'b', 'c', 'exit', 'j', 'k', 'p', 'q', 'start'])
  })
})

describe('loop_restart', () => {
  const dot =
    'a; start -> a; a -> exit [condition="outcome=success"]; a -> a [condition="outcome=fail", loop_restart=true]'

  test('ends the run and starts a new one at the target, with its context and without its visits', async () => {
    const failing = {
      status: 'fail' as const,
      failure_class: 'transient_infra' as const,
      context_updates: { tried: 'yes' },
    }
    const ran = await fixture.run(dot, new Script({ a: [failing] }))
    expect([ran.status, ran.reason]).toEqual(['completed', 'restarted'])
    const successor = String(ran.events.find(({ type }) => type === 'run.completed')!.data.successor)
    await fixture.drive(successor, new Script())
    const next = await fixture.read(successor)
    expect([next.status, next.path, next.context.tried]).toEqual(['completed', ['a', 'exit'], 'yes'])
    expect((await getRun(fixture.store, successor)).from).toEqual({ run: ran.id, as: 'restart' })
    expect(next.work.visits.get('a')).toBe(1)
  })

  test('stops when the same failure causes it too often', async () => {
    let { id, ...ran } = await fixture.run(dot, new Script({ a: { status: 'fail', failure_reason: 'no' } }))
    let runs = 1
    for (; ran.reason === 'restarted'; runs++) {
      id = String(ran.events.find(({ type }) => type === 'run.completed')!.data.successor)
      await fixture.drive(id, new Script({ a: { status: 'fail', failure_reason: 'no' } }))
      ran = await fixture.read(id)
    }
    expect([ran.status, ran.reason, runs]).toEqual(['failed', 'restart_limit', 4])
  })
})

describe('resuming a graph run', () => {
  test('keeps reached goals and known outcomes after a failure', async () => {
    const script = new Script({ b: [{ status: 'fail' }] })
    const ran = await fixture.run('a [goal_gate=true]; b; start -> a -> b -> exit', script)
    expect(ran.status).toBe('failed')
    await recordResume(fixture.store, ran.id, { by: 'someone' })
    await fixture.drive(ran.id, script)
    const after = await fixture.read(ran.id, script)
    expect([after.status, script.started]).toEqual(['completed', ['a@1#1', 'b@1#1', 'b@1#2']])
    expect(after.work.outcomes.get('a')).toBe('success')
  })

  test('finds a checkpoint after every node that has a next node, and it names that node', async () => {
    const ran = await fixture.run('a; b; start -> a -> b -> exit')
    const saved = ran.events.filter(({ type }) => type === 'checkpoint.saved')
    expect(saved.map(({ data }) => [data.node, data.next])).toEqual([
      ['start', 'a'],
      ['a', 'b'],
      ['b', 'exit'],
    ])
    for (const { version } of saved) expect(ran.events[version - 2]!.type).toBe('edge.selected')
  })

  test('keeps at most max_parallel branches open, completes each of them, and continues at the join', async () => {
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
    const ran = await fixture.run(dot, script)
    expect([ran.status, most, ran.script.started.length]).toEqual(['completed', 2, 10])
    expect(ran.path.filter(node => node === 'j')).toEqual(['j'])
  })
})

describe('the state of a graph run', () => {
  test('is visible to the next node, and keys of the engine are protected', async () => {
    let seen: unknown
    const script = new Script({
      a: { context_updates: { colour: 'red', _completed_nodes: 'mine', 'graph.goal': 'mine' } },
      b: async call => {
        seen = structuredClone((call.work() as { cursors: Map<string, { context: object }> }).cursors.get('')!.context)
        return {}
      },
    })
    const ran = await fixture.run('graph [goal=ours]; a; b; start -> a -> b -> exit', script)
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

  test('lets a resumed run repeat the failed node, and keeps finished work', async () => {
    const ran = await fixture.run('a; b; start -> a -> b -> exit', new Script({ b: { status: 'fail' } }))
    expect(ran.status).toBe('failed')
    await recordResume(fixture.store, ran.id, { by: 'someone' })
    const script = new Script()
    await fixture.drive(ran.id, script)
    expect([(await fixture.read(ran.id)).status, script.started]).toEqual(['completed', ['b@1#2']])
  })

  test('lets a run continue with a changed graph that was named at its resumption', async () => {
    const ran = await fixture.run('a; b; start -> a -> b -> exit', new Script({ b: { status: 'fail' } }))
    const dot = 'digraph { start [shape=Mdiamond]; exit [shape=Msquare]; a; b; c; start -> a -> b -> c -> exit }'
    await recordResume(fixture.store, ran.id, { by: 'someone', changes: { dot } })
    await fixture.drive(ran.id, new Script())
    expect((await fixture.read(ran.id)).path).toEqual(['start', 'a', 'b', 'c', 'exit'])
  })
})

describe('gates of a graph', () => {
  const gate = (attributes = '', edges = 'g -> a [label="[Y] Yes"]; g -> b [label="[N] No"]') =>
    `digraph { start [shape=Mdiamond]; exit [shape=Msquare]; g [shape=hexagon${attributes}]; a; b; start -> g; ${edges}; a -> exit; b -> exit }`
  const asked = async (dot: string, option: string, extra = {}) => {
    const id = await fixture.create(dot)
    await fixture.drive(id, new Script(), { park: true })
    await fixture.answer(id, option, extra)
    const script = new Script()
    await fixture.drive(id, script, { park: true })
    return fixture.read(id, script)
  }

  test.each(['choice', 'yes_no', 'confirm'])(
    'follow the edge of the chosen option for a question of type %s',
    async type => {
      const ran = await asked(gate(`, human.type=${type}`), 'N')
      expect([ran.script.started, ran.context['human.gate.selected'], ran.context['human.gate.by']]).toEqual([
        ['b@1#1'],
        'N',
        'someone',
      ])
    },
  )
  test('follow the first of several choices, and all are recorded', async () => {
    const ran = await asked(gate(', human.type=multi'), 'Y', { choices: ['Y', 'N'] })
    expect([ran.script.started, ran.context['human.gate.selected']]).toEqual([['a@1#1'], 'Y,N'])
  })
  test('follow the freeform edge for a typed text', async () => {
    const ran = await asked(gate('', 'g -> a [label=Yes]; g -> b [freeform=true]'), '', { text: 'my words' })
    expect([ran.script.started, ran.context['human.gate.text']]).toEqual([['b@1#1'], 'my words'])
  })
  test('take a note with an option that sends work back, and the next node can read it', async () => {
    const dot = gate('', 'g -> a [label=Yes]; g -> b [label=Revise]; b -> g [condition="outcome=success"]')
    const ran = await asked(dot, 'R', { text: 'shorter' })
    expect([ran.script.started, ran.context['human.gate.text']]).toEqual([['b@1#1'], 'shorter'])
    const at = { ...ran.work.cursors.get(MAIN)!, node: 'g' }
    const { request } = gateRequest(ran.work, at, ran.work.graph.nodes.get('g')!)
    expect(request.request.options.map(({ label, takes }) => [label, takes])).toEqual([
      ['Yes', undefined],
      ['Revise', 'note'],
    ])
  })
  test('refuse an invalid answer and ask again', async () => {
    const ran = await asked(gate(), 'Z')
    expect([ran.status, ran.script.started]).toEqual(['waiting', []])
  })
  test('take the first option in an auto-approved run, and record that', async () => {
    const id = await fixture.create(gate(), { isAutoApproved: true })
    const script = new Script()
    await fixture.drive(id, script)
    const ran = await fixture.read(id, script)
    expect([ran.status, script.started, ran.context['human.gate.by']]).toEqual(['completed', ['a@1#1'], 'auto-approve'])
  })
  test('fail without an answer, and take no option', async () => {
    const id = await fixture.create(gate())
    await fixture.drive(id, new Script(), { park: true })
    const [[name, approval]] = Object.entries((await getRun(fixture.store, id)).gates) as [[string, string]]
    const data = { gate: name, approval, reason: 'skipped: nobody answers' }
    await fixture.store.append(`run/${id}`, 'any', [{ type: 'gate.expired', data }])
    await fixture.drive(id, new Script(), { park: true })
    const ran = await fixture.read(id)
    expect([ran.status, ran.context.failure_class]).toEqual(['failed', 'canceled'])
  })
})

describe('a dry run', () => {
  test('follows its script, answers gates, skips waits, and stops a loop after ten visits', async () => {
    const dot =
      'a; g [shape=hexagon]; w [shape=insulator, duration=9h]; m [shape=house, stack.child_dotfile=x]; b; start -> a -> g; g -> b [label=No]; g -> w [label=Yes]; w -> m -> exit; b -> exit'
    const dryRun = { g: { preferred_label: 'Yes' } }
    const ran = await fixture.run(dot, new Script(), { dryRun })
    expect(ran.path).toEqual(['start', 'a', 'g', 'w', 'm', 'exit'])
    const loop = await fixture.run('a; start -> a; a -> a [weight=1]; a -> exit', new Script(), { dryRun: {} })
    expect([loop.reason, loop.path.length]).toEqual(['max_visits', 11])
  })
})
