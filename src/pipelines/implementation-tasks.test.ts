import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resumeRun } from '../engine/index.js'
import { APPROVED, item, plan, rejected, writesPlan } from './testing/scripted-agents.js'
import { bench, dataOf, useBench } from './testing/use-bench.js'

useBench()

const say = (review: object) => ({ text: JSON.stringify(review) })

describe('tasks', () => {
  test.each([1, 2])(
    'last task not committed, not reported: %i tasks, as many commits and task.finished',
    async tasks => {
      bench.script({ architect: [writesPlan(plan(tasks))] })
      const run = await bench.implement()
      expect(bench.commits()).toHaveLength(tasks)
      expect(dataOf(run, 'task.finished').map(({ number }) => number)).toEqual(
        Array.from({ length: tasks }, (_, at) => at + 1),
      )
      expect(bench.commits().at(-1)!.body).toContain(`Signalbox-Task: ${tasks}/${tasks}`)
      expect(bench.commits().at(-1)!.body).toContain('Signalbox-Review: approved')
    },
  )

  const limit = { maxTaskReviews: 2 }
  const onTask = (number: number) => (turn: { prompt: string }) =>
    say(turn.prompt.includes(`### Task ${number}:`) ? rejected() : APPROVED)

  test.each([1, 2])(
    'unapproved work ended "completed successfully": policy continue on task %i says objections',
    async number => {
      bench.script({ reviewer: [onTask(number)] })
      const run = await bench.implement({ profile: bench.profile({ ...limit, onUnapproved: 'continue' }) })
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
    },
  )

  test('unapproved task committed as complete: its subject and its trailer say that it is not', async () => {
    bench.script({ architect: [writesPlan(plan(1))], reviewer: [say(rejected())] })
    await bench.implement({ profile: bench.profile({ maxTaskReviews: 1, onUnapproved: 'continue' }) })
    const [commit] = bench.commits()
    expect(commit!.subject).toBe('feat(lamp): part 1 (not approved)')
    expect(commit!.body).toContain('Signalbox-Review: objections')
    expect(commit!.body).not.toContain('approved\n')
  })

  test.each([
    [1, 'stop'],
    [2, 'ask'],
  ] as const)(
    'unapproved work on task %i under "%s", with nobody there, fails the run',
    async (number, onUnapproved) => {
      bench.script({ reviewer: [onTask(number)] })
      const run = await bench.implement({ profile: bench.profile({ maxTaskReviews: 1, onUnapproved }) })
      expect(run.record).toMatchObject({ status: 'failed', reason: 'objections' })
      expect(bench.commits()).toHaveLength(number - 1)
    },
  )

  test.each([2])(
    'unapproved work on task %i under "ask" waits; more attempts, then accepted by a person',
    async number => {
      bench.script({ reviewer: [onTask(number)] })
      const id = await bench.create({ profile: bench.profile(limit) })
      await bench.drive(id)
      const waiting = await bench.answer(id, 'approve')
      expect(waiting.record.status).toBe('waiting')
      expect(await bench.asked(id)).toMatchObject({
        kind: 'review',
        input: { gate: 'objections', reviews: 2, task: { index: number } },
      })
      const more = await bench.answer(id, 'more', { text: '1' })
      expect((await bench.asked(id)).input).toMatchObject({ reviews: 3 })
      expect(more.record.status).toBe('waiting')
      const run = await bench.answer(id, 'accept')
      expect(run.pipeline.state).toMatchObject({
        outcome: 'objections_accepted',
        tasks: expect.arrayContaining([expect.objectContaining({ status: 'objections', accepted_by: 'someone' })]),
      })
      expect(bench.commits()[number - 1]!.subject).toContain('(not approved)')
    },
  )

  test('a run that a person stopped at objections goes on from there, and asks again', async () => {
    bench.script({ architect: [writesPlan(plan(1))], reviewer: [say(rejected())] })
    const id = await bench.create({ profile: bench.profile({ maxTaskReviews: 1 }) })
    await bench.drive(id)
    await bench.answer(id, 'approve')
    expect((await bench.answer(id, 'stop')).record).toMatchObject({ status: 'failed', reason: 'objections' })
    await resumeRun(bench.store, id, { by: 'someone' })
    expect((await bench.drive(id)).record.status).toBe('waiting')
    expect((await bench.answer(id, 'accept')).pipeline.state.outcome).toBe('objections_accepted')
  })

  test.each([
    ['an empty answer', { text: '' }],
    ['prose', { text: 'Looks good to me, approved!' }],
    ['broken JSON', { text: '{"approved": true, "items": [' }],
    ['neither verdict nor items', { text: '{"summary": "fine"}' }],
  ])(
    'reviewer with neither verdict nor items approved: %s is asked once more, then the step has failed',
    async (_, part) => {
      const agents = bench.script({ reviewer: [part] })
      const run = await bench.implement()
      expect(run.record.status).toBe('failed')
      expect(agents.prompts('reviewer')).toHaveLength(2)
      expect(agents.prompts('reviewer')[1]).toContain('Your last answer could not be used')
      expect(bench.commits()).toEqual([])
      expect(run.types).not.toContain('task.finished')
    },
  )

  test('approved with a major item is not approved', async () => {
    bench.script({
      reviewer: [say({ ...APPROVED, items: [item(1, 'major')] }), say({ ...APPROVED, items: [item(1, 'minor')] })],
    })
    const run = await bench.implement()
    expect(dataOf(run, 'review.finished').map(({ isApproved }) => isApproved)).toEqual([false, true, true])
  })

  test('a task that changes nothing is told to the Reviewer, and has no commit', async () => {
    const agents = bench.script({ developer: [{ text: 'was there' }], architect: [writesPlan(plan(1))] })
    const run = await bench.implement({ profile: bench.profile({ commitPlan: false }) })
    expect(agents.prompts('reviewer')[0]).toContain('Nothing was changed. Say whether')
    expect(dataOf(run, 'task.committed')).toMatchObject([{ commit: null }])
    expect(run.pipeline.state.outcome).toBe('approved')
  })

  test('checks of the profile go to the Reviewer, and a failing one is not approved', async () => {
    const agents = bench.script({ architect: [writesPlan(plan(1))] })
    const checks = [['sh', '-c', 'echo looked; test -f ok.txt']]
    bench.script({
      architect: [writesPlan(plan(1))],
      developer: [{ files: { 'f1.txt': 'x' } }, { files: { 'ok.txt': 'x' } }],
    })
    const run = await bench.implement({ profile: bench.profile({ checks }) })
    expect(agents).toBeDefined()
    expect(bench.agents.prompts('reviewer')[0]).toContain('check: sh -c echo looked; test -f ok.txt (exit 1)')
    expect(bench.agents.prompts('developer')[1]).toContain('The check fails')
    expect(run.pipeline.state.outcome).toBe('approved')
  })

  test('several types of review run at once, each a step of its own; all must approve', async () => {
    bench.script({
      reviewer: [
        turn => say(turn.prompt.includes('for security') ? rejected() : APPROVED),
        turn => say(turn.prompt.includes('for security') ? rejected() : APPROVED),
        say(APPROVED),
      ],
      architect: [writesPlan(plan(1))],
    })
    const run = await bench.implement({ profile: bench.profile({ reviewTypes: ['general', 'security'] }) })
    const steps = bench.agents.turns.filter(({ role }) => role === 'reviewer').map(({ step }) => step)
    expect(steps).toEqual([
      'reviewer:general@1#1',
      'reviewer:security@1#1',
      'reviewer:general@2#1',
      'reviewer:security@2#1',
    ])
    expect(run.pipeline.state.tasks[0]).toMatchObject({ iterations: 2, status: 'approved' })
  })

  test('a Reviewer that changes files in the worktree is put back, and its review does not count', async () => {
    bench.script({
      architect: [writesPlan(plan(1))],
      reviewer: [{ ...say(APPROVED), files: { 'a.txt': 'sabotage' } }],
    })
    const run = await bench.implement()
    expect(run.record.status).toBe('failed')
    expect(bench.readAt(join(run.pipeline.state.worktree!, 'a.txt'))).toBe('one\n')
    expect(bench.commits()).toEqual([])
  })

  test('commits that a Developer makes become part of the task’s own', async () => {
    const commits = (turn: { cwd: string }) => {
      bench.writeIn(turn.cwd, 'f.txt', 'x')
      bench.gitIn(turn.cwd, 'add', '.')
      bench.gitIn(turn.cwd, 'commit', '-q', '-m', 'sneaky')
      return {}
    }
    bench.script({ developer: [commits], architect: [writesPlan(plan(1))] })
    await bench.implement()
    expect(bench.commits().map(({ subject }) => subject)).toEqual(['feat(lamp): part 1'])
  })
})
