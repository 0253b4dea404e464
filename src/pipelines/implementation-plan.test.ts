import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readAnswer, resumeRun } from '../engine/index.js'
import { plan, writesPlan } from './testing/scripted-agents.js'
import { bench, dataOf, useBench } from './testing/use-bench.js'

useBench()

describe('the plan', () => {
  test('plan without tasks raised instead of going back to the architect: no_task_header twice, then valid', async () => {
    const agents = bench.script({ architect: [writesPlan(plan(0)), writesPlan(plan(0)), writesPlan(plan(1))] })
    const run = await bench.implement()
    expect(dataOf(run, 'plan.validated').map(({ issues }) => issues)).toEqual([
      ['no_task_header'],
      ['no_task_header'],
      [],
    ])
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
    expect(dataOf(run, 'plan.validated').map(({ isValid }) => isValid)).toEqual([false, true])
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
    expect(dataOf(run, 'plan.approved')).toMatchObject([{ isEdited: true, by: 'someone' }])
  })

  test('a decision is for the plan that was shown: a file that changed since is another plan', async () => {
    const id = await bench.create()
    const run = await bench.drive(id)
    writeFileSync(join(run.pipeline.state.worktree!, run.pipeline.state.plan_path!), plan(1))
    const again = await bench.answer(id, 'approve')
    expect(again.record.status).toBe('waiting')
    expect((await bench.asked(id)).input).toMatchObject({ tasks: [{ number: '1' }] })
    expect(dataOf(again, 'plan.replaced')).toMatchObject([{ by: 'file' }])
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
    expect(dataOf(run, 'run.notice').some(({ text }) => /put back: a.txt, new.txt/.test(String(text)))).toBe(true)
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
