import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseInterviewAnswer, recordResume } from '../engine/index.js'
import { plan, writesPlan } from './testing/scripted-agents.js'
import { dataOf, fixture, useFixture } from './testing/use-fixture.js'

useFixture()

describe('a plan', () => {
  test('goes back to the Architect if it has no tasks: no_task_header twice, then valid', async () => {
    const agents = fixture.script({ architect: [writesPlan(plan(0)), writesPlan(plan(0)), writesPlan(plan(1))] })
    const run = await fixture.implement()
    expect(dataOf(run, 'plan.validated').map(({ issues }) => issues)).toEqual([
      ['no_task_header'],
      ['no_task_header'],
      [],
    ])
    expect(agents.prompts('architect')[1]).toContain('it has no task header')
    expect(run.pipeline.state.outcome).toBe('approved')
  })

  test('goes to a person if it is invalid at the limit, and is then not auto-approved', async () => {
    fixture.script({ architect: [writesPlan(plan(0))] })
    const run = await fixture.implement()
    expect(run.record.status).toBe('waiting')
    expect(run.path.filter(node => node === 'architect')).toHaveLength(4)
    const { input } = await fixture.asked(run.id)
    expect(input).toMatchObject({ gate: 'plan', validation: { valid: false, issues: ['no_task_header'] } })
    const done = await fixture.answer(run.id, 'approve')
    expect(done.pipeline.state).toMatchObject({ outcome: 'approved', total_tasks: 1 })
    expect(fixture.commits()).toHaveLength(1)
  })

  test('counts as invalid if it is missing, and is saved and marked if it is only in the answer', async () => {
    fixture.script({ architect: [{ text: 'easy' }, { text: plan(1) }] })
    const id = await fixture.create()
    const run = await fixture.drive(id)
    expect(dataOf(run, 'plan.validated').map(({ isValid }) => isValid)).toEqual([false, true])
    expect((await fixture.asked(id)).input).toMatchObject({
      is_salvaged: true,
      tasks: [{ number: '1', title: 'part 1' }],
    })
    expect(existsSync(join(run.pipeline.state.worktree!, run.pipeline.state.plan_path!))).toBe(true)
  })

  test('is replaced after a rejection, and the next prompt contains all feedback in order', async () => {
    const agents = fixture.script({})
    const id = await fixture.create()
    await fixture.drive(id)
    await fixture.answer(id, 'reject', { text: 'first thing' })
    const run = await fixture.answer(id, '', { text: 'second thing' })
    expect(run.record.status).toBe('waiting')
    const last = agents.prompts('architect')[2]!
    expect(last.indexOf('1. first thing')).toBeGreaterThan(0)
    expect(last.indexOf('2. second thing')).toBeGreaterThan(last.indexOf('1. first thing'))
    expect(run.pipeline.state).toMatchObject({ human_approved: null, plan_revision_count: 0 })
    const { input } = await fixture.asked(id)
    expect(input).toMatchObject({ version: 3, rejections: ['first thing', 'second thing'], diff: expect.any(String) })
  })

  test('is asked about again after a rejection without feedback; edits are validated before approval', async () => {
    const id = await fixture.create()
    await fixture.drive(id)
    const asked = await fixture.answer(id, 'reject')
    expect(asked.record.status).toBe('waiting')
    expect((await fixture.asked(id)).text).toMatch(/^A rejection needs feedback/)
    const { input } = await fixture.asked(id)
    const bad = await fixture.answer(id, 'approve', { editedInput: { ...input, plan_markdown: plan(0) } })
    expect(bad.record.status).toBe('waiting')
    expect((await fixture.asked(id)).input).toMatchObject({ validation: { valid: false } })
    const run = await fixture.answer(id, 'edit', { text: plan(3, 'As I want it.') })
    expect(run.pipeline.state).toMatchObject({ outcome: 'approved', total_tasks: 3 })
    expect(fixture.git('show', `signalbox/lamp:${run.pipeline.state.plan_path}`)).toContain('As I want it.')
    expect(dataOf(run, 'plan.approved')).toMatchObject([{ isEdited: true, by: 'someone' }])
  })

  test('is approved as shown: a file that changed afterwards is another plan', async () => {
    const id = await fixture.create()
    const run = await fixture.drive(id)
    writeFileSync(join(run.pipeline.state.worktree!, run.pipeline.state.plan_path!), plan(1))
    const again = await fixture.answer(id, 'approve')
    expect(again.record.status).toBe('waiting')
    expect((await fixture.asked(id)).input).toMatchObject({ tasks: [{ number: '1' }] })
    expect(dataOf(again, 'plan.replaced')).toMatchObject([{ by: 'file' }])
  })

  test('keeps its path when the run continues after midnight', async () => {
    const id = await fixture.create({}, Date.UTC(2026, 0, 31, 23, 59, 59))
    await fixture.drive(id)
    const run = await fixture.answer(id, 'approve')
    expect(run.pipeline.state.plan_path).toBe('docs/plans/2026-01-31-lamp.md')
    expect(fixture.git('show', '--stat', '--format=', 'signalbox/lamp~1')).toContain('2026-01-31-lamp.md')
  })

  test('does not replace the plan of another run at its path; other changes of the Architect are reverted', async () => {
    fixture.git('checkout', '-q', '-b', 'x')
    const path = 'docs/plans/2026-01-31-lamp.md'
    rmSync(join(fixture.repository, 'docs'), { recursive: true, force: true })
    fixture.write(path, 'mine')
    fixture.git('add', '.')
    fixture.git('commit', '-q', '-m', 'theirs')
    fixture.script({
      architect: [
        turn => ({ files: { 'a.txt': 'changed', 'new.txt': 'x', [/file: (\S+)/.exec(turn.prompt)![1]!]: plan(1) } }),
      ],
    })
    const id = await fixture.create({}, Date.UTC(2026, 0, 31))
    const run = await fixture.drive(id)
    expect(run.pipeline.state.plan_path).toBe('docs/plans/2026-01-31-lamp-2.md')
    expect(fixture.gitIn(run.pipeline.state.worktree!, 'status', '--porcelain', '-uall')).toBe(
      '?? docs/plans/2026-01-31-lamp-2.md',
    )
    expect(dataOf(run, 'run.notice').some(({ text }) => /restored: a.txt, new.txt/.test(String(text)))).toBe(true)
  })

  test('is not approved by pressing Enter, because empty input is not an answer', async () => {
    const id = await fixture.create()
    await fixture.drive(id)
    const { text, options } = await fixture.asked(id)
    const question = {
      id,
      text,
      type: 'MULTIPLE_CHOICE' as const,
      options: options.map(key => ({ key, label: key })),
      takesText: true,
      stage: '',
      fingerprint: '',
    }
    expect(parseInterviewAnswer(question, '')).toBeNull()
    expect(parseInterviewAnswer(question, '   \n')).toBeNull()
    expect((await fixture.readRun(id)).record.status).toBe('waiting')
  })

  test('does not resume to completion after a person declined it by cancelling', async () => {
    const id = await fixture.create()
    await fixture.drive(id)
    const run = await fixture.answer(id, 'cancel')
    expect(run.record).toMatchObject({ status: 'cancelled', reason: 'declined' })
    expect(run.pipeline.state).toMatchObject({ status: 'failed', outcome: 'cancelled' })
    await expect(recordResume(fixture.store, id, { by: 'x' })).rejects.toThrow(/can be resumed/)
  })
})
