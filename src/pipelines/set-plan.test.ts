import { expect, test } from 'vitest'
import { setQueuedPlan } from './set-plan.js'
import { plan } from './testing/scripted-agents.js'
import { bench, useBench } from './testing/use-bench.js'

useBench()

test('a run that is not started yet takes a plan: it begins with the last one, asks about it, and needs no Architect', async () => {
  const id = await bench.create()
  expect(await setQueuedPlan(bench.store, id, { text: plan(0), by: 'someone' })).toMatchObject({ isValid: false })
  await setQueuedPlan(bench.store, id, { text: plan(3, 'As I want it.'), by: 'someone' })
  const run = await bench.drive(id)
  expect(run.path).toEqual(['start', 'prepare', 'plan_validator', 'human_approval'])
  expect((await bench.asked(id)).input).toMatchObject({ gate: 'plan', validation: { valid: true } })
  expect(run.pipeline.state).toMatchObject({
    external_plan: true,
    total_tasks: 3,
    plan_markdown: expect.stringContaining('As I want it.'),
  })
  expect(bench.agents.prompts('architect')).toEqual([])
  await expect(setQueuedPlan(bench.store, id, { text: plan(1), by: 'x' })).rejects.toMatchObject({ code: 'E_STATE' })
})

test('one that is not valid is for a person, also where the run approves by itself', async () => {
  const id = await bench.create({ autoApprove: true })
  await setQueuedPlan(bench.store, id, { text: plan(0), by: 'someone' })
  const run = await bench.drive(id)
  expect(run.record.status).toBe('waiting')
  expect((await bench.asked(id)).input).toMatchObject({ validation: { valid: false, issues: ['no_task_header'] } })
})
