import { describe, expect, test } from 'vitest'
import { graphStep } from '../graph-step.js'
import { stepCall, type TestCall } from '../testing/step-call.js'
import { codergenPrompt, fidelityOf } from './codergen-prompt.js'

const CONTEXT = { colour: 'red', 'response.before': 'I looked at everything.', 'tool.output': 'x'.repeat(900) }

function call(
  attributes: string,
  { graph = '', edge = '', cursor = {} }: { graph?: string; edge?: string; cursor?: object } = {},
): TestCall {
  const made = stepCall(
    '/tmp',
    `graph [goal="Ship it"${graph}]; before; a [prompt="Do {colour} for $goal"${attributes}]; start -> before -> a ${edge}; a -> exit`,
    {
      context: CONTEXT,
      cursor: { previous: 'before', edge: 'before->a#1', ...cursor },
    },
  )
  const work = made.work() as { finished: object[]; graph: { edges: { id: string; from: string; to: string }[] } }
  work.finished.push({ node: 'before', visit: 1, status: 'success', notes: 'all well' })
  const id = work.graph.edges.find(({ to }) => to === 'a')!.id
  Object.assign((made.work() as { cursors: Map<string, object> }).cursors.get('')!, { edge: id })
  return made
}

const prompt = (made: TestCall) => {
  const step = graphStep(made)
  return codergenPrompt(step, fidelityOf(step)).text
}

describe('the fidelity of a prompt', () => {
  test('adds nothing at full, because the session has the context', () => {
    expect(prompt(call(', fidelity=full'))).toBe('Do red for Ship it\n')
  })

  test('adds the goal and the run at truncate', () => {
    expect(prompt(call(', fidelity=truncate'))).toBe('Goal: Ship it\nRun: run_x\n\nDo red for Ship it\n')
  })

  test('adds finished nodes and short values at compact, the default, but no responses', () => {
    const text = prompt(call(''))
    expect(text).toContain('- before: success — all well')
    expect(text).toContain('- colour: red')
    expect(text).toContain(`- tool.output: ${'x'.repeat(500)}… (900 characters; the first 500 are shown)\n`)
    expect(text).not.toContain('I looked at everything.')
    expect(text).not.toContain('internal.')
  })

  test('adds finished nodes at summary:low, also values at medium, also responses at high', () => {
    const [low, medium, high] = ['low', 'medium', 'high'].map(level => prompt(call(`, fidelity="summary:${level}"`)))
    expect([low!.includes('Done so far'), low!.includes('colour: red')]).toEqual([true, false])
    expect([medium!.includes('colour: red'), medium!.includes('I looked at')]).toEqual([true, false])
    expect(high).toContain('I looked at everything.')
    expect(low!.length).toBeLessThan(2_400 + 200)
  })

  test('is taken from the edge before the node, and from the node before the graph', () => {
    const of = (made: TestCall) => fidelityOf(graphStep(made))
    expect(of(call('', { graph: ', default_fidelity=truncate' }))).toBe('truncate')
    expect(of(call(', fidelity=full', { graph: ', default_fidelity=truncate' }))).toBe('full')
    expect(of(call(', fidelity=full', { edge: '[fidelity="summary:low"]' }))).toBe('summary:low')
  })

  test('does not change the context', () => {
    const made = call(', fidelity="summary:high"')
    const before = JSON.stringify(
      (made.work() as { cursors: Map<string, { context: object }> }).cursors.get('')!.context,
    )
    prompt(made)
    const after = JSON.stringify(
      (made.work() as { cursors: Map<string, { context: object }> }).cursors.get('')!.context,
    )
    expect(after).toBe(before)
  })
})

