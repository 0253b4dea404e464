import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkpointsOf, createRun, getRun, recordCancel } from '../engine/index.js'
import { APPROVED, rejected } from './testing/scripted-agents.js'
import { dataOf, fixture, useFixture } from './testing/use-fixture.js'

useFixture()

/** A promise that the test resolves. */
function deferred(): { promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>(fulfil => {
    resolve = fulfil
  })
  return { promise, resolve: () => resolve() }
}

const say = (review: object) => ({ text: JSON.stringify(review) })

describe('an implementation run', () => {
  test('goes from an issue over a rejected and a new plan to two tasks with one commit each', async () => {
    const agents = fixture.script({ reviewer: [say(APPROVED), say(rejected()), say(APPROVED)] })
    const id = await fixture.create()
    const first = await fixture.drive(id)
    expect(first.record.status).toBe('waiting')
    expect(first.pipeline).toMatchObject({
      next: 'human_approval',
      state: { status: 'paused', pending_user_input: true },
    })
    await fixture.answer(id, 'reject', { text: 'make it brighter' })
    const run = await fixture.answer(id, 'approve')
    expect(run.record.status).toBe('completed')
    expect(run.pipeline.state).toMatchObject({
      status: 'completed',
      outcome: 'approved',
      human_rejections: ['make it brighter'],
    })
    expect(fixture.commits().map(({ subject }) => subject)).toEqual(['feat(lamp): part 1', 'feat(lamp): part 2'])
    expect(agents.prompts('developer')).toHaveLength(3)
    expect(agents.prompts('developer')[2]).toContain('#1 [major] a.txt finding 1')
    expect(run.path).toEqual([
      ...['start', 'prepare', 'architect', 'plan_validator', 'human_approval', 'architect', 'plan_validator'],
      ...['human_approval', 'developer', 'reviewer', 'commit_task', 'next_task', 'developer', 'reviewer'],
      ...['developer', 'reviewer', 'commit_task', 'finish', 'exit'],
    ])
    expect(dataOf(run, 'run.completed')[0]).toMatchObject({ outcome: 'approved' })
    expect(run.pipeline.usage.find(({ role, task }) => role === 'developer' && task === 2)).toMatchObject({ steps: 2 })
    expect(fixture.git('status', '--porcelain')).toBe('')
  })

  test('lets the task reviewer of the profile review all tasks except the last', async () => {
    const agents = fixture.script({ reviewer: [say(APPROVED)] })
    const { roles } = fixture.profile()
    const profile = fixture.profile({ roles: { ...roles, task_reviewer: { ...roles.reviewer, model: 'small' } } })
    const run = await fixture.implement({ profile })
    expect(run.record.status).toBe('completed')
    const reviews = agents.turns.filter(({ role }) => role === 'reviewer')
    expect(reviews.map(({ turn }) => turn.model)).toEqual(['small', roles.reviewer.model])
  })

  test('gives the Developer only the section of its task, and continues its conversation for rework only', async () => {
    const agents = fixture.script({ reviewer: [say(rejected()), say(APPROVED)] })
    await fixture.implement()
    const [one, again, two] = agents.turns.filter(({ role }) => role === 'developer')
    expect(one!.turn.prompt).toContain('Task 1')
    expect(one!.turn.prompt).not.toContain('Task 2')
    expect(two!.turn.prompt).toMatch(/Already finished:\n- 1: part 1/)
    expect(one!.turn.resume).toBeNull()
    expect(again!.turn.resume).toBe('session-2')
    expect(two!.turn.resume).toBeNull()
  })
})

