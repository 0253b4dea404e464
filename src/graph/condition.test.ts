import { describe, expect, test } from 'vitest'
import { type ConditionScope, evaluate, parseCondition } from './condition.js'

const scope: ConditionScope = {
  outcome: 'success',
  preferredLabel: 'Fix it',
  context: {
    drift_found: false,
    count: 1,
    name: 'a b',
    'tool.exit_code': 0,
    list: [1, { b: 2, a: 1 }],
    deep: { er: { still: 'x' } },
    empty: '',
    nothing: null,
  },
}

function holds(text: string): boolean {
  const parsed = parseCondition(text)
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  return evaluate(parsed.condition, scope).isTrue
}

describe('conditions', () => {
  test.each<[string, boolean]>([
    ['', true],
    ['outcome=success', true],
    ['outcome = success', true],
    ['outcome!=success', false],
    ['outcome=fail', false],
    ['preferred_label=Fix it', true],
    ['preferred_label="Fix it"', true],
    ["preferred_label='Fix it'", true],
    ['outcome=success && context.drift_found=false', true],
    ['outcome=success && drift_found=true', false],
    ['name=a b && outcome=success', true],
    ['name="a && b"', false],
    ['name!="a && b"', true],
    ['count=1', true],
    ['count=01', false],
    ['tool.exit_code=0', true],
    ['context.tool.exit_code=0', true],
    ['list=\'[1,{"a":1,"b":2}]\'', true],
    ['deep.er.still=x', true],
    ['deep.er.gone=""', true],
    ['missing=""', true],
    ['missing!=x', true],
    ['missing', false],
    ['drift_found', false],
    ['count', true],
    ['tool.exit_code', false],
    ['empty', false],
    ['nothing=""', true],
    ['Outcome=success', false],
  ])('%j evaluates to %s', (text, expected) => {
    expect(holds(text)).toBe(expected)
  })

  test.each<[string, string, number]>([
    ['a == b', 'use =', 2],
    ['a < 1', 'only = and !=', 2],
    ['a >= 1', 'only = and !=', 2],
    ['a ~ x', 'only = and !=', 2],
    ['a=1 || b=2', 'write two edges', 4],
    ['a=1 or b=2', 'write two edges', 4],
    ['a=1 and b=2', 'use &&', 4],
    ['not a', 'use !=', 0],
    ['!a', 'use !=', 0],
    ['(a=1)', 'no parentheses: write two edges, or && between clauses', 0],
    ['a=1 & b=2', 'use &&', 4],
  ])('%j is rejected: %s', (text, hint, at) => {
    expect(parseCondition(text)).toEqual({ problem: { message: expect.any(String), hint, at } })
  })

  test.each(['a=1 &&', '&& a=1', 'a=1 && && b=2', '=1', 'a=', 'a="x', 'a=1 b="2"', '1a=2', 'a b'])(
    '%j is a syntax error',
    text => {
      expect(parseCondition(text)).toHaveProperty('problem')
    },
  )

  test('treat quoted operators and words as text', () => {
    expect(holds('name!="a or (b) == c"')).toBe(true)
  })

  test('report the values they saw', () => {
    const parsed = parseCondition('outcome=fail && missing=1')
    if ('problem' in parsed) throw new Error('no')
    expect(evaluate(parsed.condition, scope).saw).toEqual([
      { key: 'outcome', value: 'success' },
      { key: 'missing', value: '' },
    ])
  })
})
