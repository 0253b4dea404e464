import { describe, expect, test } from 'vitest'
import { GraphJournal } from './testing/graph-journal.js'

/* What each event of a run changes, and what the run then wants to do. */

const LINE = 'a; b; start -> a -> b -> exit'
const line = (attributes = '') => {
  const run = new GraphJournal(LINE.replace('a;', `a [${attributes || 'x=y'}];`))
  expect(run.wanted()).toEqual(['a@1#1'])
  return run
}

describe('a step', () => {
  test('that was cancelled, or of an attempt before, changes nothing', () => {
    const run = line()
    run.add('step.ended', { step: 'a@1#1', status: 'cancelled' } as never)
    run.ended('a@1#2').ended('a@2#1').ended('b@1#1').ended('p@1.1/a@1#1')
    expect(run.wanted()).toEqual(['a@1#1'])
    expect(run.cursor().phase).toBe('running')
  })

  test('without an outcome fails its node with its reason', () => {
    const run = line().add('step.ended', { step: 'a@1#1', status: 'failed', reason: 'exit code 2' } as never)
    expect(run.end()).toMatchObject({ status: 'failed', reason: 'failed', text: 'exit code 2' })
    expect(run.cursor().context.failure_class).toBe('unknown')
    const silent = line().add('step.ended', { step: 'a@1#1', status: 'failed' } as never)
    expect(silent.end()).toMatchObject({ text: 'the step returned no outcome' })
  })

  test('that was lost is recovered; only its own attempt', () => {
    const run = line()
    run.add('step.lost', { step: 'a@1#2', reason: 'gone' } as never)
    expect(run.next()).toMatchObject([{ do: 'step', step: 'a@1#1' }])
    run.add('step.lost', { step: 'a@1#1', reason: 'gone' } as never)
    expect(run.next()).toMatchObject([{ do: 'recover', step: 'a@1#1', effect: 'graph.codergen' }])
  })

  test.each([
    ['the result that it left', { verdict: 'success', result: { status: 'success', response: 'it' } }, 'it'],
    ['the text that it left', { verdict: 'success', text: 'its text' }, 'its text'],
    ['nothing', { verdict: 'success' }, ''],
  ])('that was complete when it was lost counts with %s', (_, recovered, response) => {
    const run = line().add('step.lost', { step: 'a@1#1', reason: 'gone' } as never)
    run.add('step.recovered', { step: 'a@1#1', ...recovered } as never)
    expect(run.wanted()).toEqual(['b@1#1'])
    expect(run.cursor().context['response.a']).toBe(response)
  })

  test('that was partly done is tried again with what it left, and that does not count', () => {
    const run = line('max_retries=0').add('step.lost', { step: 'a@1#1', reason: 'gone' } as never)
    run.add('step.recovered', { step: 'a@1#1', verdict: 'partial', text: 'half', sessionId: 's1' } as never)
    expect(run.wanted()).toEqual(['a@1#2'])
    expect(run.cursor()).toMatchObject({ counted: 1, salvage: { text: 'half', session: 's1' } })
    run.add('step.lost', { step: 'a@1#2', reason: 'gone' } as never)
    run.add('step.recovered', { step: 'a@1#2', verdict: 'nothing' } as never)
    expect(run.wanted()).toEqual(['a@1#3'])
    expect(run.cursor().salvage).toBeNull()
    run.add('step.recovered', { step: 'a@1#3', verdict: 'nothing' } as never)
    expect(run.wanted()).toEqual(['a@1#3'])
  })

  test('that died ends with its death if recovery finds nothing', () => {
    const death = { status: 'fail', isDeath: true, failure_reason: 'killed', failure_class: 'deterministic' } as const
    const run = line().ended('a@1#1', death)
    expect(run.next()).toMatchObject([{ do: 'recover', step: 'a@1#1' }])
    run.add('step.recovered', { step: 'a@1#1', verdict: 'nothing' } as never)
    expect(run.end()).toMatchObject({ status: 'failed', text: 'killed' })
    expect(run.cursor().death).toBeNull()
  })

  test('may ask before it continues, and gets the whole answer', () => {
    const run = line().ended('a@1#1', { question: { text: 'Sure?', options: [{ key: 'y', label: 'Yes' }] } })
    expect(run.next()).toMatchObject([{ do: 'gate', gate: 'a@1#1+ask' }])
    expect(run.next()[0]).not.toHaveProperty('automatic')
    run.add('gate.expired', { gate: 'a@1#1+ask', approval: 'apr_1', reason: 'timeout' } as never)
    expect(run.wanted()).toEqual(['a@1#1+ask'])
    run.add('gate.answered', { gate: 'a@1#1+ask', approval: 'apr_1', by: 'ann', option: 'y', note: 'soon' } as never)
    expect(run.next()).toMatchObject([
      { step: 'a@1#2', input: { attempt: 2, answer: 'y', reply: { option: 'y', note: 'soon', by: 'ann' } } },
    ])
    run.add('gate.answered', { gate: 'a@1#2+ask', approval: 'apr_1', by: 'ben', option: 'n' } as never)
    expect(run.cursor()).toMatchObject({ answer: 'y', attempt: 2 })
    run.ended('a@1#2')
    expect(run.next()).toMatchObject([{ step: 'b@1#1' }])
    const [{ input }] = run.next() as unknown as [{ input: object }]
    expect(Object.keys(input)).toEqual(['node', 'visit', 'attempt', 'branch'])
  })
})

