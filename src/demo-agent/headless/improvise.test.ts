import { expect, it } from 'vitest'
import { readAnswer } from './headless-surface.js'
import { roleOf, taskOf } from './improvise.js'

it.each([
  ['Answer with {"verdict": "DONE"|"RETRY"}', 'auditor'],
  ['Return {"findings": []}', 'reviewer'],
  ['Please write a short plan for this', 'planner'],
  ['Fix the plan view of the station', 'worker'],
])('%s wants a %s', (prompt, role) => {
  expect(roleOf(prompt)).toBe(role)
})

it('finds the task under its heading, or in the first line', () => {
  expect(taskOf('You are a worker.\n\n## Task\n\nPaint it red\n')).toBe('Paint it red')
  expect(taskOf('[demo:verdict DONE]\n# Paint it\n')).toBe('Paint it')
})

it('an answer names an option, or only allows or denies', () => {
  const options = [
    { label: 'Yes', meaning: 'allow-session' as const },
    { label: 'No', meaning: 'deny' as const },
  ]
  expect(readAnswer({ option: 'Yes' }, options, '?').meaning).toBe('allow-session')
  expect(readAnswer({ decision: 'allow' }, options, '?').meaning).toBe('allow-once')
  expect(readAnswer({ decision: 'deny', message: 'why' }, options, '?')).toMatchObject({
    meaning: 'deny',
    answers: [{ text: 'why' }],
  })
  expect(readAnswer({}, options, '?').isCancelled).toBe(true)
})
