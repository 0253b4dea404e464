import { expect, test } from 'vitest'
import type { ItemsGatePayload, PlanGatePayload } from '../../pipelines/index.js'
import { itemsGate, planGate } from './gates.js'

const PLAN: PlanGatePayload = {
  gate: 'plan',
  goal: 'Fix the cart',
  plan_path: null,
  plan_hash: 'c0ffee',
  plan_markdown: '# Fix the cart\n',
  version: 2,
  validation: { valid: true, issues: ['task 2 names no file'], severity: 'minor' },
  tasks: [{ number: '1', title: null }],
  key_files: ['src/cart.js'],
  is_salvaged: false,
  rejections: ['too long'],
  diff: '@@ -1 +1 @@\n-a\n+b\n',
}

const ITEMS: ItemsGatePayload = {
  gate: 'items',
  pass: 1,
  of: 2,
  summary: 'One finding.',
  items: [
    {
      number: 1,
      severity: 'critical',
      file: 'src/cart.js',
      line: null,
      title: 'the sum is wrong',
      issue: 'It ignores the discount.',
      why: 'The discount is a percentage.',
      fix: 'Multiply.',
      type: 'general',
      disposition: 'implement',
      reason: 'confirmed in the code',
    },
  ],
}

test.each([
  ['a plan', planGate, PLAN],
  ['items', itemsGate, ITEMS],
])('the gate of a pipeline about %s has exactly the fields of its schema', (_, schema, payload) => {
  expect(schema.strict().parse(payload)).toEqual(payload)
})