describe('a pause', () => {
  test('interrupts the step of a node, but no gate', () => {
    const run = line().add('run.paused', { reason: 'by ann' } as never)
    expect(run.next()).toMatchObject([{ do: 'recover', step: 'a@1#1' }])
    const gate = new GraphJournal('g [shape=hexagon]; start -> g; g -> exit [label=Yes]')
    expect(gate.wanted()).toEqual(['g@1#1'])
    gate.add('run.paused', { reason: 'by ann' } as never)
    expect(gate.next()).toMatchObject([{ do: 'gate', gate: 'g@1#1' }])
    const asking = line().ended('a@1#1', { question: { text: 'Sure?', options: [{ key: 'y', label: 'Yes' }] } })
    asking.next()
    expect(asking.add('run.paused', { reason: 'by ann' } as never).wanted()).toEqual(['a@1#1+ask'])
  })

  test('a resumed run tries the node that failed again, without the old reply', () => {
    const run = line().ended('a@1#1', { question: { text: 'Sure?', options: [{ key: 'y', label: 'Yes' }] } })
    run.next()
    run.add('gate.answered', { gate: 'a@1#1+ask', approval: 'apr_1', by: 'ann', option: 'y' } as never)
    run.next()
    run.ended('a@1#2', { status: 'fail', failure_reason: 'no', failure_class: 'deterministic' })
    expect(run.end()).toMatchObject({ status: 'failed' })
    run.add('run.resumed', {} as never)
    expect(run.wanted()).toEqual(['a@1#3'])
    expect(run.cursor()).toMatchObject({ counted: 1, reply: undefined, outcome: null, merged: null, child: null })
  })

  test('a resumed run continues a node that did not fail', () => {
    const run = line().add('run.resumed', {} as never)
    expect(run.wanted()).toEqual(['a@1#1'])
    const done = line().ended('a@1#1')
    done.wanted()
    expect(done.ended('b@1#1').end()).toMatchObject({ status: 'completed' })
    done.add('run.resumed', {} as never)
    expect(done.end()).toMatchObject({ status: 'completed' })
  })

  const CHANGED = 'digraph { start [shape=Mdiamond] exit [shape=Msquare] a; c; start -> a -> c -> exit }'
  test('a run can be resumed with another version of its graph', () => {
    const run = line().add('run.resumed', {
      changes: { dot: CHANGED, hash: 'h2', file: 'two.dot', trusted: ['t', 1] },
    } as never)
    expect(run.work.input).toMatchObject({ dot: CHANGED, hash: 'h2', file: 'two.dot', trusted: ['t', '1'] })
    expect(run.ended('a@1#1').wanted()).toEqual(['c@1#1'])
    const plain = line().add('run.resumed', { changes: { dot: CHANGED } } as never)
    expect(plain.work.input).toMatchObject({ dot: CHANGED, hash: '', file: null })
    expect(plain.work.input).not.toHaveProperty('trusted')
  })

  test.each([
    ['that cannot be parsed', 'digraph {'],
    ['without the current node', CHANGED.replace('a;', '').replaceAll('-> a ', '')],
    ['that is not a string', 7],
  ])('a graph %s is not used', (_, dot) => {
    const run = line().add('run.resumed', { changes: { dot, hash: 'h2' } } as never)
    expect(run.work.input.hash).toBe('')
    expect(run.ended('a@1#1').wanted()).toEqual(['b@1#1'])
  })
})

