import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { checkpointsOf, recordResume, runStream } from '../engine/index.js'
import { newEvent } from '../events/index.js'
import { APPROVED, item, rejected } from './testing/scripted-agents.js'
import { dataOf, fixture, useFixture } from './testing/use-fixture.js'

useFixture()
beforeEach(() => {
  writeFileSync(join(fixture.repository, 'a.txt'), 'one\ntwo\n')
})

const say = (value: object) => ({ text: JSON.stringify(value) })

describe('a review', () => {
  test('ends at once without changes', async () => {
    fixture.git('checkout', '-q', '--', '.')
    const run = await fixture.review()
    expect(run.path).toEqual(['start', 'collect', 'finish', 'exit'])
    expect(run.pipeline.state).toMatchObject({ outcome: 'approved', final_response: 'nothing to review' })
    expect(fixture.agents.turns).toEqual([])
  })

  test('shows new files, and only lists generated ones', async () => {
    writeFileSync(join(fixture.repository, 'new.txt'), 'fresh\n')
    writeFileSync(join(fixture.repository, 'package-lock.json'), '{}\n')
    writeFileSync(join(fixture.repository, 'lamp.bin'), Buffer.from([0, 1, 2, 0]))
    await fixture.review({ reviewMode: 'review_only' })
    const [prompt] = fixture.agents.prompts('reviewer')
    expect(prompt).toContain('+fresh')
    expect(prompt).toContain('+two')
    expect(prompt).toMatch(/changed files that are not shown =+\nlamp.bin\npackage-lock.json\n/)
  })

  test('ends with objections in report-only mode if a serious item is open, and changes nothing', async () => {
    fixture.script({ reviewer: [say(rejected(item(1), item(2, 'minor')))] })
    const run = await fixture.review({ reviewMode: 'review_only' })
    expect(run.path).toEqual(['start', 'collect', 'reviewer', 'evaluator', 'finish', 'exit'])
    expect(run.pipeline.state).toMatchObject({ outcome: 'objections' })
    expect(dataOf(run, 'evaluation.finished')).toEqual([{ implement: 2, reject: 0, defer: 0, clarify: 0 }])
    expect(dataOf(run, 'run.completed')[0]).toMatchObject({
      outcome: 'objections',
      objections: ['[major] a.txt finding 1'],
    })
    expect(fixture.git('status', '--porcelain')).toBe('M a.txt')
  })

  test('asks which items to fix, fixes them, and reviews again', async () => {
    fixture.script({ reviewer: [say(rejected(item(1), item(2, 'minor'))), say(APPROVED)] })
    const run = await fixture.review()
    expect(run.record.status).toBe('waiting')
    const { kind, input, options } = await fixture.asked(run.id)
    expect(kind).toBe('review')
    expect(input).toMatchObject({
      gate: 'items',
      pass: 1,
      of: 3,
      items: [{ number: 1, disposition: 'implement', reason: 'it is so' }, { number: 2 }],
    })
    expect(options).toEqual(['1', '2', 'all', 'critical', 'major', 'none', 'pass'])
    const done = await fixture.answer(run.id, '1', { choices: ['1'], note: 'carefully' })
    expect(fixture.agents.prompts('developer')[0]).toContain('#1 [major] a.txt finding 1')
    expect(fixture.agents.prompts('developer')[0]).not.toContain('#2')
    expect(fixture.agents.prompts('developer')[0]).toContain('carefully')
    expect(done.pipeline.state).toMatchObject({ outcome: 'approved', review_pass: 2, approved_items: [] })
    expect(dataOf(done, 'items.decided')).toEqual([{ approved: [1], by: 'someone', isAutomatic: false }])
    // Fixes of uncommitted changes are not committed.
    expect(fixture.git('rev-list', '--count', 'HEAD')).toBe('1')
    expect(existsSync(join(fixture.repository, 'fixed.txt'))).toBe(true)
  })

  test('starts with findings of a person instead of a Reviewer, who checks the fixes', async () => {
    fixture.script({ reviewer: [say(APPROVED)] })
    const findings = [{ file: 'a.txt', line: 2, text: 'Say three.\nNot two.' }]
    const run = await fixture.review({ findings })
    expect(fixture.agents.prompts('reviewer')).toEqual([])
    expect((await fixture.asked(run.id)).input).toMatchObject({
      items: [{ number: 1, file: 'a.txt', line: 2, title: 'Say three.', issue: 'Say three.\nNot two.' }],
    })
    const done = await fixture.answer(run.id, '1', { choices: ['1'] })
    expect(fixture.agents.prompts('developer')[0]).toContain('Not two.')
    expect(fixture.agents.prompts('reviewer')).toHaveLength(1)
    expect(done.pipeline.state).toMatchObject({ outcome: 'approved' })
  })

  test('runs only review nodes after another host continued it from its gate', async () => {
    fixture.script({ reviewer: [say(rejected()), say(APPROVED)] })
    const id = await fixture.create({ pipeline: 'review' })
    await fixture.drive(id)
    const run = await fixture.answer(id, 'all')
    expect(run.path).toEqual([
      'start',
      'collect',
      'reviewer',
      'evaluator',
      'items',
      'developer',
      'checks',
      'reviewer',
      'finish',
      'exit',
    ])
    expect(run.path).not.toContain('architect')
    expect(run.pipeline.state.pipeline_type).toBe('review')
  })

  test('fixes all recommended items up to the pass limit if it is auto-approved', async () => {
    fixture.script({ reviewer: [say(rejected())] })
    const run = await fixture.review({ autoApprove: true, profile: fixture.profile({ maxReviewPasses: 2 }) })
    expect(dataOf(run, 'items.decided').every(({ isAutomatic }) => isAutomatic)).toBe(true)
    expect(run.path.filter(node => node === 'developer')).toHaveLength(2)
    expect(run.pipeline.state).toMatchObject({ outcome: 'objections', review_pass: 2 })
  })

  test('does not raise unselected items again, and keeps them as objections', async () => {
    fixture.script({ reviewer: [say(rejected(item(1), item(2, 'major', { title: 'other' })))] })
    const id = await fixture.create({ pipeline: 'review' })
    await fixture.drive(id)
    const run = await fixture.answer(id, '2', { choices: ['2'] })
    expect(run.record.status).toBe('waiting')
    expect((await fixture.asked(id)).input).toMatchObject({ items: [{ title: 'other' }] })
    expect(fixture.agents.prompts('reviewer')[1]).toContain('already decided; do not raise these again')
    const done = await fixture.answer(id, 'none')
    expect(done.pipeline.state).toMatchObject({
      outcome: 'objections',
      open_objections: ['[major] a.txt finding 1', '[major] a.txt other'],
    })
  })

  test('accepts a rejection with evidence, asks about missing items, and drops added ones', async () => {
    const items = [
      { number: 1, disposition: 'reject', reason: 'a.txt:2 shows otherwise' },
      { number: 9, disposition: 'implement', reason: 'x' },
    ]
    fixture.script({ reviewer: [say(rejected(item(1), item(2, 'minor')))], evaluator: [say({ items, summary: 's' })] })
    const run = await fixture.review()
    expect((await fixture.asked(run.id)).input).toMatchObject({
      items: [{ disposition: 'reject' }, { number: 2, disposition: 'clarify' }],
    })
    expect(dataOf(run, 'run.notice').some(({ text }) => String(text).includes('unknown items: 9'))).toBe(true)
    const done = await fixture.answer(run.id, 'none')
    expect(done.pipeline.state.outcome).toBe('approved')
  })

  test('commits the fixes of a range in one commit per pass', async () => {
    fixture.git('commit', '-qam', 'two')
    const [from, to] = [fixture.git('rev-parse', 'HEAD~1'), fixture.git('rev-parse', 'HEAD')]
    fixture.script({ reviewer: [say(rejected()), say(APPROVED)] })
    const run = await fixture.review({
      target: { kind: 'range', from, to, label: 'x' },
      commitsFixes: true,
      autoApprove: true,
    })
    expect(run.pipeline.state.outcome).toBe('approved')
    expect(fixture.git('log', '--format=%s', `${to}..HEAD`)).toBe('fix: review items (pass 1)')
    expect(fixture.git('log', '-1', '--format=%b')).toContain('Signalbox-Pass: 1')
  })

  test('asks if a hook rejects its fixes, and the Developer’s fix is in the same commit', async () => {
    fixture.git('commit', '-qam', 'two')
    const [from, to] = [fixture.git('rev-parse', 'HEAD~1'), fixture.git('rev-parse', 'HEAD')]
    const hook = join(fixture.repository, '.git', 'hooks', 'pre-commit')
    writeFileSync(hook, '#!/bin/sh\necho "no lamp without a fuse" >&2\ntest -f fuse.txt\n')
    chmodSync(hook, 0o755)
    fixture.script({
      reviewer: [say(rejected()), say(APPROVED)],
      developer: [{ files: { 'a.txt': 'fixed' } }, { files: { 'fuse.txt': 'x' } }],
    })
    const target = { kind: 'range' as const, from, to, label: 'x' }
    const waiting = await fixture.review({ target, commitsFixes: true, autoApprove: true })
    expect(waiting.record.status).toBe('waiting')
    expect((await fixture.asked(waiting.id)).input).toMatchObject({ gate: 'hook', isReview: true })
    const run = await fixture.answer(waiting.id, 'fix')
    expect(fixture.agents.prompts('developer')[1]).toContain('no lamp without a fuse')
    expect(run.pipeline.state.outcome).toBe('approved')
    expect(fixture.git('log', '--format=%s', `${to}..HEAD`)).toBe('fix: review items (pass 1)')
  })

  test('asks again if another pass is requested after the last one, and settles nothing', async () => {
    fixture.script({ reviewer: [say(rejected())] })
    const run = await fixture.review({ profile: fixture.profile({ maxReviewPasses: 1 }) })
    expect((await fixture.asked(run.id)).options).not.toContain('pass')
    const again = await fixture.answer(run.id, 'pass')
    expect(again.record.status).toBe('waiting')
    expect((await fixture.asked(run.id)).text).toMatch(/last of 1 passes/)
    expect(again.pipeline.state.settled_items).toEqual([])
  })

  test('uses a review that was complete when its host died, without asking the Reviewer again', async () => {
    const agents = fixture.script({
      reviewer: [
        () => {
          throw new Error('the machine is off')
        },
        say(rejected()),
      ],
    })
    agents.left = () => ({ verdict: 'success', evidence: [], text: JSON.stringify(APPROVED) })
    const id = await fixture.create({ pipeline: 'review' })
    expect((await fixture.drive(id)).record.status).toBe('failed')
    await recordResume(fixture.store, id, { by: 'someone' })
    const run = await fixture.drive(id)
    expect(run.pipeline.state).toMatchObject({ outcome: 'approved' })
    expect(agents.prompts('reviewer')).toHaveLength(1)
  })

  test('discards a review whose Reviewer changed files, also in a later attempt', async () => {
    const agents = fixture.script({
      reviewer: [{ ...say(APPROVED), files: { 'a.txt': 'sabotage' } }, say(rejected())],
    })
    agents.left = () => ({ verdict: 'success', evidence: [], text: JSON.stringify(APPROVED) })
    const id = await fixture.create({ pipeline: 'review', reviewMode: 'review_only' })
    expect((await fixture.drive(id)).record.status).toBe('failed')
    await recordResume(fixture.store, id, { by: 'someone' })
    const run = await fixture.drive(id)
    expect(agents.prompts('reviewer')).toHaveLength(2)
    expect(run.pipeline.state.outcome).toBe('objections')
  })

  test('continues with the answer of an Evaluator that had answered when its host died', async () => {
    const answer = { items: [{ number: 1, disposition: 'reject', reason: 'a.txt:2 shows otherwise' }], summary: 's' }
    const agents = fixture.script({
      reviewer: [say(rejected())],
      evaluator: [
        () => {
          throw new Error('the machine is off')
        },
      ],
    })
    agents.left = ({ step }) =>
      step === 'evaluator@1#1'
        ? { verdict: 'success', evidence: [], text: JSON.stringify(answer) }
        : { verdict: 'nothing', evidence: [] }
    const id = await fixture.create({ pipeline: 'review' })
    expect((await fixture.drive(id)).record.status).toBe('failed')
    await recordResume(fixture.store, id, { by: 'someone' })
    expect((await fixture.drive(id)).pipeline.state).toMatchObject({ outcome: 'approved' })
    expect(agents.prompts('evaluator')).toHaveLength(1)
  })

  test('does not count if files change during it; in a person’s tree nothing is restored', async () => {
    fixture.script({ reviewer: [{ ...say(APPROVED), files: { 'a.txt': 'sabotage' } }] })
    const run = await fixture.review()
    expect(run.record).toMatchObject({ status: 'failed' })
    expect(dataOf(run, 'run.failed')[0]).toMatchObject({
      text: expect.stringContaining('were left as they are: a.txt'),
    })
    expect(fixture.read('a.txt')).toBe('sabotage')
  })
})

