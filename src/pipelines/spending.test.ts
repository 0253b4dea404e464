import { beforeEach, expect, test } from 'vitest'
import { APPROVED, plan, writesPlan } from './testing/scripted-agents.js'
import { bench, dataOf, useBench } from './testing/use-bench.js'

useBench()
beforeEach(() => {
  bench.script({ architect: [writesPlan(plan(1))] })
})

test('the budget of a task is told about at 80 %, once; the next step still begins', async () => {
  const run = await bench.implement({ profile: bench.profile({ taskUsd: 0.6 }) })
  expect(dataOf(run, 'budget.warned')).toEqual([{ limit: 'task_usd', spent: 0.5, of: 0.6 }])
  expect(run.pipeline.state.outcome).toBe('approved')
})

test('the budget of a task stops it at a gate, and goes on when it is raised', async () => {
  const waiting = await bench.implement({ profile: bench.profile({ taskUsd: 0.4 }) })
  expect(waiting.record.status).toBe('waiting')
  expect((await bench.asked(waiting.id)).input).toMatchObject({ gate: 'spending', limit: 'task_usd', of: 0.4 })
  const run = await bench.answer(waiting.id, 'raise')
  expect(run.pipeline.state.outcome).toBe('approved')
})

test('a conversation that fills more than 80 % of what its model takes is told about', async () => {
  const usage = (used: number) => ({
    type: 'usage',
    scope: 'run',
    input: 1,
    output: 1,
    context: { used, window: 1000 },
  })
  bench.script({
    architect: [writesPlan(plan(1))],
    developer: [{ files: { 'f1.txt': 'x' }, activities: [usage(850)] }],
    reviewer: [{ text: JSON.stringify(APPROVED), activities: [usage(799)] }],
  })
  const run = await bench.implement()
  const told = dataOf(run, 'run.notice').filter(({ text }) => String(text).includes('of what its model takes'))
  expect(told).toMatchObject([
    { level: 'warning', text: 'the conversation of the developer fills 85 % of what its model takes (850 of 1000)' },
  ])
})