describe('a timer', () => {
  test('starts the attempt that it belongs to, and no other', () => {
    const run = line('max_retries=2').ended('a@1#1', { status: 'retry', failure_reason: 'busy' })
    expect(run.next()).toMatchObject([{ do: 'timer', timer: 'retry a@1#2', jitter: [0.5, 1.5] }])
    expect(run.cursor().context['internal.retry_count.a']).toBe(1)
    run.add('timer.fired', { timer: 'retry a@1#1' } as never).add('timer.fired', { timer: 'wait a@1#2' } as never)
    expect(run.wanted()).toEqual(['retry a@1#2'])
    run.add('timer.fired', { timer: 'retry a@1#2' } as never)
    expect(run.wanted()).toEqual(['a@1#2'])
    run.add('timer.fired', { timer: 'wait a@1#1' } as never).add('timer.fired', { timer: 'look a@1#2 1' } as never)
    expect(run.wanted()).toEqual(['a@1#2'])
    expect(run.cursor().isLooking).toBe(false)
  })

  test('ends a wait', () => {
    const run = new GraphJournal('w [shape=insulator, duration=9s]; b; start -> w -> b -> exit')
    expect(run.next()).toMatchObject([{ do: 'timer', timer: 'wait w@1#1', ms: 9_000 }])
    run.add('timer.fired', { timer: 'retry w@1#1' } as never)
    expect(run.wanted()).toEqual(['wait w@1#1'])
    expect(run.add('timer.fired', { timer: 'wait w@1#1' } as never).wanted()).toEqual(['b@1#1'])
  })
})

