import { expect, test } from 'vitest'
import { partsOfStep } from './run-steps.js'

test('the name of a step and of its gate contains branch, node, visit and attempt', () => {
  expect(partsOfStep('p@1.2/review@2#1')).toEqual({ branch: 'p@1.2', node: 'review', visit: 2, attempt: 1 })
  expect(partsOfStep('approve@1#3+ask')).toEqual({ branch: null, node: 'approve', visit: 1, attempt: 3 })
  expect(partsOfStep('worker')).toEqual({ branch: null, node: 'worker', visit: 1, attempt: 1 })
})
