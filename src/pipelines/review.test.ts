import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { checkpointsOf, resumeRun, runStream } from '../engine/index.js'
import { newEvent } from '../events/index.js'
import { APPROVED, item, rejected } from './testing/scripted-agents.js'
import { bench, dataOf, useBench } from './testing/use-bench.js'

useBench()
beforeEach(() => {
  writeFileSync(join(bench.repository, 'a.txt'), 'one\ntwo\n')
})

const say = (value: object) => ({ text: JSON.stringify(value) })

describe('a review', () => {
  test('of nothing ends at once', async () => {
    bench.git('checkout', '-q', '--', '.')
    const run = await bench.review()
    expect(run.path).toEqual(['start', 'collect', 'finish', 'exit'])
    expect(run.pipeline.state).toMatchObject({ outcome: 'approved', final_response: 'nothing to review' })
    expect(bench.agents.turns).toEqual([])
  })

  test('shows new files, and only names what nobody reads', async () => {
    writeFileSync(join(bench.repository, 'new.txt'), 'fresh\n')
    writeFileSync(join(bench.repository, 'package-lock.json'), '{}\n')
    writeFileSync(join(bench.repository, 'lamp.bin'), Buffer.from([0, 1, 2, 0]))
    await bench.review({ reviewMode: 'review_only' })
    const [prompt] = bench.agents.prompts('reviewer')
    expect(prompt).toContain('+fresh')
    expect(prompt).toContain('+two')
    expect(prompt).toMatch(/changed files that are not shown =+\nlamp.bin\npackage-lock.json\n/)
  })

  test('that only reports ends with objections when something serious is open, and changes nothing', async () => {
    bench.script({ reviewer: [say(rejected(item(1), item(2, 'minor')))] })
    const run = await bench.review({ reviewMode: 'review_only' })
    expect(run.path).toEqual(['start', 'collect', 'reviewer', 'evaluator', 'finish', 'exit'])
    expect(run.pipeline.state).toMatchObject({ outcome: 'objections' })
    expect(dataOf(run, 'evaluation.finished')).toEqual([{ implement: 2, reject: 0, defer: 0, clarify: 0 }])
    expect(dataOf(run, 'run.completed')[0]).toMatchObject({
      outcome: 'objections',
      objections: ['[major] a.txt finding 1'],
    })
    expect(bench.git('status', '--porcelain')).toBe('M a.txt')
  })

  test('asks which items, fixes those, and looks again', async () => {
    bench.script({ reviewer: [say(rejected(item(1), item(2, 'minor'))), say(APPROVED)] })
    const run = await bench.review()
    expect(run.record.status).toBe('waiting')
    const { kind, input, options } = await bench.asked(run.id)
    expect(kind).toBe('review')
    expect(input).toMatchObject({
      gate: 'items',
      pass: 1,
      of: 3,
      items: [{ number: 1, disposition: 'implement', reason: 'it is so' }, { number: 2 }],
    })
    expect(options).toEqual(['1', '2', 'all', 'critical', 'major', 'none', 'pass'])
    const done = await bench.answer(run.id, '1', { choices: ['1'], note: 'carefully' })
    expect(bench.agents.prompts('developer')[0]).toContain('#1 [major] a.txt finding 1')
    expect(bench.agents.prompts('developer')[0]).not.toContain('#2')
    expect(bench.agents.prompts('developer')[0]).toContain('carefully')
    expect(done.pipeline.state).toMatchObject({ outcome: 'approved', review_pass: 2, approved_items: [] })
    expect(dataOf(done, 'items.decided')).toEqual([{ approved: [1], by: 'someone', isAutomatic: false }])
    // For what is not committed yet nothing is committed.
    expect(bench.git('rev-list', '--count', 'HEAD')).toBe('1')
    expect(existsSync(join(bench.repository, 'fixed.txt'))).toBe(true)
  })

  test('resume built the implementation graph for a review: parked at its gate and gone on with by another host, it runs review nodes only', async () => {
    bench.script({ reviewer: [say(rejected()), say(APPROVED)] })
    const id = await bench.create({ pipeline: 'review' })
    await bench.drive(id)
    const run = await bench.answer(id, 'all')
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

  test('left to itself fixes all that the Evaluator would implement, up to the limit of passes, and never calls open work approved', async () => {
    bench.script({ reviewer: [say(rejected())] })
    const run = await bench.review({ autoApprove: true, profile: bench.profile({ maxReviewPasses: 2 }) })
    expect(dataOf(run, 'items.decided').every(({ isAutomatic }) => isAutomatic)).toBe(true)
    expect(run.path.filter(node => node === 'developer')).toHaveLength(2)
    expect(run.pipeline.state).toMatchObject({ outcome: 'objections', review_pass: 2 })
  })

  test('what was left unticked is not raised again, and stays an objection', async () => {
    bench.script({ reviewer: [say(rejected(item(1), item(2, 'major', { title: 'other' })))] })
    const id = await bench.create({ pipeline: 'review' })
    await bench.drive(id)
    const run = await bench.answer(id, '2', { choices: ['2'] })
    expect(run.record.status).toBe('waiting')
    expect((await bench.asked(id)).input).toMatchObject({ items: [{ title: 'other' }] })
    expect(bench.agents.prompts('reviewer')[1]).toContain('decided before; do not raise these again')
    const done = await bench.answer(id, 'none')
    expect(done.pipeline.state).toMatchObject({
      outcome: 'objections',
      open_objections: ['[major] a.txt finding 1', '[major] a.txt other'],
    })
  })

  test('the Evaluator may reject with evidence; what it leaves out is asked about; what it invents is dropped', async () => {
    const items = [
      { number: 1, disposition: 'reject', reason: 'a.txt:2 shows otherwise' },
      { number: 9, disposition: 'implement', reason: 'x' },
    ]
    bench.script({ reviewer: [say(rejected(item(1), item(2, 'minor')))], evaluator: [say({ items, summary: 's' })] })
    const run = await bench.review()
    expect((await bench.asked(run.id)).input).toMatchObject({
      items: [{ disposition: 'reject' }, { number: 2, disposition: 'clarify' }],
    })
    expect(dataOf(run, 'run.notice').some(({ text }) => String(text).includes('items that there are not: 9'))).toBe(
      true,
    )
    const done = await bench.answer(run.id, 'none')
    expect(done.pipeline.state.outcome).toBe('approved')
  })

  test('of a range commits its fixes, one commit a pass', async () => {
    bench.git('commit', '-qam', 'two')
    const [from, to] = [bench.git('rev-parse', 'HEAD~1'), bench.git('rev-parse', 'HEAD')]
    bench.script({ reviewer: [say(rejected()), say(APPROVED)] })
    const run = await bench.review({
      target: { kind: 'range', from, to, label: 'x' },
      commitsFixes: true,
      autoApprove: true,
    })
    expect(run.pipeline.state.outcome).toBe('approved')
    expect(bench.git('log', '--format=%s', `${to}..HEAD`)).toBe('fix: items of a review (pass 1)')
    expect(bench.git('log', '-1', '--format=%b')).toContain('Signalbox-Pass: 1')
  })

  test('whose fixes a hook refuses asks, as for a task; the Developer settles it, and it is one commit', async () => {
    bench.git('commit', '-qam', 'two')
    const [from, to] = [bench.git('rev-parse', 'HEAD~1'), bench.git('rev-parse', 'HEAD')]
    const hook = join(bench.repository, '.git', 'hooks', 'pre-commit')
    writeFileSync(hook, '#!/bin/sh\necho "no lamp without a fuse" >&2\ntest -f fuse.txt\n')
    chmodSync(hook, 0o755)
    bench.script({
      reviewer: [say(rejected()), say(APPROVED)],
      developer: [{ files: { 'a.txt': 'fixed' } }, { files: { 'fuse.txt': 'x' } }],
    })
    const target = { kind: 'range' as const, from, to, label: 'x' }
    const waiting = await bench.review({ target, commitsFixes: true, autoApprove: true })
    expect(waiting.record.status).toBe('waiting')
    expect((await bench.asked(waiting.id)).input).toMatchObject({ gate: 'hook', isReview: true })
    const run = await bench.answer(waiting.id, 'fix')
    expect(bench.agents.prompts('developer')[1]).toContain('no lamp without a fuse')
    expect(run.pipeline.state.outcome).toBe('approved')
    expect(bench.git('log', '--format=%s', `${to}..HEAD`)).toBe('fix: items of a review (pass 1)')
  })

  test('asked for another pass when there is none left asks again: nothing is settled by that', async () => {
    bench.script({ reviewer: [say(rejected())] })
    const run = await bench.review({ profile: bench.profile({ maxReviewPasses: 1 }) })
    expect((await bench.asked(run.id)).options).not.toContain('pass')
    const again = await bench.answer(run.id, 'pass')
    expect(again.record.status).toBe('waiting')
    expect((await bench.asked(run.id)).text).toMatch(/last of 1 passes/)
    expect(again.pipeline.state.settled_items).toEqual([])
  })

  test('that was complete when its host died counts: the Reviewer is not asked twice', async () => {
    const agents = bench.script({
      reviewer: [
        () => {
          throw new Error('the machine is off')
        },
        say(rejected()),
      ],
    })
    agents.left = () => ({ verdict: 'success', evidence: [], text: JSON.stringify(APPROVED) })
    const id = await bench.create({ pipeline: 'review' })
    expect((await bench.drive(id)).record.status).toBe('failed')
    await resumeRun(bench.store, id, { by: 'someone' })
    const run = await bench.drive(id)
    expect(run.pipeline.state).toMatchObject({ outcome: 'approved' })
    expect(agents.prompts('reviewer')).toHaveLength(1)
  })

  test('of a Reviewer that changed files does not count in a later attempt either', async () => {
    const agents = bench.script({
      reviewer: [{ ...say(APPROVED), files: { 'a.txt': 'sabotage' } }, say(rejected())],
    })
    agents.left = () => ({ verdict: 'success', evidence: [], text: JSON.stringify(APPROVED) })
    const id = await bench.create({ pipeline: 'review', reviewMode: 'review_only' })
    expect((await bench.drive(id)).record.status).toBe('failed')
    await resumeRun(bench.store, id, { by: 'someone' })
    const run = await bench.drive(id)
    expect(agents.prompts('reviewer')).toHaveLength(2)
    expect(run.pipeline.state.outcome).toBe('objections')
  })

  test('whose Evaluator had answered when its host died goes on with that answer', async () => {
    const answer = { items: [{ number: 1, disposition: 'reject', reason: 'a.txt:2 shows otherwise' }], summary: 's' }
    const agents = bench.script({
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
    const id = await bench.create({ pipeline: 'review' })
    expect((await bench.drive(id)).record.status).toBe('failed')
    await resumeRun(bench.store, id, { by: 'someone' })
    expect((await bench.drive(id)).pipeline.state).toMatchObject({ outcome: 'approved' })
    expect(agents.prompts('evaluator')).toHaveLength(1)
  })

  test('during which files change does not count; in a person’s tree nothing is put back, for it may be theirs', async () => {
    bench.script({ reviewer: [{ ...say(APPROVED), files: { 'a.txt': 'sabotage' } }] })
    const run = await bench.review()
    expect(run.record).toMatchObject({ status: 'failed' })
    expect(dataOf(run, 'run.failed')[0]).toMatchObject({ text: expect.stringContaining('and stay so: a.txt') })
    expect(bench.read('a.txt')).toBe('sabotage')
  })
})

test('checkpoint size does not grow with tool calls: 10 000 of them make it no bigger than 10 do, and the snapshot stays under 64 KiB', async () => {
  const { graphWorkflow, readRun } = await import('../engine/index.js')
  const measure = async (count: number) => {
    const activities = Array.from({ length: count }, (_, at) => ({
      type: 'tool_call',
      callId: `${at}`,
      tool: 'Read',
      kind: 'read',
      input: { path: `f${at}` },
    }))
    bench.script({ reviewer: [{ ...say(APPROVED), activities }] })
    const run = await bench.review()
    const { work } = (await readRun(bench.store, run.id, graphWorkflow)).run
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

test('history of 5 000 entries stays in the log: the state has it, the snapshot does not', async () => {
  const { graphWorkflow, readRun } = await import('../engine/index.js')
  bench.script({ reviewer: [say(rejected())] })
  const run = await bench.review()
  const entry = { timestamp: '2026-01-01T00:00:00.000Z', agent: 'x', message: 'again and again' }
  await bench.store.append(
    runStream(run.id),
    'any',
    Array.from({ length: 5_000 }, () => newEvent('history.added', entry)),
  )
  const { work } = (await readRun(bench.store, run.id, graphWorkflow)).run
  expect(JSON.stringify(graphWorkflow.save!(work))).not.toContain('again and again')
  const done = await bench.answer(run.id, 'none')
  expect(done.pipeline.state.history.length).toBeGreaterThan(5_000)
  expect(done.pipeline.state.history.at(-1)!.message).toMatch(/^completed with 1 objection/)
})

test('tool calls that a role may not make are on record, with secrets taken out', async () => {
  const activities = [
    { type: 'tool_call', callId: '1', tool: 'Write', kind: 'write', input: { path: 'a.txt', text: 'x' } },
    { type: 'tool_call', callId: '2', tool: 'Read', kind: 'read', input: { path: 'a.txt' } },
  ]
  bench.script({ reviewer: [{ ...say(APPROVED), activities }] })
  const run = await bench.review()
  expect(dataOf(run, 'tool.decided')).toMatchObject([
    { role: 'reviewer', tool: 'Write', isAllowed: false, isAfterwards: true },
  ])
})

test.each([true, false])(
  'what a Developer asks leave for is judged by the policy first (left to itself: %s)',
  async autoApprove => {
    const requests = [
      { tool: 'Bash', input: { command: 'ls' } },
      { tool: 'Write', input: { file_path: '/etc/passwd', content: 'x' } },
      { tool: 'Bash', input: { command: 'rm -rf ../..' } },
      // A name that begins like reading says nothing about what it does.
      { tool: 'read_and_delete', input: { path: 'a.txt' } },
    ]
    const agents = bench.script({ reviewer: [say(rejected()), say(APPROVED)], developer: [{ requests }] })
    const profile = bench.profile()
    const roles = { ...profile.roles, developer: { ...profile.roles.developer, permissions: 'ask' as const } }
    let run = await bench.review({ autoApprove, profile: { ...profile, roles } })
    if (!autoApprove) run = await bench.answer(run.id, 'all')
    expect(agents.answers.map(answer => answer?.isAllowed ?? null)).toEqual([
      true,
      false,
      ...(autoApprove ? [false, false] : [null, null]),
    ])
    expect(dataOf(run, 'tool.decided')).toMatchObject([
      { tool: 'Bash', isAllowed: true, isAfterwards: false },
      { tool: 'Write', isAllowed: false, isAfterwards: false, reason: '/etc/passwd lies outside of the worktree' },
    ])
  },
)