describe('a gate', () => {
  const GATE = 'g [shape=hexagon]; a; b; start -> g; g -> a [label=Yes]; g -> b [label=No]; a -> exit; b -> exit'
  const gate = (dot = GATE) => {
    const run = new GraphJournal(dot)
    expect(run.wanted()).toEqual(['g@1#1'])
    return run
  }
  const answer = { gate: 'g@1#1', approval: 'apr_1', by: 'ann' }

  test('follows the edge of its option, and records who answered', () => {
    const run = gate().add('gate.answered', { ...answer, option: 'N' } as never)
    expect(run.wanted()).toEqual(['b@1#1'])
    expect(run.cursor().context).toMatchObject({
      'human.gate.selected': 'N',
      'human.gate.label': 'No',
      'human.gate.by': 'ann',
      preferred_label: 'No',
    })
    expect(run.cursor().context).not.toHaveProperty('human.gate.text')
    expect(run.emittedOf('node.finished').at(-1)).not.toHaveProperty('notes')
    expect(run.ended('b@1#1').end()).toMatchObject({ status: 'completed' })
    expect(run.cursor().context).not.toHaveProperty('preferred_label')
  })

  test('records several choices, and an automatic answer', () => {
    const run = gate().add('gate.answered', {
      ...answer,
      by: 'auto-approve',
      option: 'Y',
      choices: ['Y', 'N'],
    } as never)
    run.next()
    expect(run.cursor().context['human.gate.selected']).toBe('Y,N')
    expect(run.emittedOf('node.finished').at(-1)).toMatchObject({ notes: 'approved automatically' })
  })

  test('without an answer asks again, is skipped, or takes its default', () => {
    const silent = gate(`graph [default_max_retry=0]; ${GATE}`)
    silent.add('gate.expired', { gate: 'g@1#1', approval: 'apr_1', reason: 'timeout' } as never)
    expect(silent.end()).toMatchObject({ status: 'failed', text: expect.stringContaining('no default (timeout)') })
    const skipped = gate().add('gate.expired', { gate: 'g@1#1', approval: 'apr_1', reason: 'skipped: away' } as never)
    expect(skipped.end()).toMatchObject({ status: 'failed', text: 'skipped: away' })
    expect(skipped.cursor().context.failure_class).toBe('canceled')
    const fallback = gate(GATE.replace('hexagon', 'hexagon, human.default_choice=b'))
    fallback.add('gate.expired', { gate: 'g@1#1', approval: 'apr_1', reason: 'timeout' } as never)
    expect(fallback.wanted()).toEqual(['b@1#1'])
    expect(fallback.cursor().context).toMatchObject({ 'human.gate.selected': 'default', 'human.gate.label': 'No' })
  })

  test('takes a typed text if it is freeform, and no other answer than its options', () => {
    const answered = (dot: string, data: object) =>
      gate(dot).add('gate.answered', { ...answer, option: '', ...data } as never)
    const typed = GATE.replace('hexagon', 'hexagon, human.type=freeform')
    const run = answered(typed, { text: 'my words', option: 'text' })
    expect(run.wanted()).not.toEqual(['g@1#1'])
    expect(run.cursor().context).toMatchObject({ 'human.gate.text': 'my words', 'human.gate.label': 'text' })
    expect(answered(typed, { option: 'Z' }).wanted()).toEqual(['g@1#1'])
    expect(answered(GATE, { option: 'Z', text: 'my words' }).wanted()).toEqual(['g@1#1'])
    const edge = `${GATE}; g -> b [freeform=true]`
    const free = answered(edge, { text: 'my words' })
    expect(free.wanted()).toEqual(['b@1#1'])
    expect(answered(edge, { option: 'Z' }).wanted()).toEqual(['g@1#1'])
    expect(free.emittedOf('node.finished').at(-1)).not.toHaveProperty('preferredLabel')
  })

  test('with only a freeform answer asks, although no edge is an option', () => {
    const run = new GraphJournal(
      'g [shape=hexagon, human.type=freeform]; start -> g; g -> exit [condition="context.x=1"]',
    )
    expect(run.next()).toMatchObject([{ do: 'gate', gate: 'g@1#1' }])
  })

  test('in a dry run answers itself', () => {
    const run = new GraphJournal(GATE, { dryRun: { g: { preferred_label: 'No' } } })
    expect(run.next()).toMatchObject([{ do: 'step', step: 'b@1#1', effect: 'graph.simulated' }])
    expect(run.emittedOf('gate.answered')).toMatchObject([{ by: 'dry-run', option: 'N' }])
  })

  test('in an automatic run has its answer, and a limit only if it says so', () => {
    const [plain] = gate().next() as unknown as [object]
    for (const key of ['automatic', 'timeoutMs', 'fallback']) expect(plain).not.toHaveProperty(key)
    const automatic = new GraphJournal(GATE, { isAutoApproved: true })
    expect(automatic.next()).toMatchObject([{ do: 'gate', automatic: { option: 'Y' } }])
    const limited = new GraphJournal(GATE.replace('hexagon', 'hexagon, human.timeout=9s, human.default_choice=b'))
    expect(limited.next()).toMatchObject([{ do: 'gate', timeoutMs: 9_000, fallback: 'No' }])
  })

  test('ignores the answer to another gate', () => {
    expect(
      gate()
        .add('gate.answered', { ...answer, gate: 'g@1#2', option: 'N' } as never)
        .wanted(),
    ).toEqual(['g@1#1'])
    expect(
      gate()
        .add('gate.expired', { gate: 'g@2#1', approval: 'a', reason: 'skipped' } as never)
        .wanted(),
    ).toEqual(['g@1#1'])
  })

  test('fails if the condition of each of its edges is false', () => {
    const run = new GraphJournal('g [shape=hexagon]; start -> g; g -> exit [label=Yes, condition="context.x=1"]')
    expect(run.end()).toMatchObject({ status: 'failed', text: expect.stringContaining('"g" has no option') })
  })
})

