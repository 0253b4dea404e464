import { expect, test } from 'vitest'
import { setQueuedPlan } from './set-plan.js'
import { plan } from './testing/scripted-agents.js'
import { fixture, useFixture } from './testing/use-fixture.js'

useFixture()

test('a queued run accepts plans, starts with the latest, asks about it, and skips the Architect', async () => {
  const id = await fixture.create()
  expect(await setQueuedPlan(fixture.store, id, { text: plan(0), by: 'someone' })).toMatchObject({ isValid: false })
  await setQueuedPlan(fixture.store, id, { text: plan(3, 'As I want it.'), by: 'someone' })
  const run = await fixture.drive(id)
  expect(run.path).toEqual(['start', 'prepare', 'plan_validator', 'human_approval'])
  expect((await fixture.asked(id)).input).toMatchObject({ gate: 'plan', validation: { valid: true } })
  expect(run.pipeline.state).toMatchObject({
    external_plan: true,
    total_tasks: 3,
    plan_markdown: expect.stringContaining('As I want it.'),
  })
  expect(fixture.agents.prompts('architect')).toEqual([])
  await expect(setQueuedPlan(fixture.store, id, { text: plan(1), by: 'x' })).rejects.toMatchObject({ code: 'E_STATE' })
})

test('an invalid plan of a person goes back to them, also if the run is auto-approved', async () => {
  const id = await fixture.create({ autoApprove: true })
  await setQueuedPlan(fixture.store, id, { text: plan(0), by: 'someone' })
  const run = await fixture.drive(id)
  expect(run.record.status).toBe('waiting')
  expect((await fixture.asked(id)).input).toMatchObject({ validation: { valid: false, issues: ['no_task_header'] } })
})
