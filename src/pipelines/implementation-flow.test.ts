import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cancelRun, checkpointsOf, createRun, getRun } from '../engine/index.js'
import { APPROVED, rejected } from './testing/scripted-agents.js'
import { bench, dataOf, useBench } from './testing/use-bench.js'

useBench()

/** A promise that is fulfilled from outside. */
function deferred(): { promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>(fulfil => {
    resolve = fulfil
  })
  return { promise, resolve: () => resolve() }
}

const say = (review: object) => ({ text: JSON.stringify(review) })

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
    expect(dataOf(run, 'run.completed')[0]).toMatchObject({ outcome: 'approved' })
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

describe('a run', () => {
  test('cancel, reject found the task by worktree path: of two runs in one directory the one that is named ends, the other lives', async () => {
    const [one, two] = [await bench.create(), await bench.create()]
    await bench.drive(one)
    await cancelRun(bench.store, two, { by: 'someone', reason: 'not needed' })
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

  test('cancel silent: who cancelled and why is in the log of the run, and on the stream that surfaces follow', async () => {
    const seen: unknown[] = []
    const after = await bench.store.head()
    const told = deferred()
    const subscription = await bench.store.subscribe({ after, onError: () => undefined }, events => {
      for (const event of events) if (event.type === 'run.cancelled') seen.push(event.data)
      if (seen.length > 0) told.resolve()
    })
    const id = await bench.create()
    await bench.drive(id)
    await cancelRun(bench.store, id, { by: 'someone', reason: 'not needed' })
    await told.promise
    subscription.close()
    const run = await bench.look(id)
    expect(dataOf(run, 'run.cancelled')).toMatchObject([{ by: 'someone', reason: 'not needed' }])
    expect(seen).toMatchObject([{ by: 'someone', reason: 'not needed' }])
    expect(run.pipeline.state).toMatchObject({ status: 'failed', outcome: 'cancelled' })
  })

  test('restart turned running runs into failures: a host that takes over goes on with a run that was running', async () => {
    const [begun, cameBack] = [deferred(), deferred()]
    bench.script({
      architect: [
        async () => {
          begun.resolve()
          await cameBack.promise
          return {}
        },
      ],
    })
    const id = await bench.create({ autoApprove: true })
    const first = bench.drive(id)
    await begun.promise
    expect((await getRun(bench.store, id)).status).toBe('running')
    bench.script({})
    const run = await bench.drive(id)
    expect(run.pipeline.state).toMatchObject({ status: 'completed', outcome: 'approved' })
    expect(run.types).toContain('step.lost')
    // The first host comes back to a run that is another's by now, and writes nothing.
    cameBack.resolve()
    expect((await first).events).toHaveLength(run.events.length)
    expect(run.types).not.toContain('run.failed')
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