describe('the end of a node', () => {
  test('keeps what it reported in the context, without the keys of the engine', () => {
    const run = line().ended('a@1#1', {
      response: 'x'.repeat(300),
      preferred_label: 'next',
      context_updates: { colour: 'red', _secret: 1, 'internal.x': 2, 'graph.goal': 'other' },
      session: { agent: 'demo', id: 's1', thread: 't' },
    })
    expect(run.wanted()).toEqual(['b@1#1'])
    const { context } = run.cursor()
    expect(context).toMatchObject({
      colour: 'red',
      last_response: 'x'.repeat(200),
      'response.a': 'x'.repeat(300),
      preferred_label: 'next',
      last_stage: 'a',
      outcome: 'success',
      current_node: 'b',
      'graph.goal': '',
      _completed_nodes: ['start', 'a'],
    })
    expect(context).not.toHaveProperty('_secret')
    expect(run.emittedOf('context.changed')).toEqual([
      { node: 'a', keys: ['colour'], dropped: ['_secret', 'internal.x', 'graph.goal'] },
    ])
    expect(run.emittedOf('thread.bound')).toEqual([{ thread: 't', agent: 'demo', session: 's1' }])
    expect(run.work.threads.get('t')).toEqual({ agent: 'demo', session: 's1' })
    expect(run.work.finished.at(-1)).toEqual({ node: 'a', visit: 1, status: 'success', notes: null })
  })

  test('binds no thread without one, and keeps a response that is an artifact', () => {
    const run = line().ended('a@1#1', {
      response: 'long',
      context_updates: { 'response.a': 'artifact:1' },
      session: { agent: 'demo', id: 's1', thread: null },
    })
    run.next()
    expect(run.cursor().context).toMatchObject({ 'response.a': 'artifact:1', last_response: 'long' })
    expect(run.emittedOf('thread.bound')).toEqual([])
    expect(run.emittedOf('context.changed')[0]).not.toHaveProperty('dropped')
  })

  test('counts a node once, however often it is visited', () => {
    const run = new GraphJournal('a; start -> a; a -> a [condition="outcome=partial_success"]; a -> exit')
    run.next()
    run.ended('a@1#1', { status: 'partial_success' })
    expect(run.wanted()).toEqual(['a@2#1'])
    expect(run.ended('a@2#1').end()).toMatchObject({ status: 'completed' })
    expect(run.cursor().context._completed_nodes).toEqual(['start', 'a', 'exit'])
    expect(run.work.visits.get('a')).toBe(2)
  })

  test('a node that was skipped leaves the outcome of the one before', () => {
    const run = line().ended('a@1#1', { status: 'partial_success' })
    run.next()
    run.ended('b@1#1', { status: 'skipped' })
    expect(run.end()).toMatchObject({ status: 'completed' })
    expect(run.emittedOf('node.finished').map(({ node, status }) => `${node} ${status}`)).toContain('b skipped')
    expect(run.work.outcomes.has('b')).toBe(false)
  })

  test('a failure says which node failed and why, and a diamond passes it on', () => {
    const run = new GraphJournal(
      'a; d [shape=diamond]; b; start -> a; a -> d [condition="outcome=fail"]; d -> b [condition="outcome=fail"]; b -> exit',
    )
    run.next()
    run.ended('a@1#1', { status: 'fail', failure_reason: 'no tests', failure_class: 'structural', commit: 'c1' })
    expect(run.wanted()).toEqual(['b@1#1'])
    expect(run.cursor()).toMatchObject({
      commit: 'c1',
      context: { _last_error: 'no tests', _failed_node: 'a', failure_class: 'structural' },
    })
    expect([...run.work.signatures.values()]).toEqual([1])
    expect(run.emittedOf('node.finished').find(({ node }) => node === 'd')).not.toHaveProperty('commit')
    expect(run.work.lastFailure).toContain('no tests')
  })

  test('a diamond without a node before it succeeds', () => {
    const from = { node: 'd', context: {} }
    const run = new GraphJournal('d [shape=diamond]; a; b; start -> d; d -> a [condition="outcome=success"]; d -> b', {
      from,
    })
    expect(run.wanted()).toEqual(['a@1#1'])
  })

  test('a person’s words are for the next agent only', () => {
    const run = new GraphJournal('t [shape=parallelogram, tool_command=x]; a; b; start -> t -> a -> b -> exit')
    run.next()
    run.add('run.steered', { text: 'be brief', by: 'ann' } as never)
    run.ended('t@1#1').next()
    expect(run.work.steering).toEqual(['be brief'])
    run.ended('a@1#1').next()
    expect(run.work.steering).toEqual([])
  })

  test('a stalled node ends the run, and an outcome may end it with any status', () => {
    expect(line().ended('a@1#1', { status: 'fail', isStalled: true }).end()).toMatchObject({
      reason: 'stalled',
      text: '"a" ended without an outcome',
    })
    const end = { status: 'rejected', reason: 'plan', text: 'not this way' } as const
    expect(line().ended('a@1#1', { status: 'fail', end }).end()).toEqual({ do: 'end', ...end })
  })

  test('events that a handler reports are written with its end', () => {
    const event = { type: 'history.added', data: { message: 'x' } } as never
    const run = line().ended('a@1#1', { events: [event] })
    run.next()
    const types = run.emitted.map(({ type }) => type as string)
    expect(types.indexOf('history.added')).toBe(types.lastIndexOf('node.finished') - 1)
  })
})

