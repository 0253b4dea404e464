import { describe, expect, test } from 'vitest'
import { parseCondition } from './condition.js'
import { type ConditionScope, couldHold, evaluate } from './evaluate-condition.js'

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
    ['outcome=fail || count=1', true],
    ['outcome=fail || count=2', false],
    ['outcome=fail && count=1 || name=a b', true],
    ['outcome=success || outcome=fail && count=2', true],
    ['count > 0', true],
    ['count>=1', true],
    ['count < 1', false],
    ['count <= 0.5', false],
    ['name > 0', false],
    ['missing < 1', false],
    ['name contains a', true],
    ['name contains " b"', true],
    ['name contains c', false],
    ['list contains 1', true],
    ['list contains 2', false],
    ['missing contains x', false],
    ['name="contains"', false],
    ['outcome=succeeded', true],
    ['context.outcome!=failed', true],
    ['outcome=failed', false],
  ])('%j evaluates to %s', (text, expected) => {
    expect(holds(text)).toBe(expected)
  })

  test.each<[string, string, number]>([
    ['a == b', 'use =', 2],
    ['a < x', 'use = or != to compare text', 4],
    ['a >= ""', 'use = or != to compare text', 5],
    ['a ~ x', 'use contains', 2],
    ['a matches ^v', 'use contains, or = for a whole value', 2],
    ['a=1 | b=2', 'use ||', 4],
    ['a=1 or b=2', 'use ||', 4],
    ['a=1 and b=2', 'use &&', 4],
    ['not a', 'use !=', 0],
    ['!a', 'use !=', 0],
    ['(a=1)', 'no parentheses: && binds tighter than ||', 0],
    ['a=1 & b=2', 'use &&', 4],
  ])('%j is rejected: %s', (text, hint, at) => {
    expect(parseCondition(text)).toEqual({ problem: { message: expect.any(String), hint, at } })
  })

  test.each([
    'a=1 &&',
    '&& a=1',
    'a=1 && && b=2',
    'a=1 ||',
    '|| a=1',
    'a contains',
    'a > ',
    '=1',
    'a=',
    'a="x',
    'a=1 b="2"',
    '1a=2',
    'a b',
  ])('%j is a syntax error', text => {
    expect(parseCondition(text)).toHaveProperty('problem')
  })

  test('treat quoted operators and words as text', () => {
    expect(holds('name!="a or (b) == c"')).toBe(true)
  })

  test('list the operators that go beyond the strict language', () => {
    const extensions = (text: string) => {
      const parsed = parseCondition(text)
      return 'problem' in parsed ? null : parsed.condition.extensions
    }
    expect(extensions('a=1 && b!=2 && c')).toEqual([])
    expect(extensions('a>1 || b contains x')).toEqual([
      { operator: '>', at: 1 },
      { operator: '||', at: 4 },
      { operator: 'contains', at: 9 },
    ])
  })

  test('can become true through keys that are still open, not through other keys', () => {
    const parsed = parseCondition('preferred_label=Ship && drift_found=false')
    const refused = parseCondition('preferred_label=Ship && drift_found=true')
    if ('problem' in parsed || 'problem' in refused) throw new Error('not parsed')
    const isOpen = (key: string) => key === 'preferred_label'
    expect(couldHold(parsed.condition, scope, isOpen)).toBe(true)
    expect(couldHold(refused.condition, scope, isOpen)).toBe(false)
  })

  test('report the values that they compared', () => {
    const parsed = parseCondition('outcome=fail && missing=1')
    if ('problem' in parsed) throw new Error('no')
    expect(evaluate(parsed.condition, scope).saw).toEqual([
      { key: 'outcome', value: 'success' },
      { key: 'missing', value: '' },
    ])
  })
})
