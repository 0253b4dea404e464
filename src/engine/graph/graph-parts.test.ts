import { describe, expect, test } from 'vitest'
import { GraphJournal } from './testing/graph-journal.js'

/* Nodes whose work has several parts: branches that are merged, and child runs that are managed. */

const REPOSITORY = { workspace: { path: '/project', branch: 'work', base: 'abc' } }
const TWO = 'p [shape=component]; a; b; j; start -> p; p -> a; p -> b; a -> j; b -> j; j -> exit'

function branches(dot = TWO, input: object = REPOSITORY): GraphJournal {
  const run = new GraphJournal(dot, input)
  expect(run.wanted()).toEqual(['p@1.1/a@1#1', 'p@1.2/b@1#1'])
  return run
}

describe('the merge of parallel branches', () => {
  test('takes the branches that ended well and have a commit, in one step', () => {
    const run = branches()
    run.ended('p@1.1/a@1#1', { commit: 'c1' })
    expect(run.wanted()).toEqual(['p@1.2/b@1#1'])
    run.ended('p@1.2/b@1#1', { status: 'partial_success', commit: 'c2' })
    const [merge] = run.next()
    expect(merge).toEqual({
      do: 'step',
      step: 'p@1#1+merge',
      effect: 'graph.merge',
      input: { node: 'p', visit: 1, attempt: 1, branch: '', branches: ['p@1.1', 'p@1.2'] },
    })
    run.ended('p@1#1+merge', { commit: 'merged' })
    expect(run.wanted()).toEqual(['j@1#1'])
    expect(run.cursor().commit).toBe('merged')
    expect(run.emittedOf('node.finished').find(({ node }) => node === 'p')).toMatchObject({ status: 'success' })
  })

  test('leaves out a branch that failed, and one without a commit', () => {
    const failed = branches().ended('p@1.1/a@1#1', { commit: 'c1' })
    failed.ended('p@1.2/b@1#1', { status: 'fail', failure_reason: 'no', commit: 'c2' })
    expect(failed.next()).toMatchObject([{ step: 'p@1#1+merge', input: { branches: ['p@1.1'] } }])
    const clean = branches().ended('p@1.1/a@1#1').ended('p@1.2/b@1#1', { commit: 'c2' })
    expect(clean.next()).toMatchObject([{ step: 'p@1#1+merge', input: { branches: ['p@1.2'] } }])
  })

  test('is not needed if no branch that ended well has a commit', () => {
    expect(branches().ended('p@1.1/a@1#1').ended('p@1.2/b@1#1').wanted()).toEqual(['j@1#1'])
    const failed = branches().ended('p@1.1/a@1#1')
    failed.ended('p@1.2/b@1#1', { status: 'fail', failure_reason: 'no', commit: 'c2' })
    expect(failed.wanted()).toEqual(['j@1#1'])
  })

  test.each([
    ['the branches share a directory', TWO.replace('component', 'component, branch_isolation=none'), REPOSITORY],
    ['the graph makes no commits', `graph [commits=none]; ${TWO}`, REPOSITORY],
    ['the run is in no repository', TWO, {}],
    [
      'the branches join in a fan-in, which takes one of them',
      TWO.replace('j;', 'j [shape=tripleoctagon];'),
      REPOSITORY,
    ],
  ])('does not exist where %s', (_, dot, input) => {
    const run = branches(dot, input).ended('p@1.1/a@1#1', { commit: 'c1' }).ended('p@1.2/b@1#1', { commit: 'c2' })
    expect(run.wanted()).toEqual(['j@1#1'])
  })

  test('fails the parallel node with its own reason', () => {
    const run = branches().ended('p@1.1/a@1#1', { commit: 'c1' }).ended('p@1.2/b@1#1', { commit: 'c2' })
    run.next()
    run.ended('p@1#1+merge', { status: 'fail', failure_reason: 'conflict in cart.js', failure_class: 'structural' })
    expect(run.end()).toMatchObject({ status: 'failed', text: 'conflict in cart.js' })
  })

  test('asks a person about a conflict, and merges again with the answer', () => {
    const run = branches().ended('p@1.1/a@1#1', { commit: 'c1' }).ended('p@1.2/b@1#1', { commit: 'c2' })
    run.next()
    run.ended('p@1#1+merge', { question: { text: 'Which?', options: [{ key: 'a', label: 'Ours' }] } })
    expect(run.wanted()).toEqual(['p@1#1+ask'])
    run.add('gate.answered', { gate: 'p@1#1+ask', approval: 'apr_1', by: 'ann', option: 'a', label: 'Ours' })
    expect(run.wanted()).toEqual(['p@1#2+merge'])
    expect(run.cursor()).toMatchObject({ answer: 'a', question: null, reply: { option: 'a', by: 'ann' } })
    expect(run.cursor().reply).not.toHaveProperty('gate')
    run.ended('p@1#1+merge', { commit: 'late' })
    expect(run.wanted()).toEqual(['p@1#2+merge'])
    run.ended('p@1#2+merge', { commit: 'merged' })
    expect(run.wanted()).toEqual(['j@1#1'])
    run.ended('p@1#2+merge', { commit: 'twice' })
    expect(run.cursor().commit).toBe('merged')
  })

  test('cancels the branches that are not needed first', () => {
    const dot = TWO.replace('component', 'component, join_policy=first_success')
    const run = branches(dot).ended('p@1.1/a@1#1', { commit: 'c1' })
    expect(run.wanted()).toEqual(['p@1#1+merge'])
    expect(run.emittedOf('branch.cancelled')).toMatchObject([{ branch: 'p@1.2' }])
    expect(run.cursor('p@1.2')).toMatchObject({ phase: 'done', isCancelled: true, result: { status: 'skipped' } })
  })
})