describe('the attempts of a node', () => {
  test('end in failure or, if it may be partial, in a part', () => {
    const retry = { status: 'retry', failure_reason: 'busy' } as const
    const run = line('max_retries=1').ended('a@1#1', retry)
    expect(run.wanted()).toEqual(['retry a@1#2'])
    run.add('timer.fired', { timer: 'retry a@1#2' } as never).next()
    expect(run.ended('a@1#2', retry).end()).toMatchObject({ text: 'max retries exceeded: busy' })
    expect(line('max_retries=0').ended('a@1#1', retry).end()).toMatchObject({ text: 'busy' })
    expect(line('max_retries=0').ended('a@1#1', { status: 'retry' }).end()).toMatchObject({
      text: 'the handler asked for a retry',
    })
    const partial = line('max_retries=0, allow_partial=true').ended('a@1#1', retry)
    expect(partial.wanted()).toEqual(['b@1#1'])
    expect(partial.emittedOf('node.finished').at(-1)).toMatchObject({
      status: 'partial_success',
      notes: 'retries exhausted, partial accepted',
    })
  })

  test('are announced with their number and reason', () => {
    const run = line('max_retries=3').ended('a@1#1', { status: 'retry', notes: 'slow' })
    run.next()
    expect(run.emittedOf('node.retrying')).toEqual([
      { node: 'a', visit: 1, attempt: 2, reason: 'slow', isCounted: true },
    ])
  })
})

