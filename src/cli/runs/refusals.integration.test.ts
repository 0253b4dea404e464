import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXIT, exitCodeOf } from '../../errors/index.js'
import { run as implement } from '../commands/implement.js'
import { run as pipelines } from '../commands/pipelines.js'
import { run as review } from '../commands/review.js'
import type { CommandContext } from '../context.js'

const directory = mkdtempSync(join(tmpdir(), 'signalbox-refusals-'))
const cwd = join(directory, 'work')
const bin = join(directory, 'bin')
const printed: string[] = []

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

beforeAll(() => {
  mkdirSync(cwd)
  mkdirSync(bin)
  // A machine with git and nothing else.
  symlinkSync(spawnSync('which', ['git'], { encoding: 'utf8' }).stdout.trim(), join(bin, 'git'))
  git('init', '-q', '-b', 'main')
  git('config', 'user.email', 'a@b')
  git('config', 'user.name', 'a')
  writeFileSync(join(cwd, 'a.txt'), 'one\n')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  writeFileSync(join(cwd, 'bad-plan.md'), 'no plan\n')
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function context(at = cwd): CommandContext {
  const env = { SIGNALBOX_HOME: join(directory, 'home'), HOME: directory, PATH: bin }
  const print = (line: string) => void printed.push(line)
  return {
    env,
    cwd: at,
    isInteractive: false,
    out: print,
    note: print,
    write: print,
    json: print,
    style: (_: string, text: string) => text,
  } as never
}

async function refusal(work: Promise<number>): Promise<{ code: number; message: string }> {
  try {
    return { code: await work, message: 'no error' }
  } catch (error) {
    return { code: exitCodeOf(error), message: (error as Error).message }
  }
}

const start = (issue: string | undefined, options: object = {}, at = cwd) =>
  refusal(implement(context(at), { args: { issue }, options: { agent: 'demo', ...options }, rest: null }))

test.each<[string, string | undefined, object, number, RegExp]>([
  ['missing gh', 'gh:12', {}, EXIT.programMissing, /gh was not found/],
  [
    'a plan that is not valid',
    undefined,
    { title: 'x', plan: 'bad-plan.md' },
    EXIT.usage,
    /not valid: no_task_header, no_goal, too_short/,
  ],
  ['a dirty tree, in place', undefined, { title: 'x', inPlace: true }, EXIT.usage, /uncommitted changes in 1 file/],
  [
    'the default branch, in place',
    undefined,
    { title: 'x', inPlace: true, allowDirty: true },
    EXIT.usage,
    /main is the default branch/,
  ],
  ['an unknown issue', 'nowhere.md', {}, EXIT.usage, /is not an issue/],
  ['an unknown profile', undefined, { title: 'x', profile: 'nobody' }, EXIT.config, /no profile "nobody"/],
  ['an agent that is not installed', undefined, { title: 'x', agent: 'claude' }, EXIT.programMissing, /was not found/],
  ['an unknown base', undefined, { title: 'x', base: 'nowhere' }, EXIT.usage, /unknown revision "nowhere"/],
])('%s is refused before anything is created', async (_, issue, options, code, message) => {
  const refused = await start(issue, options)
  expect(refused.message).toMatch(message)
  expect(refused.code).toBe(code)
  expect(git('branch', '--list', 'signalbox/*')).toBe('')
  expect(existsSync(join(directory, 'home', 'data', 'worktrees'))).toBe(false)
})

test('no run starts outside a repository, or in place on a detached HEAD', async () => {
  expect(await start(undefined, { title: 'x' }, directory)).toMatchObject({
    code: EXIT.usage,
    message: expect.stringContaining('git repository'),
  })
  git('checkout', '-q', '--detach')
  const detached = await start(undefined, { title: 'x', inPlace: true, allowDirty: true })
  expect(detached).toMatchObject({ code: EXIT.usage, message: expect.stringContaining('detached HEAD') })
  git('checkout', '-q', 'main')
})

test('a review of two targets, an unknown revision, or fixes outside the checkout is refused', async () => {
  const startReview = (range: string | undefined, options: object) =>
    refusal(review(context(), { args: { range }, options: { agent: 'demo', ...options }, rest: null }))
  expect(await startReview('HEAD', { local: true })).toMatchObject({
    code: EXIT.usage,
    message: expect.stringContaining('one of a range'),
  })
  expect(await startReview('a..b', {})).toMatchObject({
    code: EXIT.usage,
    message: expect.stringContaining('unknown revision "a"'),
  })
  expect(await startReview('HEAD..HEAD', { fix: true })).toMatchObject({
    code: EXIT.usage,
    message: expect.stringContaining('cannot fix items here'),
  })
  expect(await startReview(undefined, { pr: '7' })).toMatchObject({ code: EXIT.programMissing })
})

test('the command pipelines lists, draws and prints both, and refuses unknown names', async () => {
  const call = (args: object, options: object = {}) =>
    refusal(pipelines(context(), { args, options, rest: null } as never))
  printed.length = 0
  expect((await call({})).code).toBe(0)
  expect(printed.map(line => line.split(' ')[0])).toEqual(['implementation', 'pull_request', 'review'])
  expect(await call({ action: 'show', name: 'x' })).toEqual({
    code: EXIT.usage,
    message: 'unknown pipeline "x" (known: implementation, pull_request, review)',
  })
  expect((await call({ action: 'show', name: 'review' }, { output: 'x.svg' })).code).toBe(0)
  expect(existsSync(join(cwd, 'x.svg'))).toBe(true)
  printed.length = 0
  await call({ action: 'eject', name: 'review' })
  expect(printed[0]).toMatch(/^digraph review \{/)
  expect((await call({ action: 'dance' })).code).toBe(EXIT.usage)
  expect((await call({ action: 'prompts', name: 'nobody' })).code).toBe(EXIT.usage)
})
