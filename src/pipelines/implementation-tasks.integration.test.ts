import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recordResume } from '../engine/index.js'
import { APPROVED, item, plan, rejected, writesPlan } from './testing/scripted-agents.js'
import { dataOf, fixture, useFixture } from './testing/use-fixture.js'

useFixture()

const say = (review: object) => ({ text: JSON.stringify(review) })

describe('a task', () => {
  test.each([1, 2])('has one commit and one task.finished each, for %i tasks including the last', async tasks => {
    fixture.script({ architect: [writesPlan(plan(tasks))] })
    const run = await fixture.implement()
    expect(fixture.commits()).toHaveLength(tasks)
    expect(dataOf(run, 'task.finished').map(({ number }) => number)).toEqual(
      Array.from({ length: tasks }, (_, at) => at + 1),
    )
    expect(fixture.commits().at(-1)!.body).toContain(`Signalbox-Task: ${tasks}/${tasks}`)
    expect(fixture.commits().at(-1)!.body).toContain('Signalbox-Review: approved')
  })

  const limit = { maxTaskReviews: 2 }
  const onTask = (number: number) => (turn: { prompt: string }) =>
    say(turn.prompt.includes(`### Task ${number}:`) ? rejected() : APPROVED)

  test.each([1, 2])('ends with objections under policy continue if it is not approved (task %i)', async number => {
    fixture.script({ reviewer: [onTask(number)] })
    const run = await fixture.implement({ profile: fixture.profile({ ...limit, onUnapproved: 'continue' }) })
    expect(run.record.status).toBe('completed')
    expect(run.pipeline.state).toMatchObject({
      outcome: 'objections',
      final_response: expect.stringMatching(/^completed with 1 objection/),
    })
    expect(dataOf(run, 'run.completed')[0]).toMatchObject({
      outcome: 'objections',
      objections: [`task ${number}: [major] a.txt finding 1`],
    })
    expect(dataOf(run, 'task.finished')[number - 1]).toMatchObject({ verdict: 'objections', iterations: 2 })
  })

  test('is marked in its commit subject and trailer if it is not approved', async () => {
    fixture.script({ architect: [writesPlan(plan(1))], reviewer: [say(rejected())] })
    await fixture.implement({ profile: fixture.profile({ maxTaskReviews: 1, onUnapproved: 'continue' }) })
    const [commit] = fixture.commits()
    expect(commit!.subject).toBe('feat(lamp): part 1 (not approved)')
    expect(commit!.body).toContain('Signalbox-Review: objections')
    expect(commit!.body).not.toContain('approved\n')
  })

  test.each([
    [1, 'stop'],
    [2, 'ask'],
  ] as const)(
    'fails the run if it is not approved and no person can be asked (task %i, policy "%s")',
    async (number, onUnapproved) => {
      fixture.script({ reviewer: [onTask(number)] })
      const run = await fixture.implement({ profile: fixture.profile({ maxTaskReviews: 1, onUnapproved }) })
      expect(run.record).toMatchObject({ status: 'failed', reason: 'objections' })
      expect(fixture.commits()).toHaveLength(number - 1)
    },
  )

  test.each([2])(
    'waits under policy ask if it is not approved (task %i), for more attempts or an acceptance',
    async number => {
      fixture.script({ reviewer: [onTask(number)] })
      const id = await fixture.create({ profile: fixture.profile(limit) })
      await fixture.drive(id)
      const waiting = await fixture.answer(id, 'approve')
      expect(waiting.record.status).toBe('waiting')
      expect(await fixture.asked(id)).toMatchObject({
        kind: 'review',
        input: { gate: 'objections', reviews: 2, task: { index: number } },
      })
      const more = await fixture.answer(id, 'more', { text: '1' })
      expect((await fixture.asked(id)).input).toMatchObject({ reviews: 3 })
      expect(more.record.status).toBe('waiting')
      const run = await fixture.answer(id, 'accept')
      expect(run.pipeline.state).toMatchObject({
        outcome: 'objections_accepted',
        tasks: expect.arrayContaining([expect.objectContaining({ status: 'objections', accepted_by: 'someone' })]),
      })
      expect(fixture.commits()[number - 1]!.subject).toContain('(not approved)')
    },
  )

  test('is asked about again after a resume if a person stopped the run there', async () => {
    fixture.script({ architect: [writesPlan(plan(1))], reviewer: [say(rejected())] })
    const id = await fixture.create({ profile: fixture.profile({ maxTaskReviews: 1 }) })
    await fixture.drive(id)
    await fixture.answer(id, 'approve')
    expect((await fixture.answer(id, 'stop')).record).toMatchObject({ status: 'failed', reason: 'objections' })
    await recordResume(fixture.store, id, { by: 'someone' })
    expect((await fixture.drive(id)).record.status).toBe('waiting')
    expect((await fixture.answer(id, 'accept')).pipeline.state.outcome).toBe('objections_accepted')
  })

  test.each([
    ['an empty answer', { text: '' }],
    ['prose', { text: 'Looks good to me, approved!' }],
    ['broken JSON', { text: '{"approved": true, "items": [' }],
    ['neither verdict nor items', { text: '{"summary": "fine"}' }],
  ])('is reviewed again if the review has no verdict and no items (%s), then its step fails', async (_, part) => {
    const agents = fixture.script({ reviewer: [part] })
    const run = await fixture.implement()
    expect(run.record.status).toBe('failed')
    expect(agents.prompts('reviewer')).toHaveLength(2)
    expect(agents.prompts('reviewer')[1]).toContain('Your last answer could not be used')
    expect(fixture.commits()).toEqual([])
    expect(run.types).not.toContain('task.finished')
  })

  test('is not approved with a major item, even if the Reviewer approves it', async () => {
    fixture.script({
      reviewer: [say({ ...APPROVED, items: [item(1, 'major')] }), say({ ...APPROVED, items: [item(1, 'minor')] })],
    })
    const run = await fixture.implement()
    expect(dataOf(run, 'review.finished').map(({ isApproved }) => isApproved)).toEqual([false, true, true])
  })

  test('is reported to the Reviewer and has no commit if it changes nothing', async () => {
    const agents = fixture.script({ developer: [{ text: 'was there' }], architect: [writesPlan(plan(1))] })
    const run = await fixture.implement({ profile: fixture.profile({ commitPlan: false }) })
    expect(agents.prompts('reviewer')[0]).toContain('Nothing was changed. Check whether')
    expect(dataOf(run, 'task.committed')).toMatchObject([{ commit: null }])
    expect(run.pipeline.state.outcome).toBe('approved')
  })

  test('is not approved while a check of the profile fails, and the Reviewer sees the check', async () => {
    const checks = [['sh', '-c', 'echo looked; test -f ok.txt']]
    const agents = fixture.script({
      architect: [writesPlan(plan(1))],
      developer: [{ files: { 'f1.txt': 'x' } }, { files: { 'ok.txt': 'x' } }],
    })
    const run = await fixture.implement({ profile: fixture.profile({ checks }) })
    expect(agents.prompts('reviewer')[0]).toContain('check: sh -c echo looked; test -f ok.txt (exit 1)')
    expect(agents.prompts('developer')[1]).toContain('The check fails')
    expect(dataOf(run, 'review.finished').map(({ isApproved }) => isApproved)).toEqual([false, true])
    expect(run.pipeline.state.outcome).toBe('approved')
  })

  test('is reviewed by several types at once, each in its own step, and all must approve', async () => {
    fixture.script({
      reviewer: [
        turn => say(turn.prompt.includes('for security') ? rejected() : APPROVED),
        turn => say(turn.prompt.includes('for security') ? rejected() : APPROVED),
        say(APPROVED),
      ],
      architect: [writesPlan(plan(1))],
    })
    const run = await fixture.implement({ profile: fixture.profile({ reviewTypes: ['general', 'security'] }) })
    const steps = fixture.agents.turns.filter(({ role }) => role === 'reviewer').map(({ step }) => step)
    expect(steps).toEqual([
      'reviewer:general@1#1',
      'reviewer:security@1#1',
      'reviewer:general@2#1',
      'reviewer:security@2#1',
    ])
    expect(run.pipeline.state.tasks[0]).toMatchObject({ iterations: 2, status: 'approved' })
  })

  test('is restored if its Reviewer changes files in the worktree, and that review does not count', async () => {
    fixture.script({
      architect: [writesPlan(plan(1))],
      reviewer: [{ ...say(APPROVED), files: { 'a.txt': 'sabotage' } }],
    })
    const run = await fixture.implement()
    expect(run.record.status).toBe('failed')
    expect(fixture.readAt(join(run.pipeline.state.worktree!, 'a.txt'))).toBe('one\n')
    expect(fixture.commits()).toEqual([])
  })

  test('includes commits that the Developer made', async () => {
    const commits = (turn: { cwd: string }) => {
      fixture.writeIn(turn.cwd, 'f.txt', 'x')
      fixture.gitIn(turn.cwd, 'add', '.')
      fixture.gitIn(turn.cwd, 'commit', '-q', '-m', 'sneaky')
      return {}
    }
    fixture.script({ developer: [commits], architect: [writesPlan(plan(1))] })
    await fixture.implement()
    expect(fixture.commits().map(({ subject }) => subject)).toEqual(['feat(lamp): part 1'])
  })
})