describe('branches', () => {
  test('are the edges whose condition holds, at most 64', () => {
    const run = new GraphJournal(
      `p [shape=component]; a; b; j; start -> p; p -> a [condition="context.x=1"]; p -> b; a -> j; b -> j; j -> exit`,
    )
    expect(run.wanted()).toEqual(['p@1.1/b@1#1'])
    const names = Array.from({ length: 70 }, (_, n) => `n${n}`)
    const dot = names.map(name => `${name}; p -> ${name}; ${name} -> j`).join('; ')
    const many = new GraphJournal(`p [shape=component]; j; start -> p; ${dot}; j -> exit`)
    many.next()
    expect(many.emittedOf('branch.started')[0]).toMatchObject({ count: 64 })
  })

  const policy = (attributes: string, ...statuses: ('success' | 'partial_success' | 'fail')[]) => {
    const names = ['a', 'b', 'c', 'd']
    const edges = names.map(name => `p -> ${name}; ${name} -> j`).join('; ')
    const run = new GraphJournal(
      `p [shape=component, max_parallel=4${attributes}]; a; b; c; d; j; start -> p; ${edges}; j -> exit`,
    )
    run.next()
    statuses.forEach((status, at) => {
      if (run.work.cursors.has(`p@1.${at + 1}`))
        run.ended(`p@1.${at + 1}/${names[at]}@1#1`, { status, failure_reason: 'no' }).next()
    })
    return run.emittedOf('node.finished').find(({ node }) => node === 'p')?.status ?? null
  }
  test.each([
    ['', ['success', 'success', 'success'], null],
    ['', ['success', 'success', 'success', 'partial_success'], 'success'],
    ['', ['success', 'fail', 'fail', 'fail'], 'partial_success'],
    ['', ['fail', 'fail', 'fail', 'fail'], 'fail'],
    [', error_policy=ignore', ['success', 'fail', 'fail', 'fail'], 'success'],
    [', error_policy=ignore', ['fail', 'fail', 'fail', 'fail'], 'fail'],
    [', error_policy=fail_fast', ['fail'], 'fail'],
    [', error_policy=fail_fast', ['success'], null],
    [', join_policy=first_success', ['fail', 'fail', 'fail'], null],
    [', join_policy=first_success', ['fail', 'fail', 'fail', 'fail'], 'fail'],
    [', join_policy=k_of_n, k=2', ['success'], null],
    [', join_policy=k_of_n, k=2', ['success', 'partial_success'], 'success'],
    [', join_policy=k_of_n, k=2', ['fail', 'fail'], null],
    [', join_policy=k_of_n, k=2', ['fail', 'fail', 'fail'], 'fail'],
    [', join_policy=quorum', ['success', 'success'], null],
    [', join_policy=quorum', ['success', 'success', 'success'], 'success'],
    [', join_policy=quorum', ['fail'], null],
    [', join_policy=quorum', ['fail', 'fail'], 'fail'],
  ] as const)('join with%s after %j: %s', (attributes, statuses, expected) => {
    expect(policy(attributes, ...statuses)).toBe(expected)
  })

  test('that failed give the parallel node a reason', () => {
    const run = branches(TWO, {}).ended('p@1.1/a@1#1', { status: 'fail', failure_reason: 'no' })
    run.next()
    run.ended('p@1.2/b@1#1', { status: 'fail', failure_reason: 'no' })
    expect(run.end()).toMatchObject({ status: 'failed', text: 'not enough branches succeeded' })
    expect(run.emittedOf('branch.finished')).toMatchObject([
      { branch: 'p@1.1', status: 'fail', notes: 'no' },
      { branch: 'p@1.2', status: 'fail' },
    ])
  })

  test('report only what they changed', () => {
    const dot = `z; p [shape=component]; a; b; j; start -> z -> p; p -> a; p -> b; a -> j; b -> j; j -> exit`
    const run = new GraphJournal(dot)
    run.next()
    run.ended('z@1#1', { context_updates: { list: [1], other: [1], colour: 'red' } }).next()
    run.ended('p@1.1/a@1#1', { context_updates: { list: [1], other: [2], size: 3 } }).next()
    run.ended('p@1.2/b@1#1').next()
    const [first, second] = run.cursor().context['parallel.results'] as { context_updates: object }[]
    const ofNodes = ['current_node', 'last_stage']
    expect(Object.keys(first!.context_updates).sort()).toEqual([...ofNodes, 'other', 'size'].sort())
    expect(Object.keys(second!.context_updates).sort()).toEqual(ofNodes)
  })

  test('start as room becomes free, and have the number of their edge', () => {
    const dot = `p [shape=component, max_parallel=2]; a; b; c; j; start -> p; p -> a; p -> b; p -> c; a -> j; b -> j; c -> j; j -> exit`
    const run = new GraphJournal(dot)
    expect(run.wanted()).toEqual(['p@1.1/a@1#1', 'p@1.2/b@1#1'])
    expect(run.ended('p@1.2/b@1#1').wanted()).toEqual(['p@1.1/a@1#1', 'p@1.3/c@1#1'])
    expect(run.emittedOf('branch.started').map(({ count }) => count)).toEqual([3, 3, 3])
  })

  test('a node with several branches to one node names them by number', () => {
    const dot = `p [shape=component]; a; b; j; start -> p; p -> a [label=x]; p -> b; p -> a [label=y]; a -> j; b -> j; j -> exit`
    const run = new GraphJournal(dot)
    expect(run.wanted()).toEqual(['p@1.1/a@1#1', 'p@1.2/b@1#1', 'p@1.3/a@1#1'])
    run.ended('p@1.1/a@1#1', { notes: 'first', context_updates: { colour: 'red', score: 3 }, commit: 'c1' })
    run.ended('p@1.2/b@1#1').ended('p@1.3/a@1#1', { status: 'fail', failure_reason: 'no' })
    expect(run.wanted()).toEqual(['j@1#1'])
    const results = run.cursor().context['parallel.results'] as { context_updates: object }[]
    expect(results).toMatchObject([
      { id: 'a', branch: 'p@1.1', status: 'success', notes: 'first', commit: 'c1', score: 3 },
      { id: 'b', branch: 'p@1.2', status: 'success', notes: '' },
      { id: 'a-2', branch: 'p@1.3', status: 'fail' },
    ])
    expect(results[0]!.context_updates).toMatchObject({ colour: 'red', score: 3 })
    expect(results[0]!.context_updates).not.toHaveProperty('graph.goal')
    expect(results[1]).not.toHaveProperty('commit')
    expect(results[1]).not.toHaveProperty('score')
    expect([...run.work.cursors.keys()]).toEqual([''])
  })

  test('a branch inside a branch is removed with it', () => {
    const dot = `p [shape=component]; q [shape=component]; a; b; c; i; j; start -> p; p -> q; p -> c;
      q -> a; q -> b; a -> i; b -> i; i -> j; c -> j; j -> exit`
    const run = new GraphJournal(dot)
    expect(run.wanted()).toEqual(['p@1.1/q@1.1/a@1#1', 'p@1.1/q@1.2/b@1#1', 'p@1.2/c@1#1'])
    expect(run.cursor('p@1.1/q@1.1')).toMatchObject({ parent: 'p@1.1', branchEdge: 'q->a#1', join: 'i' })
    run.ended('p@1.1/q@1.1/a@1#1').ended('p@1.1/q@1.2/b@1#1').ended('p@1.2/c@1#1')
    expect(run.wanted()).toEqual(['p@1.1/i@1#1'])
    expect(run.ended('p@1.1/i@1#1').wanted()).toEqual(['j@1#1'])
    expect([...run.work.cursors.keys()]).toEqual([''])
  })
})