describe('the control of an implementation run', () => {
  test('cancels the named one of two runs in a directory, and the other continues', async () => {
    const [one, two] = [await fixture.create(), await fixture.create()]
    await fixture.drive(one)
    await recordCancel(fixture.store, two, { by: 'someone', reason: 'not needed' })
    expect((await getRun(fixture.store, one)).status).toBe('waiting')
    expect((await fixture.answer(one, 'approve')).pipeline.state.outcome).toBe('approved')
  })

  test('forks from the commit of a task into a separate worktree without changing the original run', async () => {
    const whole = await fixture.implement()
    const { checkpoint } = checkpointsOf(whole.events).find(({ node }) => node === 'commit_task')!
    expect(checkpoint.commit).toBe(whole.pipeline.state.tasks[0]!.commit)
    const created = whole.events[0]!.data as unknown as Parameters<typeof createRun>[1]
    const path = join(fixture.directory, 'worktrees', 'fork')
    fixture.git('worktree', 'add', '-q', '-b', 'fork', path, checkpoint.commit!)
    const from = { node: checkpoint.next_node!, context: checkpoint.context, visits: checkpoint.node_visits }
    const workspace = { path, branch: 'fork', base: checkpoint.commit! }
    const id = await createRun(
      fixture.store,
      { ...created, cwd: path, input: { ...created.input, workspace, from } },
      Date.now(),
    )
    const run = await fixture.drive(id)
    expect(run.pipeline.state).toMatchObject({ outcome: 'approved', branch: 'fork', worktree: path, workflow_id: id })
    expect(fixture.commits('fork').map(({ subject }) => subject)).toEqual(['feat(lamp): part 1', 'feat(lamp): part 2'])
    expect(fixture.commits('fork')[1]!.body).toContain(`Signalbox-Run: ${id}`)
    expect(fixture.commits()).toHaveLength(2)
    expect(fixture.git('rev-parse', 'fork~1')).toBe(fixture.git('rev-parse', 'signalbox/lamp~1'))
  })

  test('records the person and the reason of a cancellation in the log and on the stream', async () => {
    const seen: unknown[] = []
    const after = await fixture.store.head()
    const seenCancel = deferred()
    const subscription = await fixture.store.subscribe({ after, onError: () => undefined }, events => {
      for (const event of events) if (event.type === 'run.cancelled') seen.push(event.data)
      if (seen.length > 0) seenCancel.resolve()
    })
    const id = await fixture.create()
    await fixture.drive(id)
    await recordCancel(fixture.store, id, { by: 'someone', reason: 'not needed' })
    await seenCancel.promise
    subscription.close()
    const run = await fixture.readRun(id)
    expect(dataOf(run, 'run.cancelled')).toMatchObject([{ by: 'someone', reason: 'not needed' }])
    expect(seen).toMatchObject([{ by: 'someone', reason: 'not needed' }])
    expect(run.pipeline.state).toMatchObject({ status: 'failed', outcome: 'cancelled' })
  })

  test('continues a running run in the host that takes over', async () => {
    const [started, cameBack] = [deferred(), deferred()]
    fixture.script({
      architect: [
        async () => {
          started.resolve()
          await cameBack.promise
          return {}
        },
      ],
    })
    const id = await fixture.create({ autoApprove: true })
    const first = fixture.drive(id)
    await started.promise
    expect((await getRun(fixture.store, id)).status).toBe('running')
    fixture.script({})
    const run = await fixture.drive(id)
    expect(run.pipeline.state).toMatchObject({ status: 'completed', outcome: 'approved' })
    expect(run.types).toContain('step.lost')
    // The first host returns to a run that another host drives by now, and writes nothing.
    cameBack.resolve()
    expect((await first).events).toHaveLength(run.events.length)
    expect(run.types).not.toContain('run.failed')
  })

  test('refuses the state of another pipeline or of a newer version, and leaves the run unchanged', async () => {
    const id = await fixture.create()
    await fixture.drive(id)
    const before = (await fixture.readRun(id)).events.length
    const { readState } = await import('./stored-state.js')
    const { args } = (await fixture.readRun(id)).pipeline
    expect(() => readState({ 'state.schema_version': 99 }, args, {} as never)).toThrow(/version 99/)
    expect((await fixture.readRun(id)).events).toHaveLength(before)
  })
})