describe('variables of a prompt', () => {
  const filled = (text: string, input = {}) => {
    const step = graphStep(
      stepCall('/tmp', `graph [goal="Ship it"]; a [prompt="${text}", fidelity=full]; start -> a -> exit`, {
        context: { colour: 'red', 'work.plan': 'P', list: [1, 'b'], none: null },
        input: { inputs: { ticket: '42' }, ...input },
      }),
    )
    return codergenPrompt(step, 'full')
  }

  test.each([
    ['{colour} and {work.plan}', 'red and P'],
    ['$goal, $ticket', 'Ship it, 42'],
    ['{{colour}} stays', '{colour} stays'],
    ['{list} {none}|', '[1,"b"] |'],
    ['{unknown} $other 5$', '{unknown} $other 5$'],
  ])('are substituted where known: %s', (text, expected) => expect(filled(text).text).toBe(`${expected}\n`))

  test('are reported if they have no value', () => expect(filled('{x} $y {x}').unknown).toEqual(['{x}', '$y']))

  test('are substituted once: their values are not expanded again', () => {
    const step = graphStep(
      stepCall('/tmp', 'graph [goal=g]; a [prompt="{colour}", fidelity=full]; start -> a -> exit', {
        context: { colour: '$goal {colour}' },
      }),
    )
    expect(codergenPrompt(step, 'full').text).toBe('$goal {colour}\n')
  })

  test('may name a path into a value', () => {
    const step = graphStep(
      stepCall('/tmp', 'a [prompt="{context.report.lines} of {report.name}, not {report.gone}"]; start -> a -> exit', {
        context: { report: { lines: 3, name: 'x' } },
      }),
    )
    expect(codergenPrompt(step, 'full').text).toBe('3 of x, not {report.gone}\n')
  })
})

describe('the routing contract', () => {
  const contract = (dot: string) => {
    const step = graphStep(stepCall('/tmp', `a [prompt=x, fidelity=full]; start -> a; ${dot}`))
    return codergenPrompt(step, 'full').text.split('\n').slice(4, -1)
  }

  test.each<[string, string, string[]]>([
    [
      'names the outcomes of conditions',
      'a -> exit [condition="outcome=success"]; a -> a [condition="outcome=failed"]',
      ['{"outcome":"success","notes":"one line about the result"}', '"outcome": "success" or "fail".'],
    ],
    [
      'names a key with the words it may take',
      'a -> exit [condition="review_passed = true"]; a -> a [condition="review_passed = false"]',
      [
        '{"outcome":"success","context_updates":{"review_passed":"true"},"notes":"one line about the result"}',
        '"outcome": "success"; "fail" if the work could not be done.',
        '"context_updates" must set "review_passed": "true" or "false".',
      ],
    ],
    [
      'follows the edges of diamonds, and leaves out keys that the engine sets',
      'd [shape=diamond]; e [shape=diamond]; a -> d -> e; e -> exit [condition="context.colour=red && tool.exit_code=0"]; e -> a [condition="context.colour=blue"]; d -> a [condition="outcome=fail && failure_class=timeout"]',
      [
        '{"outcome":"success","context_updates":{"colour":"red"},"notes":"one line about the result"}',
        '"outcome": "success" or "fail".',
        '"failure_class", with the outcome "fail": "timeout" or "unknown".',
        '"context_updates" must set "colour": "red" or "blue".',
      ],
    ],
    [
      'names labels only where they choose between edges',
      'b [prompt=y]; a -> exit [label="[S] Ship"]; a -> b [label=Fix]; b -> exit [label=only]',
      [
        '{"outcome":"success","preferred_label":"[S] Ship","notes":"one line about the result"}',
        '"outcome": "success"; "fail" if the work could not be done.',
        '"preferred_label": "[S] Ship" or "Fix".',
      ],
    ],
    [
      'describes numbers, texts and flags',
      'a -> exit [condition="score > 80 && done"]; a -> a [condition="log contains error || score <= 80"]',
      [
        '{"outcome":"success","context_updates":{"score":81,"done":true,"log":"error"},"notes":"one line about the result"}',
        '"outcome": "success"; "fail" if the work could not be done.',
        '"context_updates" must set "score": a number (checked: > 80, <= 80).',
        '"context_updates" must set "done": true or false.',
        '"context_updates" must set "log": text or a list (checked for "error").',
      ],
    ],
    [
      'keeps outcome words of the author',
      'a -> exit [condition="outcome=port"]; a -> a [condition="outcome=skip"]',
      [
        '{"outcome":"port","notes":"one line about the result"}',
        '"outcome": "port" or "skip"; "fail" if the work could not be done.',
      ],
    ],
  ])('%s', (_, dot, lines) => {
    expect(contract(dot)).toEqual(lines)
  })

  test('is omitted if no edge depends on the answer', () => {
    const step = graphStep(stepCall('/tmp', 'a [prompt=x, fidelity=full]; start -> a -> exit'))
    expect(codergenPrompt(step, 'full').text).toBe('x\n')
  })
})