describe('the end of a run', () => {
  test('returns what its nodes added, and qualifies it', () => {
    const run = new GraphJournal('a; start -> a -> exit', { inputs: { colour: 'red', size: '1' } })
    run.next()
    const context_updates = {
      colour: 'blue',
      size: '1',
      found: 7,
      'tool.output': 'x',
      'run.outcome': 'approved',
      'run.objections': ['one', 2],
    }
    run.ended('a@1#1', { response: 'text', context_updates })
    const end = run.end()
    expect(end).toMatchObject({ reason: 'approved', outcome: 'approved', objections: ['one', '2'] })
    expect(end.outputs).toMatchObject({ colour: 'blue', found: 7 })
    for (const key of ['size', 'tool.output', 'response.a', 'last_stage', 'graph.goal', 'outcome'])
      expect(end.outputs, key).not.toHaveProperty(key)
    expect(
      line()
        .ended('a@1#1', { end: { status: 'failed', reason: 'x' } })
        .end(),
    ).not.toHaveProperty('objections')
  })

  test('an end without objections says none', () => {
    const run = new GraphJournal('a; start -> a -> exit')
    run.next()
    const end = run.ended('a@1#1', { context_updates: { 'run.outcome': 7, 'run.objections': [] } }).end()
    expect(end).toMatchObject({ status: 'completed', reason: 'done' })
    expect(end).not.toHaveProperty('outcome')
    expect(end).not.toHaveProperty('objections')
  })

  test('a run ends after a node without edges; a failure there is the failure of the run', () => {
    const run = (outcome: object) => {
      const journal = new GraphJournal('a; start -> a')
      journal.next()
      return journal.ended('a@1#1', outcome).end()
    }
    expect(run({})).toMatchObject({ status: 'completed', reason: 'done' })
    expect(run({ status: 'fail', failure_reason: 'no tests' })).toMatchObject({ status: 'failed', text: 'no tests' })
    const silent = run({ status: 'fail', failure_class: 'deterministic' })
    expect(silent).toMatchObject({ status: 'failed', reason: 'failed', text: 'a failed' })
  })

  test('a run does not end before its goals are met', () => {
    const goal = (attributes: string, dot = 'start -> a -> b -> exit') =>
      new GraphJournal(`graph [goal_condition="context.ready=yes"${attributes}]; a; b; ${dot}`)
    const none = goal('')
    none.next()
    none.ended('a@1#1').next()
    expect(none.ended('b@1#1').end()).toMatchObject({
      reason: 'goal_unmet',
      text: 'unmet goals: goal_condition; no retry target',
    })
    for (const dot of ['start -> a -> b -> exit', 'start -> a -> b']) {
      const run = goal(', retry_target=a', dot)
      run.next()
      run.ended('a@1#1').next()
      expect(run.ended('b@1#1').wanted(), dot).toEqual(['a@2#1'])
      expect(run.emittedOf('edge.selected').at(-1)).toMatchObject({
        from: 'b',
        to: 'a',
        reason: 'goal',
        unmet: ['goal_condition'],
      })
      expect(run.cursor().context._goal_gate_unmet).toEqual(['goal_condition'])
      run.ended('a@2#1', { context_updates: { ready: 'yes' } }).next()
      expect(run.ended('b@2#1').end()).toMatchObject({ status: 'completed' })
    }
  })

  test('a failure that repeats ends the run, and a restart for the same failure is limited by it', () => {
    const again = 'a; start -> a; a -> a [condition="outcome=fail"]; a -> exit'
    const run = new GraphJournal(`graph [failure_repeat_limit=2]; ${again}`)
    run.next()
    const failure = { status: 'fail', failure_reason: 'no tests', failure_class: 'deterministic' } as const
    expect(run.ended('a@1#1', failure).wanted()).toEqual(['a@2#1'])
    expect(run.ended('a@2#1', failure).end()).toMatchObject({
      reason: 'failure_repeated',
      text: 'the same failure 2 times: no tests',
    })
    const restarted = (before: number) => {
      const loop = `graph [failure_repeat_limit=2]; a; start -> a; a -> a [loop_restart=true, condition="outcome=fail"]; a -> exit`
      const first = new GraphJournal(loop)
      first.next()
      const end = first.ended('a@1#1', { ...failure, failure_class: 'transient_infra' }).end()
      const [key] = Object.keys(
        (end.successor as never as { input: { from: { restarts: object } } }).input.from.restarts,
      )
      const from = { node: 'a', context: {}, restarts: { [key!]: before } }
      const next = new GraphJournal(loop, { from })
      next.next()
      return next.ended('a@1#1', { ...failure, failure_class: 'transient_infra' }).end().reason
    }
    expect([restarted(1), restarted(2)]).toEqual(['restarted', 'restart_limit'])
  })

  const LOOP = (attributes = '') =>
    `graph [${attributes || 'x=y'}]; a; start -> a; a -> a [loop_restart=true, condition="context.more=yes"]; a -> exit`
  test('a restart keeps the context, the budget and the parent, and counts itself', () => {
    const parent = { run: 'run_0', child: 'm@1#1' } as never
    const run = new GraphJournal(LOOP(), {}, { limits: { costUsd: 3 }, labels: { team: 'a' }, parent })
    run.next()
    run.ended('a@1#1', { context_updates: { more: 'yes', colour: 'red' } })
    const end = run.end()
    expect(end).toMatchObject({
      reason: 'restarted',
      successor: {
        from: { run: 'run_1', as: 'restart' },
        limits: { costUsd: 3 },
        labels: { team: 'a' },
        parent,
        input: { from: { node: 'a', restarts: { 'a->a#1 ': 1 } } },
      },
      successorEvents: [],
    })
    const { context } = (end.successor as unknown as { input: { from: { context: object } } }).input.from
    expect(context).toMatchObject({ colour: 'red', more: 'yes' })
    expect(Object.keys(context).filter(key => key.startsWith('graph.') || key.startsWith('_'))).toEqual([])
    const alone = new GraphJournal(LOOP())
    alone.next()
    const successor = alone.ended('a@1#1', { context_updates: { more: 'yes' } }).end().successor
    for (const key of ['limits', 'labels', 'parent']) expect(successor).not.toHaveProperty(key)
  })

  test('a run restarts as often as its limit allows, and not once more', () => {
    const again = (attributes: string, before: number) => {
      const from = { node: 'a', context: {}, restarts: { 'a->a#1 ': before } }
      const run = new GraphJournal(LOOP(attributes), { from })
      run.next()
      return run.ended('a@1#1', { context_updates: { more: 'yes' } }).end()
    }
    expect(again('max_node_visits=3', 2)).toMatchObject({ reason: 'restarted' })
    expect(again('max_node_visits=3', 3)).toMatchObject({ status: 'failed', reason: 'restart_limit' })
    expect(again('max_node_visits=0', 500)).toMatchObject({ reason: 'restarted' })
  })

  test('a node may be visited, and a run may go, as often as its limit says', () => {
    const loop = (attributes: string) => {
      const run = new GraphJournal(`graph [${attributes}]; a; start -> a; a -> a`)
      for (let visit = 1; ; visit++) {
        const [command] = run.next()
        if (command?.do === 'end') return [visit - 1, command.reason]
        run.ended(`a@${visit}#1`)
      }
    }
    expect(loop('max_node_visits=3')).toEqual([3, 'max_visits'])
    expect(loop('max_steps=3')).toEqual([2, 'max_steps'])
    const dry = (attributes: string) => {
      const run = new GraphJournal(`graph [${attributes}]; a; start -> a; a -> a`, { dryRun: {} })
      for (let visit = 1; ; visit++) {
        if (run.next()[0]?.do === 'end') return visit - 1
        run.ended(`a@${visit}#1`)
      }
    }
    expect(['max_node_visits=0', 'max_node_visits=3', 'max_node_visits=40'].map(dry)).toEqual([10, 3, 10])
    const own = new GraphJournal('graph [max_node_visits=9]; a [max_visits=1]; start -> a; a -> a')
    own.next()
    expect(own.ended('a@1#1').end()).toMatchObject({ reason: 'max_visits' })
  })
})
