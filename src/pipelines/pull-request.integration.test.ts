import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { recordResume } from '../engine/index.js'
import type { ProfileCopy } from './args.js'
import { FakeGithub } from './testing/fake-github.js'
import type { FixtureRun } from './testing/pipeline-fixture.js'
import { plan, writesPlan } from './testing/scripted-agents.js'
import { dataOf, fixture, useFixture } from './testing/use-fixture.js'

useFixture()

let github: FakeGithub
let remote: string

beforeAll(async () => {
  remote = join(fixture.directory, 'remote.git')
  github = await FakeGithub.open(remote, join(fixture.directory, 'bin'))
  fixture.path = `${join(fixture.directory, 'bin')}:${process.env.PATH}`
})
beforeEach(() => {
  rmSync(remote, { recursive: true, force: true })
  execFileSync('git', ['clone', '-q', '--bare', fixture.repository, remote])
  fixture.git('remote', 'add', 'origin', remote)
})
afterEach(() => {
  github.pulls.clear()
  github.calls.length = 0
  github.onCall = () => undefined
})
afterAll(() => github.close())

const PULL = { forge: 'github' as const, base: 'main' }
const policy = (extra: Partial<ProfileCopy['pull']> = {}) =>
  fixture.profile({ pull: { ...fixture.profile().pull, pollS: 0.05, ...extra } })

