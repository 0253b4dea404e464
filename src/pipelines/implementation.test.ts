import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cancelRun, checkpointsOf, createRun, getRun, readAnswer, resumeRun } from '../engine/index.js'
import { type BenchRun, PipelineBench } from './testing/pipeline-bench.js'
import { APPROVED, item, plan, rejected, writesPlan } from './testing/scripted-agents.js'

let bench: PipelineBench

beforeAll(async () => {
  bench = await PipelineBench.open()
})
beforeEach(() => {
  bench.newRepository()
  bench.script({})
})
afterAll(() => bench.close())

const say = (review: object) => ({ text: JSON.stringify(review) })
const of = (run: BenchRun, type: string) => run.events.filter(event => event.type === type).map(({ data }) => data)

describe('the whole flow', () => {
  test('issue → plan → rejected with feedback → new plan → approved → two tasks, one rework → as many commits as tasks', async () => {
    const agents = bench.script({ reviewer: [say(APPROVED), say(rejected()), say(APPROVED)] })
    const id = await bench.create()
    const first = await bench.drive(id)
    expect(first.record.status).toBe('waiting')
    expect(first.pipeline).toMatchObject({
      next: 'human_approval',
      state: { status: 'paused', pending_user_input: true },
    })
    await bench.answer(id, 'reject', { text: 'make it brighter' })
    const run = await bench.answer(id, 'approve')
    expect(run.record.status).toBe('completed')
    expect(run.pipeline.state).toMatchObject({
      status: 'completed',
      outcome: 'approved',
      human_rejections: ['make it brighter'],
    })
    expect(bench.commits().map(({ subject }) => subject)).toEqual(['feat(lamp): part 1', 'feat(lamp): part 2'])
    expect(agents.prompts('developer')).toHaveLength(3)
    expect(agents.prompts('developer')[2]).toContain('#1 [major] a.txt finding 1')
    expect(run.path).toEqual([
      ...['start', 'prepare', 'architect', 'plan_validator', 'human_approval', 'architect', 'plan_validator'],
      ...['human_approval', 'developer', 'reviewer', 'commit_task', 'next_task', 'developer', 'reviewer'],
      ...['developer', 'reviewer', 'commit_task', 'finish', 'exit'],
    ])
    expect(of(run, 'run.completed')[0]).toMatchObject({ outcome: 'approved' })
    expect(run.pipeline.usage.find(({ role, task }) => role === 'developer' && task === 2)).toMatchObject({ steps: 2 })
    expect(bench.git('status', '--porcelain')).toBe('')
  })

  test('the Developer of a task reads its section and nothing of the others, and goes on in its conversation for rework only', async () => {
    const agents = bench.script({ reviewer: [say(rejected()), say(APPROVED)] })
    await bench.implement()
    const [one, again, two] = agents.turns.filter(({ role }) => role === 'developer')
    expect(one!.turn.prompt).toContain('Task 1')
    expect(one!.turn.prompt).not.toContain('Task 2')
    expect(two!.turn.prompt).toMatch(/Finished before:\n- 1: part 1/)
    expect(one!.turn.resume).toBeNull()
    expect(again!.turn.resume).toBe('session-2')
    expect(two!.turn.resume).toBeNull()
  })
})

