import { beforeEach, expect, test } from 'vitest'
import { APPROVED, plan, writesPlan } from './testing/scripted-agents.js'
import { dataOf, fixture, useFixture } from './testing/use-fixture.js'

useFixture()
beforeEach(() => {
  fixture.script({ architect: [writesPlan(plan(1))] })
})

test('the budget of a task is reported once at 80 %, and the next step still starts', async () => {
  const run = await fixture.implement({ profile: fixture.profile({ taskUsd: 0.6 }) })
  expect(dataOf(run, 'budget.warned')).toEqual([{ limit: 'task_usd', spent: 0.5, of: 0.6 }])
  expect(run.pipeline.state.outcome).toBe('approved')
})

test('the budget of a task stops it at a gate, and a higher budget continues it', async () => {
  const waiting = await fixture.implement({ profile: fixture.profile({ taskUsd: 0.4 }) })
  expect(waiting.record.status).toBe('waiting')
  expect((await fixture.asked(waiting.id)).input).toMatchObject({ gate: 'spending', limit: 'task_usd', of: 0.4 })
  const run = await fixture.answer(waiting.id, 'raise')
  expect(run.pipeline.state.outcome).toBe('approved')
})

test('a conversation that uses more than 80 % of the context window is reported', async () => {
  const usage = (used: number) => ({
    type: 'usage',
    scope: 'run',
    input: 1,
    output: 1,
    context: { used, window: 1000 },
  })
  fixture.script({
    architect: [writesPlan(plan(1))],
    developer: [{ files: { 'f1.txt': 'x' }, activities: [usage(850)] }],
    reviewer: [{ text: JSON.stringify(APPROVED), activities: [usage(799)] }],
  })
  const run = await fixture.implement()
  const stored = dataOf(run, 'run.notice').filter(({ text }) => String(text).includes('of the context window'))
  expect(stored).toMatchObject([
    {
      level: 'warning',
      text: 'the conversation of the developer uses 85% of the context window of its model (850 of 1000)',
    },
  ])
})
