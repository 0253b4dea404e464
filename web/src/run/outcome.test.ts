import { expect, it } from 'vitest'
import { outcomeOf } from './outcome'

const run = { status: 'completed', step: 'run_tests@1#1', why: null, isUndriven: false } as const

it('a run in a list says where it failed and why, and nothing that its status says already', () => {
  expect(outcomeOf(run)).toBeNull()
  const why = 'Command exited with code 7: no route'
  expect(outcomeOf({ ...run, status: 'failed', why })).toBe(`Failed at “Run tests”: ${why}`)
  expect(outcomeOf({ ...run, status: 'failed', step: null, why })).toBe(why)
  expect(outcomeOf({ ...run, status: 'rejected', why: 'the task is impossible' })).toBe('The task is impossible')
})