describe('the plan', () => {
  test('plan without tasks goes back to the Architect: no_task_header twice, then valid', async () => {
    const agents = bench.script({ architect: [writesPlan(plan(0)), writesPlan(plan(0)), writesPlan(plan(1))] })
    const run = await bench.implement()
    expect(of(run, 'plan.validated').map(({ issues }) => issues)).toEqual([['no_task_header'], ['no_task_header'], []])
    expect(agents.prompts('architect')[1]).toContain('it has no task header')
    expect(run.pipeline.state.outcome).toBe('approved')
  })

  test('an invalid plan at the limit is for a person, and never approved by itself', async () => {
    bench.script({ architect: [writesPlan(plan(0))] })
    const run = await bench.implement()
    expect(run.record.status).toBe('waiting')
    expect(run.path.filter(node => node === 'architect')).toHaveLength(4)
    const { input } = await bench.asked(run.id)
    expect(input).toMatchObject({ gate: 'plan', validation: { valid: false, issues: ['no_task_header'] } })
    const done = await bench.answer(run.id, 'approve')
    expect(done.pipeline.state).toMatchObject({ outcome: 'approved', total_tasks: 1 })
    expect(bench.commits()).toHaveLength(1)
  })

  test('no file and no words that are a plan is an invalid plan, not a crash; a plan that was only said is written down and marked', async () => {
    bench.script({ architect: [{ text: 'easy' }, { text: plan(1) }] })
    const id = await bench.create()
    const run = await bench.drive(id)
    expect(of(run, 'plan.validated').map(({ isValid }) => isValid)).toEqual([false, true])
    expect((await bench.asked(id)).input).toMatchObject({
      is_salvaged: true,
      tasks: [{ number: '1', title: 'part 1' }],
    })
    expect(existsSync(join(run.pipeline.state.worktree!, run.pipeline.state.plan_path!))).toBe(true)
  })

  test('reject failed the run although it said "replan"; feedback read nowhere: the next prompt contains all of it, in order', async () => {
    const agents = bench.script({})
    const id = await bench.create()
    await bench.drive(id)
    await bench.answer(id, 'reject', { text: 'first thing' })
    const run = await bench.answer(id, '', { text: 'second thing' })
    expect(run.record.status).toBe('waiting')
    const last = agents.prompts('architect')[2]!
    expect(last.indexOf('1. first thing')).toBeGreaterThan(0)
    expect(last.indexOf('2. second thing')).toBeGreaterThan(last.indexOf('1. first thing'))
    expect(run.pipeline.state).toMatchObject({ human_approved: null, plan_revision_count: 0 })
    const { input } = await bench.asked(id)
    expect(input).toMatchObject({ version: 3, rejections: ['first thing', 'second thing'], diff: expect.any(String) })
  })

  test('a rejection without words asks again; approving with edits stores and validates them first', async () => {
    const id = await bench.create()
    await bench.drive(id)
    const asked = await bench.answer(id, 'reject')
    expect(asked.record.status).toBe('waiting')
    expect((await bench.asked(id)).text).toMatch(/^A rejection needs words/)
    const { input } = await bench.asked(id)
    const bad = await bench.answer(id, 'approve', { editedInput: { ...input, plan_markdown: plan(0) } })
    expect(bad.record.status).toBe('waiting')
    expect((await bench.asked(id)).input).toMatchObject({ validation: { valid: false } })
    const run = await bench.answer(id, 'edit', { text: plan(3, 'As I want it.') })
    expect(run.pipeline.state).toMatchObject({ outcome: 'approved', total_tasks: 3 })
    expect(bench.git('show', `signalbox/lamp:${run.pipeline.state.plan_path}`)).toContain('As I want it.')
    expect(of(run, 'plan.approved')).toMatchObject([{ isEdited: true, by: 'someone' }])
  })

  test('a decision is for the plan that was shown: a file that changed since is another plan', async () => {
    const id = await bench.create()
    const run = await bench.drive(id)
    writeFileSync(join(run.pipeline.state.worktree!, run.pipeline.state.plan_path!), plan(1))
    const again = await bench.answer(id, 'approve')
    expect(again.record.status).toBe('waiting')
    expect((await bench.asked(id)).input).toMatchObject({ tasks: [{ number: '1' }] })
    expect(of(again, 'plan.replaced')).toMatchObject([{ by: 'file' }])
  })

  test('plan path used today’s date: a run made before midnight keeps its file after it', async () => {
    const id = await bench.create({}, Date.UTC(2026, 0, 31, 23, 59, 59))
    await bench.drive(id)
    const run = await bench.answer(id, 'approve')
    expect(run.pipeline.state.plan_path).toBe('docs/plans/2026-01-31-lamp.md')
    expect(bench.git('show', '--stat', '--format=', 'signalbox/lamp~1')).toContain('2026-01-31-lamp.md')
  })

  test('a plan of somebody else at the same path stays; the Architect’s other changes are put back', async () => {
    bench.git('checkout', '-q', '-b', 'x')
    const path = 'docs/plans/2026-01-31-lamp.md'
    rmSync(join(bench.repository, 'docs'), { recursive: true, force: true })
    bench.write(path, 'mine')
    bench.git('add', '.')
    bench.git('commit', '-q', '-m', 'theirs')
    bench.script({
      architect: [
        turn => ({ files: { 'a.txt': 'changed', 'new.txt': 'x', [/file: (\S+)/.exec(turn.prompt)![1]!]: plan(1) } }),
      ],
    })
    const id = await bench.create({}, Date.UTC(2026, 0, 31))
    const run = await bench.drive(id)
    expect(run.pipeline.state.plan_path).toBe('docs/plans/2026-01-31-lamp-2.md')
    expect(bench.gitIn(run.pipeline.state.worktree!, 'status', '--porcelain', '-uall')).toBe(
      '?? docs/plans/2026-01-31-lamp-2.md',
    )
    expect(of(run, 'run.notice').some(({ text }) => /put back: a.txt, new.txt/.test(String(text)))).toBe(true)
  })

  test('pressing Enter approved the plan: empty input is no answer', async () => {
    const id = await bench.create()
    await bench.drive(id)
    const { text, options } = await bench.asked(id)
    const question = {
      id,
      text,
      type: 'MULTIPLE_CHOICE' as const,
      options: options.map(key => ({ key, label: key })),
      takesText: true,
      stage: '',
      fingerprint: '',
    }
    expect(readAnswer(question, '')).toBeNull()
    expect(readAnswer(question, '   \n')).toBeNull()
    expect((await bench.look(id)).record.status).toBe('waiting')
  })

  test('rejected run could be resumed to COMPLETED: one that was cancelled at its plan is refused', async () => {
    const id = await bench.create()
    await bench.drive(id)
    const run = await bench.answer(id, 'cancel')
    expect(run.record).toMatchObject({ status: 'cancelled', reason: 'declined' })
    expect(run.pipeline.state).toMatchObject({ status: 'failed', outcome: 'cancelled' })
    await expect(resumeRun(bench.store, id, { by: 'x' })).rejects.toThrow(/nothing to resume/)
  })
})