test('the snapshot of a review stays under 64 KiB, also after 10 000 tool calls', async () => {
  const { graphWorkflow, readRun } = await import('../engine/index.js')
  const measure = async (count: number) => {
    const activities = Array.from({ length: count }, (_, at) => ({
      type: 'tool_call',
      callId: `${at}`,
      tool: 'Read',
      kind: 'read',
      input: { path: `f${at}` },
    }))
    fixture.script({ reviewer: [{ ...say(APPROVED), activities }] })
    const run = await fixture.review()
    const { work } = (await readRun(fixture.store, run.id, graphWorkflow)).run
    const checkpoint = checkpointsOf(run.events).at(-1)!.checkpoint
    return {
      snapshot: JSON.stringify(graphWorkflow.save!(work)).length,
      checkpoint: JSON.stringify(checkpoint).length,
      events: run.events.length,
    }
  }
  const [few, many] = [await measure(10), await measure(10_000)]
  expect(many.snapshot).toBeLessThan(64 * 1024)
  // Times and ids may differ by a character.
  expect(Math.abs(many.snapshot - few.snapshot)).toBeLessThan(32)
  expect(Math.abs(many.checkpoint - few.checkpoint)).toBeLessThan(32)
  expect(many.events).toBe(few.events)
})

test('the history of a review is in the log and the state, but not in the snapshot', async () => {
  const { graphWorkflow, readRun } = await import('../engine/index.js')
  fixture.script({ reviewer: [say(rejected())] })
  const run = await fixture.review()
  const entry = { timestamp: '2026-01-01T00:00:00.000Z', agent: 'x', message: 'again and again' }
  await fixture.store.append(
    runStream(run.id),
    'any',
    Array.from({ length: 5_000 }, () => newEvent('history.added', entry)),
  )
  const { work } = (await readRun(fixture.store, run.id, graphWorkflow)).run
  expect(JSON.stringify(graphWorkflow.save!(work))).not.toContain('again and again')
  const done = await fixture.answer(run.id, 'none')
  expect(done.pipeline.state.history.length).toBeGreaterThan(5_000)
  expect(done.pipeline.state.history.at(-1)!.message).toMatch(/^completed with 1 objection/)
})