/** Verdicts by a word in the text of an item. */
function judge() {
  fixture.script({
    architect: [writesPlan(plan(1))],
    evaluator: [
      turn => {
        const items = [...turn.prompt.matchAll(/^#(\d+) \[.*\n(.*)/gm)].map(([, number, body]) => ({
          number: Number(number),
          verdict: /why/.test(body!) ? 'question' : /bug|Error/.test(body!) ? 'must_fix' : 'nit',
          reason: 'a.txt:1',
          reply: `about ${number}`,
        }))
        return { text: JSON.stringify({ items, summary: 'judged' }) }
      },
    ],
    developer: [
      turn => {
        const path = /Create: `([^`]+)`/.exec(turn.prompt)?.[1] ?? `fix-${fixture.agents.turns.length}.txt`
        return { files: { [path]: `${turn.prompt.length}\n` } }
      },
    ],
  })
}

const write = (args: readonly string[]) =>
  (args[0] === 'pr' && ['create', 'comment', 'merge'].includes(args[1]!)) ||
  args.some(word => /query=mutation/.test(word))

/** Follows a pull request of a branch that is already pushed. */
async function watch(extra: Partial<ProfileCopy['pull']> = {}, follow: 'green' | 'merged' = 'green') {
  fixture.git('push', '-q', 'origin', 'main:refs/heads/topic')
  const base = fixture.git('rev-parse', 'HEAD')
  const pull = github.add({ branch: 'topic' })
  const create = () =>
    fixture.create({
      pipeline: 'pull_request',
      profile: policy(extra),
      planPath: null,
      issue: null,
      pull: {
        ...PULL,
        number: pull.number,
        follow,
        title: null,
        body: null,
        remote: 'origin',
        isDraft: false,
        labels: [],
        reviewers: [],
      },
      workspace: {
        mode: 'worktree',
        path: join(fixture.directory, 'watched', String(Math.random())),
        branch: 'signalbox/pr-1',
        base,
        isNewBranch: true,
        dirtyBefore: [],
      },
    })
  return { pull, create }
}

describe('the pull request of an implementation', () => {
  const wanted = {
    ...PULL,
    number: null,
    title: null,
    body: null,
    remote: 'origin',
    isDraft: true,
    labels: ['x'],
    reviewers: ['ada'],
    follow: 'no' as const,
  }

  test('is pushed and opened after one decision that shows it completely', async () => {
    judge()
    const waiting = await fixture.implement({ pull: wanted, tracker: 'github', profile: policy() })
    expect(waiting.record.status).toBe('waiting')
    expect(github.pulls.size).toBe(0)
    expect(existsSync(join(remote, 'refs/heads/signalbox'))).toBe(false)
    const asked = await fixture.asked(waiting.id)
    expect(asked.kind).toBe('permission')
    expect(asked.text).toContain('Push 1 commit to signalbox/lamp')
    const run = await fixture.answer(waiting.id, 'allow')
    expect(run.record.status).toBe('completed')
    const pull = github.pulls.get(1)!
    expect(pull).toMatchObject({
      title: 'A lamp',
      isDraft: true,
      labels: ['x'],
      reviewers: ['ada'],
      branch: 'signalbox/lamp',
    })
    expect(pull.body).toContain('- 1 part 1: approved in 1 review')
    expect(pull.body).toContain('Closes #lamp')
    expect(asked.text).toContain(pull.body)
    expect(github.head('signalbox/lamp')).toBe(run.pipeline.state.tasks[0]!.commit)
    expect(run.pipeline.state.final_response).toContain('open · https://github.com/o/r/pull/1')
    expect(dataOf(run, 'act.performed').map(({ act, isFound }) => [act, isFound])).toEqual([
      ['push', false],
      ['open', false],
    ])
  })

  test('is not opened after a denial, and without a decision if the profile allows it', async () => {
    judge()
    const waiting = await fixture.implement({ pull: wanted, profile: policy() })
    const denied = await fixture.answer(waiting.id, 'deny')
    expect(denied.record.status).toBe('completed')
    expect(github.pulls.size).toBe(0)
    fixture.newRepository()
    fixture.git('remote', 'add', 'origin', remote)
    judge()
    const run = await fixture.implement({ pull: wanted, profile: policy({ allow: ['push', 'open'] }) })
    expect(run.record.status).toBe('completed')
    expect(github.pulls.size).toBe(1)
  })
})

describe('the supervision of a pull request', () => {
  test('triages, fixes, answers and resolves a failed check and comments in one round', async () => {
    judge()
    const { pull, create } = await watch({ allow: ['push'] })
    pull.checks.set('unit tests', 'FAILURE')
    github.thread(pull, 'ada', 'this is a bug')
    github.thread(pull, 'lint[bot]', 'a bug, says the linter')
    github.comment(pull, 'bob', 'why is it so?')
    const first = await fixture.drive(await create())
    expect((await fixture.asked(first.id)).input).toMatchObject({
      gate: 'items',
      items: [
        { title: 'The check fails: unit tests', disposition: 'implement' },
        { disposition: 'implement' },
        { disposition: 'implement' },
        { disposition: 'clarify' },
      ],
    })
    const second = await fixture.answer(first.id, 'all')
    expect(second.record.status).toBe('waiting')
    const { input, text } = await fixture.asked(first.id)
    expect((input.acts as { act: string }[]).map(({ act }) => act)).toEqual([
      'push',
      'comment',
      'comment',
      'resolve',
      'resolve',
    ])
    expect(text).toContain('about 4')
    expect(github.calls.some(write)).toBe(false)
    pull.checks.set('unit tests', 'SUCCESS')
    const done = await fixture.answer(first.id, 'allow')
    expect(done.record.status).toBe('completed')
    expect(github.head('topic')).toBe(fixture.gitIn(done.pipeline.state.worktree!, 'rev-parse', 'HEAD'))
    expect(pull.threads.map(({ isResolved }) => isResolved)).toEqual([true, true])
    expect(pull.threads[0]!.comments.at(-1)!.body).toMatch(/^Fixed in [0-9a-f]{12}\. about 2/)
    expect(pull.threads[1]!.comments).toHaveLength(1)
    expect(pull.comments.at(-1)!.body).toContain('@bob about 4')
    expect(dataOf(done, 'pull.triaged')).toEqual([
      { round: 1, must_fix: 3, question: 1, nit: 0, wrong: 0, out_of_scope: 0 },
    ])
    expect(fixture.agents.prompts('evaluator')[0]).toContain('Error: expected 2, got 1')
    const [answered] = dataOf(done, 'pull.answered')
    expect(answered).toMatchObject({ round: 1, isPublished: true, to: github.head('topic') })
    expect(answered!.items).toMatchObject([
      { kind: 'check', verdict: 'must_fix', isFixed: true },
      { kind: 'thread', author: 'ada', isBot: false, file: 'a.txt', line: 1, isFixed: true },
      { kind: 'thread', author: 'lint[bot]', isBot: true },
      { kind: 'comment', author: 'bob', verdict: 'question', reply: 'about 4' },
    ])
  })

  test('stops on a conflict, a rewritten branch and a closed pull request, and continues when resumed', async () => {
    judge()
    const { pull, create } = await watch({}, 'green')
    pull.mergeable = 'CONFLICTING'
    const id = await create()
    const why = (run: FixtureRun) => [run.record.status, dataOf(run, 'run.failed').at(-1)?.reason]
    const stopped = await fixture.drive(id)
    expect(why(stopped)[0]).toBe('failed')
    expect(stopped.record.reason).toContain('conflict')
    pull.mergeable = 'MERGEABLE'
    fixture.git('checkout', '-q', '--orphan', 'other')
    fixture.git('commit', '-q', '--allow-empty', '-m', 'another history')
    fixture.git('push', '-q', '-f', 'origin', 'other:refs/heads/topic')
    await recordResume(fixture.store, id, { by: 'someone' })
    expect((await fixture.drive(id)).record.reason).toContain('force_push')
    fixture.git('push', '-q', '-f', 'origin', 'main:refs/heads/topic')
    pull.state = 'CLOSED'
    await recordResume(fixture.store, id, { by: 'someone' })
    expect((await fixture.drive(id)).record.reason).toContain('closed')
    pull.state = 'OPEN'
    await recordResume(fixture.store, id, { by: 'someone' })
    expect((await fixture.drive(id)).record.status).toBe('completed')
  })

  test('merges only by a decision, and only the head that was shown', async () => {
    judge()
    const { pull, create } = await watch({ merge: 'ask', allow: ['push', 'comment', 'resolve'] }, 'merged')
    const waiting = await fixture.drive(await create())
    const asked = await fixture.asked(waiting.id)
    expect(asked.input).toMatchObject({ acts: [{ act: 'merge', head: github.head('topic'), method: 'squash' }] })
    expect(pull.state).toBe('OPEN')
    const done = await fixture.answer(waiting.id, 'allow')
    expect([done.record.status, pull.state]).toEqual(['completed', 'MERGED'])
    expect(github.calls.filter(write)).toHaveLength(1)
  })

  test('asks before it exceeds its rounds, and ignores bots if the profile says so', async () => {
    judge()
    const { pull, create } = await watch({
      bots: 'ignore',
      people: 'fix',
      maxRounds: 1,
      allow: ['push', 'comment', 'resolve'],
    })
    github.thread(pull, 'lint[bot]', 'a bug')
    github.comment(pull, 'ada', 'a bug')
    github.onCall = (args, when) => {
      if (when === 'after' && args[1] === 'comment' && pull.comments.length === 2)
        github.comment(pull, 'ada', 'another bug')
    }
    const waiting = await fixture.drive(await create())
    expect((await fixture.asked(waiting.id)).input).toMatchObject({ gate: 'rounds', rounds: 1, items: 1 })
    const done = await fixture.answer(waiting.id, 'more')
    expect(done.record.status).toBe('completed')
    expect(pull.threads[0]!.comments).toHaveLength(1)
    expect(pull.comments.filter(({ author }) => author === 'me')).toHaveLength(2)
  })
})