describe('tasks', () => {
  test.each([1, 2])(
    'last task not committed, not reported: %i tasks, as many commits and task.finished',
    async tasks => {
      bench.script({ architect: [writesPlan(plan(tasks))] })
      const run = await bench.implement()
      expect(bench.commits()).toHaveLength(tasks)
      expect(of(run, 'task.finished').map(({ number }) => number)).toEqual(
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
      expect(of(run, 'run.completed')[0]).toMatchObject({
        outcome: 'objections',
        objections: [`task ${number}: [major] a.txt finding 1`],
      })
      expect(of(run, 'task.finished')[number - 1]).toMatchObject({ verdict: 'objections', iterations: 2 })
      const commit = bench.commits()[number - 1]!
      // unapproved task committed as complete: subject and trailer
      expect(commit.subject).toBe(`feat(lamp): part ${number} (not approved)`)
      expect(commit.body).toContain('Signalbox-Review: objections')
    },
  )

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
    expect(of(run, 'review.finished').map(({ isApproved }) => isApproved)).toEqual([false, true, true])
  })

  test('a task that changes nothing is told to the Reviewer, and has no commit', async () => {
    const agents = bench.script({ developer: [{ text: 'was there' }], architect: [writesPlan(plan(1))] })
    const run = await bench.implement({ profile: bench.profile({ commitPlan: false }) })
    expect(agents.prompts('reviewer')[0]).toContain('Nothing was changed. Say whether')
    expect(of(run, 'task.committed')).toMatchObject([{ commit: null }])
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

describe('git', () => {
  test('`git add -A` in the person’s own tree: in place, a dirty file stays as it was and out of the commit', async () => {
    bench.git('checkout', '-q', '-b', 'own')
    writeFileSync(join(bench.repository, 'a.txt'), 'mine, unfinished\n')
    writeFileSync(join(bench.repository, 'notes.txt'), 'private\n')
    const base = bench.git('rev-parse', 'HEAD')
    const place = {
      mode: 'in_place' as const,
      path: bench.repository,
      branch: 'own',
      base,
      isNewBranch: false,
      dirtyBefore: ['a.txt', 'notes.txt'],
    }
    const run = await bench.implement({ place })
    expect(run.pipeline.state.outcome).toBe('approved')
    expect(bench.git('status', '--porcelain')).toBe('M a.txt\n?? notes.txt')
    expect(bench.git('log', '--format=', '--name-only', 'main..own').split('\n').filter(Boolean).sort()).toEqual(
      [run.pipeline.state.plan_path, 'f1.txt', 'f2.txt'].sort(),
    )
  })

  test('a hook that refuses is shown; the Developer settles it, or a person goes past it, or it ends', async () => {
    const hook = join(bench.repository, '.git', 'hooks', 'pre-commit')
    writeFileSync(hook, '#!/bin/sh\necho "no lamp without a fuse" >&2\ntest -f fuse.txt\n')
    chmodSync(hook, 0o755)
    bench.script({
      architect: [writesPlan(plan(1))],
      developer: [{ files: { 'f1.txt': 'x' } }, { files: { 'fuse.txt': 'x' } }],
    })
    const waiting = await bench.implement()
    expect(waiting.record.status).toBe('waiting')
    expect((await bench.asked(waiting.id)).input).toMatchObject({
      gate: 'hook',
      output: expect.stringContaining('no lamp without a fuse'),
    })
    const run = await bench.answer(waiting.id, 'fix')
    expect(bench.agents.prompts('developer')[1]).toContain('no lamp without a fuse')
    expect(run.pipeline.state.outcome).toBe('approved')

    bench.newRepository()
    writeFileSync(hook, '#!/bin/sh\nexit 1\n')
    chmodSync(hook, 0o755)
    bench.script({ architect: [writesPlan(plan(1))] })
    const second = await bench.implement()
    expect((await bench.answer(second.id, 'bypass')).record.status).toBe('completed')
  })

  test('a hook that only changes files is given them, once', async () => {
    const hook = join(bench.repository, '.git', 'hooks', 'pre-commit')
    writeFileSync(hook, '#!/bin/sh\ntest -f formatted.txt || { echo x > formatted.txt; exit 1; }\n')
    chmodSync(hook, 0o755)
    bench.script({ architect: [writesPlan(plan(1))] })
    const run = await bench.implement()
    expect(run.record.status).toBe('completed')
    expect(bench.git('show', '--stat', '--format=', 'signalbox/lamp')).toContain('formatted.txt')
  })

  test('a branch that somebody has already is left alone; a worktree that vanished is made anew from its branch', async () => {
    bench.git('branch', 'signalbox/lamp')
    const id = await bench.create()
    const run = await bench.drive(id)
    expect(run.pipeline.state.branch).toBe('signalbox/lamp-2')
    rmSync(run.pipeline.state.worktree!, { recursive: true, force: true })
    const done = await bench.answer(id, 'approve')
    expect(done.pipeline.state.outcome).toBe('approved')
    expect(bench.commits('signalbox/lamp-2')).toHaveLength(2)
    expect(of(done, 'run.notice').some(({ text }) => /was gone and is made anew/.test(String(text)))).toBe(true)
  })

  test('a merge conflict is not committed over', async () => {
    const conflict = (turn: { cwd: string }) => {
      const git = (...args: string[]) => bench.gitIn(turn.cwd, ...args)
      bench.writeIn(turn.cwd, 'a.txt', 'ours\n')
      git('commit', '-qam', 'ours')
      git('checkout', '-q', '-b', 'other', 'main')
      bench.writeIn(turn.cwd, 'a.txt', 'theirs\n')
      git('commit', '-qam', 'theirs')
      git('checkout', '-q', 'signalbox/lamp')
      try {
        git('merge', 'other')
      } catch {
        // The conflict is what the test is about.
      }
      return {}
    }
    bench.script({ architect: [writesPlan(plan(1))], developer: [conflict] })
    const run = await bench.implement()
    expect(run.record.status).toBe('failed')
    expect(of(run, 'run.failed')[0]).toMatchObject({ text: expect.stringMatching(/merge conflict|reset/i) })
  })

  test('a run that changes nothing leaves neither worktree nor branch', async () => {
    bench.script({
      architect: [writesPlan(plan(1))],
      developer: [
        turn => {
          rmSync(join(turn.cwd, 'docs'), { recursive: true })
          return {}
        },
      ],
    })
    const run = await bench.implement()
    expect(run.types).toContain('worktree.removed')
    expect(bench.git('branch', '--list', 'signalbox/*')).toBe('')
  })
})

describe('a run', () => {
  test('cancel, reject found the task by worktree path: of two runs in one directory the one that is named ends, the other lives', async () => {
    const [one, two] = [await bench.create(), await bench.create()]
    await bench.drive(one)
    await cancelRun(bench.store, two, { by: 'someone', reason: 'not needed' })
    // cancel silent: it is in the log
    expect((await bench.look(two)).types).toContain('run.cancelled')
    expect((await getRun(bench.store, one)).status).toBe('waiting')
    expect((await bench.answer(one, 'approve')).pipeline.state.outcome).toBe('approved')
  })

  test('a fork goes on from a task’s commit in a place of its own, and leaves the run it comes from alone', async () => {
    const whole = await bench.implement()
    const { checkpoint } = checkpointsOf(whole.events).find(({ node }) => node === 'commit_task')!
    expect(checkpoint.commit).toBe(whole.pipeline.state.tasks[0]!.commit)
    const created = whole.events[0]!.data as unknown as Parameters<typeof createRun>[1]
    const path = join(bench.directory, 'worktrees', 'fork')
    bench.git('worktree', 'add', '-q', '-b', 'fork', path, checkpoint.commit!)
    const from = { node: checkpoint.next_node!, context: checkpoint.context, visits: checkpoint.node_visits }
    const workspace = { path, branch: 'fork', base: checkpoint.commit! }
    const id = await createRun(
      bench.store,
      { ...created, cwd: path, input: { ...created.input, workspace, from } },
      Date.now(),
    )
    const run = await bench.drive(id)
    expect(run.pipeline.state).toMatchObject({ outcome: 'approved', branch: 'fork', worktree: path, workflow_id: id })
    expect(bench.commits('fork').map(({ subject }) => subject)).toEqual(['feat(lamp): part 1', 'feat(lamp): part 2'])
    expect(bench.commits('fork')[1]!.body).toContain(`Signalbox-Run: ${id}`)
    expect(bench.commits()).toHaveLength(2)
    expect(bench.git('rev-parse', 'fork~1')).toBe(bench.git('rev-parse', 'signalbox/lamp~1'))
  })

  test('the budget of a task stops it at a gate, and goes on when it is raised', async () => {
    bench.script({ architect: [writesPlan(plan(1))] })
    const waiting = await bench.implement({ profile: bench.profile({ taskUsd: 0.4 }) })
    expect(waiting.record.status).toBe('waiting')
    expect((await bench.asked(waiting.id)).input).toMatchObject({ gate: 'spending', limit: 'task_usd', of: 0.4 })
    const run = await bench.answer(waiting.id, 'raise')
    expect(run.pipeline.state.outcome).toBe('approved')
  })

  test('a state of another pipeline or a newer form is refused, and the run is as it was', async () => {
    const id = await bench.create()
    await bench.drive(id)
    const before = (await bench.look(id)).events.length
    const { readState } = await import('./stored-state.js')
    const { args } = (await bench.look(id)).pipeline
    expect(() => readState({ 'state.schema_version': 99 }, args, {} as never)).toThrow(/version 99/)
    expect((await bench.look(id)).events).toHaveLength(before)
  })
})