test('a review records tool calls that a role may not make, redacted', async () => {
  const activities = [
    { type: 'tool_call', callId: '1', tool: 'Write', kind: 'write', input: { path: 'a.txt', text: 'x' } },
    { type: 'tool_call', callId: '2', tool: 'Read', kind: 'read', input: { path: 'a.txt' } },
  ]
  fixture.script({ reviewer: [{ ...say(APPROVED), activities }] })
  const run = await fixture.review()
  expect(dataOf(run, 'tool.decided')).toMatchObject([
    { role: 'reviewer', tool: 'Write', isAllowed: false, isAfterwards: true },
  ])
})

test.each([true, false])(
  'a review judges requests of a Developer by the policy first (auto-approved: %s)',
  async autoApprove => {
    const requests = [
      { tool: 'Bash', input: { command: 'ls' } },
      { tool: 'Write', input: { file_path: '/etc/passwd', content: 'x' } },
      { tool: 'Bash', input: { command: 'rm -rf ../..' } },
      // A name that starts like a reading tool says nothing about what the tool does.
      { tool: 'read_and_delete', input: { path: 'a.txt' } },
    ]
    const agents = fixture.script({ reviewer: [say(rejected()), say(APPROVED)], developer: [{ requests }] })
    const profile = fixture.profile()
    const roles = { ...profile.roles, developer: { ...profile.roles.developer, permissions: 'ask' as const } }
    let run = await fixture.review({ autoApprove, profile: { ...profile, roles } })
    if (!autoApprove) run = await fixture.answer(run.id, 'all')
    expect(agents.answers.map(answer => answer?.isAllowed ?? null)).toEqual([
      true,
      false,
      ...(autoApprove ? [false, false] : [null, null]),
    ])
    expect(dataOf(run, 'tool.decided')).toMatchObject([
      { tool: 'Bash', isAllowed: true, isAfterwards: false },
      { tool: 'Write', isAllowed: false, isAfterwards: false, reason: '/etc/passwd is outside the worktree' },
    ])
  },
)