test('branches that are cancelled are removed with those that they started', () => {
  const dot = `p [shape=component, error_policy=fail_fast]; q [shape=component]; a; b; c; i; j; start -> p; p -> q; p -> c;
    q -> a; q -> b; a -> i; b -> i; i -> j; c -> j; p -> j [condition="outcome=fail"]; j -> exit`
  const run = new GraphJournal(dot)
  run.next()
  run.ended('p@1.2/c@1#1', { status: 'fail', failure_reason: 'no' }).next()
  expect([...run.work.cursors.keys()]).toEqual([''])
})

describe('a managed child run', () => {
  const CHILD = { dot: 'digraph { start -> exit }', file: 'c.dot', hash: 'h', attached: null }
  const manager = (attributes: string, child: object = CHILD) => {
    const run = new GraphJournal(`m [shape=house, stack.child_dotfile=x${attributes}]; start -> m -> exit`)
    expect(run.wanted()).toEqual(['m@1#1+source'])
    return run.ended('m@1#1+source', { child } as never)
  }
  /** The time for an observation has come, and it said this. */
  const look = (run: GraphJournal, n: number, outcome = {}) =>
    run
      .add('timer.fired', { timer: `look m@1#1 ${n - 1}` } as never)
      .ended(`m@1#1+look${n}`, { status: 'retry', ...outcome })

  test('is started once and observed after each interval', () => {
    const run = manager('')
    expect(run.next()).toMatchObject([
      { do: 'child', child: 'm@1#1' },
      { do: 'timer', timer: 'look m@1#1 0', ms: 45_000 },
    ])
    run.add('timer.fired', { timer: 'look m@1#1 7' } as never)
    expect(run.wanted()).toEqual(['m@1#1', 'look m@1#1 0'])
    run.add('timer.fired', { timer: 'look m@1#1 0' } as never)
    expect(run.wanted()).toEqual(['m@1#1', 'm@1#1+look1'])
    const handlers = { handlers: { file: 'h.mjs', types: ['x'] }, endpoint: 'http://m', apiKeyEnv: 'KEY' }
    expect(run.next()[0]).not.toHaveProperty('create.input.handlers')
    const own = new GraphJournal('m [shape=house]; start -> m -> exit', handlers)
    own.next()
    expect(own.ended('m@1#1+source', { child: CHILD } as never).next()[0]).toMatchObject({
      create: { input: handlers },
    })
    run.ended('m@1#1+look1', { status: 'retry', context_updates: { 'stack.child.node': 'n' } })
    expect(run.wanted()).toEqual(['m@1#1', 'look m@1#1 1'])
    expect(run.cursor()).toMatchObject({ cycles: 1, lookedAt: run.at, context: { 'stack.child.node': 'n' } })
    expect(look(run, 2, { status: 'success' }).wanted()).toEqual(['m@1#1', 'look m@1#1 2'])
  })

  test('fails its node if its graph cannot be read', () => {
    const run = new GraphJournal('m [shape=house, stack.child_dotfile=x]; start -> m -> exit')
    run.next()
    run.ended('m@1#1+source', { status: 'fail', failure_reason: 'no such file' })
    expect(run.end()).toMatchObject({ status: 'failed', text: 'no such file' })
  })

  test('is not started if it was there before, and its end is seen by observing it', () => {
    const run = manager('', { ...CHILD, attached: 'run_other' })
    expect(run.wanted()).toEqual(['look m@1#1 0'])
    expect(look(run, 1).wanted()).toEqual(['look m@1#1 1'])
    expect(look(run, 2, { status: 'success', notes: 'done' }).end()).toMatchObject({ status: 'completed' })
    expect(run.emittedOf('node.finished').find(({ node }) => node === 'm')).toMatchObject({ notes: 'done' })
    run.ended('m@1#1+look3', { status: 'fail' })
    expect(run.end()).toMatchObject({ status: 'completed' })
  })

  test('is steered again only when the cooldown has passed', () => {
    const run = manager(', manager.actions="observe,steer", manager.steer_cooldown=60s')
    expect(run.wanted()).toEqual(['m@1#1', 'look m@1#1 0'])
    expect(look(run, 1).wanted()).toEqual(['m@1#1', 'm@1#1+steer1'])
    expect(run.ended('m@1#1+steer1').wanted()).toEqual(['m@1#1', 'look m@1#1 1'])
    run.at += 59_999
    expect(look(run, 2).wanted()).toEqual(['m@1#1', 'look m@1#1 2'])
    run.at += 1
    expect(look(run, 3).wanted()).toEqual(['m@1#1', 'm@1#1+steer3'])
  })

  test('is stopped after its last cycle, which fails the node', () => {
    const run = manager(', manager.max_cycles=2')
    expect(look(run, 1).wanted()).toEqual(['m@1#1', 'look m@1#1 1'])
    expect(look(run, 2).wanted()).toEqual(['m@1#1', 'm@1#1+giveup'])
    run.add('step.started', { step: 'm@1#1+giveup', effect: 'graph.child_stop', input: {} } as never)
    expect(run.wanted()).toEqual(['m@1#1+giveup'])
    run.add('child.finished', { child: 'm@1#1', run: 'run_2', status: 'cancelled', reason: 'stopped' } as never)
    expect(run.wanted()).toEqual(['m@1#1+giveup'])
    expect(run.ended('m@1#1+giveup').end()).toMatchObject({ status: 'failed', text: 'Max cycles exceeded' })
  })

  test('is stopped when the condition holds, but not before it was observed', () => {
    const run = manager(', manager.stop_condition="context.colour!=red"')
    expect(run.wanted()).toEqual(['m@1#1', 'look m@1#1 0'])
    expect(look(run, 1, { context_updates: { colour: 'red' } }).wanted()).toEqual(['m@1#1', 'look m@1#1 1'])
    expect(look(run, 2, { context_updates: { colour: 'blue' } }).wanted()).toEqual(['m@1#1', 'm@1#1+stop'])
    run.add('step.started', { step: 'm@1#1+stop', effect: 'graph.child_stop', input: {} } as never)
    expect(run.wanted()).toEqual(['m@1#1+stop'])
    run.ended('m@1#1+stop')
    expect(run.end()).toMatchObject({ status: 'completed' })
  })

  test('an empty stop condition stops nothing', () => {
    expect(look(manager(', manager.stop_condition=" "'), 1).wanted()).toEqual(['m@1#1', 'look m@1#1 1'])
  })

  test('ends its node with its own end', () => {
    const good = manager('').add('child.finished', {
      child: 'm@1#1',
      run: 'run_2',
      status: 'completed',
      reason: 'done',
      outputs: { colour: 'red' },
    } as never)
    expect(good.end()).toMatchObject({ status: 'completed', outputs: { colour: 'red' } })
    expect(good.cursor().context).toMatchObject({ 'stack.child.status': 'completed', 'stack.child.outcome': 'success' })
    const bad = manager('').add('child.finished', {
      child: 'm@1#1',
      run: 'run_2',
      status: 'failed',
      reason: 'no tests',
    } as never)
    expect(bad.end()).toMatchObject({ status: 'failed', text: 'the child run is failed: no tests' })
    expect(bad.cursor().context).toMatchObject({ 'stack.child.outcome': 'fail', failure_class: 'unknown' })
  })

  test('gets the texts of the context, the variables of the node, and the settings of its parent', () => {
    const dot =
      'm [shape=house, label="The child", stack.child_dotfile=x, var.colour="very {{colour}}"]; start -> m -> exit'
    const input = { inputs: { colour: 'red', 'not-a-word': 'x' }, agent: 'demo', isAutoApproved: true, trusted: ['t'] }
    const run = new GraphJournal(dot, input, { limits: { costUsd: 3 }, labels: { team: 'a' } })
    run.next()
    run.ended('m@1#1+source', { child: CHILD } as never)
    const [child] = run.next()
    expect(child).toMatchObject({
      create: {
        kind: 'graph',
        title: 'The child',
        cwd: '/project',
        input: { dot: CHILD.dot, file: 'c.dot', hash: 'h', agent: 'demo', isAutoApproved: true, trusted: ['t'] },
        limits: { costUsd: 3 },
        labels: { team: 'a' },
      },
    })
    const { inputs } = (child as unknown as { create: { input: { inputs: Record<string, string> } } }).create.input
    expect(inputs).not.toHaveProperty('not-a-word')
    expect(Object.keys(inputs).filter(key => key.includes('.') || key.startsWith('_'))).toEqual([])
    expect(inputs.colour).toContain('red')
  })

  test.each([
    ['/elsewhere', '/elsewhere'],
    ['sub/dir', '/project/sub/dir'],
  ])('works in the directory %s of its graph', (given, path) => {
    const run = new GraphJournal(`graph [stack.child_workdir="${given}"]; m [shape=house]; start -> m -> exit`)
    run.next()
    run.ended('m@1#1+source', { child: CHILD } as never)
    expect(run.next()[0]).toMatchObject({ create: { cwd: path, input: { workspace: { path } } } })
  })
})
