import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { firstRepository } from '../support/first-repository.js'
import { type CommandRun, parseLines, type TestHome } from './harness.js'
import { InsideHome } from './inside.js'

/* Failures around a pipeline, in a real repository, through the command line. */

let home: TestHome

// Each attempt has its own home, so that a retry starts clean.
beforeEach(() => {
  home = new InsideHome()
  mkdirSync(home.path('config'), { recursive: true, mode: 0o700 })
  writeFileSync(
    home.path('config', 'config.toml'),
    '[pipelines]\nprofile = "quick"\n[profiles.quick]\ncommit_prefix = "add"\n[profiles.quick.retry]\nmax_retries = 0\n',
  )
})
afterEach(() => home.close())

function git(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

function repository(name: string, issue: string): string {
  const cwd = join(home.work, name)
  firstRepository(cwd, { 'README.md': 'hello\n', 'issue.md': issue })
  return cwd
}

const run = (cwd: string, args: string[], env: Record<string, string> = {}): Promise<CommandRun> =>
  home.run(args, {
    cwd,
    env: { SIGNALBOX_DEMO_HOME: join(home.directory, 'demo'), SIGNALBOX_DEMO_SPEED: '0', ...env },
  })

interface Outcome {
  run: string
  status: string
  outcome: string | null
  reason: string | null
  branch: string
  worktree: string
  gates: { approval: string; gate: string; fingerprint: string }[]
  tasks: { number: string; title: string | null }[]
}

const outcomeOf = ({ stdout }: CommandRun) => parseLines<Outcome>(stdout).at(-1)!
const eventsOf = <T>({ stdout }: CommandRun, type: string) =>
  parseLines<{ type: string; data: T }>(stdout).flatMap(event => (event.type === type ? [event.data] : []))

test('an implementation survives a dirty tree, a failing hook, a lost worktree and a merge conflict', async () => {
  const cwd = repository('lamp', '# A lamp\n\n[demo:tasks 1]\n')
  git(cwd, 'checkout', '-q', '--detach')
  writeFileSync(join(cwd, 'README.md'), 'mine, unfinished\n')
  // The hook refuses commits until this file exists.
  const fuse = join(home.directory, 'fuse')
  writeFileSync(
    join(cwd, '.git', 'hooks', 'pre-commit'),
    `#!/bin/sh\ntest -f ${fuse} || { echo "no lamp without a fuse" >&2; exit 1; }\n`,
  )
  chmodSync(join(cwd, '.git', 'hooks', 'pre-commit'), 0o755)

  const refused = await run(cwd, ['implement', 'issue.md', '--agent', 'demo', '--auto-approve', '--json'])
  expect(refused.code, refused.stderr).toBe(4)
  const { run: id, gates, worktree, branch } = outcomeOf(refused)
  expect(gates).toMatchObject([{ gate: 'hook' }])

  rmSync(worktree, { recursive: true })
  writeFileSync(fuse, '')
  expect((await run(cwd, ['answer', gates[0]!.approval, 'fix'])).code).toBe(0)
  const done = await run(cwd, ['resume', id, '--json'])
  expect(done.code, done.stderr).toBe(0)
  expect(eventsOf<{ isRestored?: boolean }>(done, 'worktree.created')).toMatchObject([{ isRestored: true }])
  expect(git(cwd, 'log', '--format=%s', `main..${branch}`)).toBe('add(a-lamp): A lamp (part 1)')
  expect(readFileSync(join(cwd, 'README.md'), 'utf8')).toBe('mine, unfinished\n')
  expect(git(cwd, 'status', '--porcelain', '--branch')).toBe('## HEAD (no branch)\n M README.md')

  const second = outcomeOf(await run(cwd, ['implement', 'issue.md', '--agent', 'demo', '--plan-only', '--json']))
  const conflicting = second.worktree
  for (const [name, text] of [
    ['theirs', 'theirs\n'],
    [second.branch, 'ours\n'],
  ] as const) {
    git(conflicting, 'checkout', '-q', ...(name === 'theirs' ? ['-b', name] : [name]))
    writeFileSync(join(conflicting, 'README.md'), text)
    git(conflicting, 'commit', '-qam', text.trim(), '--no-verify')
  }
  spawnSync('git', ['merge', '-q', 'theirs'], { cwd: conflicting })
  const print = second.gates[0]!.fingerprint
  expect((await run(cwd, ['approve', second.run, '--fingerprint', print])).code).toBe(0)
  const stopped = await run(cwd, ['resume', second.run, '--json'])
  expect(stopped.code).toBe(1)
  expect(eventsOf<{ text: string }>(stopped, 'run.failed')[0]!.text).toContain('merge conflict in README.md')
  expect(eventsOf(stopped, 'task.committed')).toEqual([])
  expect(eventsOf(stopped, 'usage.recorded')).toEqual([])
  writeFileSync(join(conflicting, 'README.md'), 'both\n')
  git(conflicting, 'add', 'README.md')
  const settled = await run(cwd, ['resume', second.run, '--json'])
  expect(settled.code, settled.stderr).toBe(0)
  expect(git(cwd, 'log', '--format=%s', `main..${second.branch}`)).toBe('add(a-lamp): A lamp (part 1)')
  expect(git(cwd, 'show', `${second.branch}:README.md`)).toBe('both')
})

test('fenced, nested and quoted headers of a plan are not parsed as tasks', async () => {
  const cwd = repository('plans', '# A bell\n')
  const filler = 'Words that make the plan long enough to be taken for one by whoever counts characters. '.repeat(3)
  const fence = '````md\n### Task 7: not this one\n```\n### Task 8: nor this\n```\n### Task 9: nor that\n````'
  const plan = `# Bell\n\n**Goal:** A bell\n\n${filler}\n\n${fence}\n\n### Task 1.1: Cast it\n\n#### Task 5: nested\n\n> ### Task 6: quoted\n\nDo it.\n\n### Task 1.2:\n\nHang it.\n`
  writeFileSync(join(cwd, 'plan.md'), plan)
  const own = await run(cwd, [
    'implement',
    '--title',
    'A bell',
    '--plan',
    'plan.md',
    '--agent',
    'demo',
    '--plan-only',
    '--json',
  ])
  expect(own.code, own.stderr).toBe(0)
  expect(outcomeOf(own).tasks.map(({ number, title }) => [number, title])).toEqual([
    ['1.1', 'Cast it'],
    ['1.2', null],
  ])
})

test('a reviewer that answers with prose fails the run, and nothing is committed', async () => {
  const cwd = repository('prose', '# A horn\n\n[demo:tasks 1]\n[demo:review prose]\n')
  const failed = await run(cwd, ['implement', 'issue.md', '--agent', 'demo', '--auto-approve'])
  expect(failed.code).toBe(1)
  expect(failed.stdout).toMatch(/a Reviewer returned no review/)
  expect(failed.stdout).not.toMatch(/approved ·/)
  expect(git(cwd, 'log', '--format=%s', 'signalbox/a-horn')).toBe('first')
})

test('review --pr reviews the head of a pull request in a temporary worktree, and needs gh', async () => {
  const cwd = repository('pull', '# x\n')
  git(cwd, 'checkout', '-q', '-b', 'feature')
  writeFileSync(join(cwd, 'bell.txt'), 'ding\n[demo:review reject]\n')
  git(cwd, 'add', '.')
  git(cwd, 'commit', '-qm', 'a bell')
  const head = git(cwd, 'rev-parse', 'HEAD')
  git(cwd, 'checkout', '-q', 'main')
  const bin = join(home.directory, 'bin')
  mkdirSync(bin)
  const pull = {
    number: 7,
    title: 'A bell',
    body: 'Rings.',
    baseRefName: 'main',
    headRefName: 'feature',
    headRefOid: head,
    url: 'https://github.com/o/r/pull/7',
  }
  writeFileSync(
    join(bin, 'gh'),
    `#!/bin/sh\ncase "$*" in "auth status") ;; "pr view 7 "*) echo '${JSON.stringify(pull)}' ;; *) exit 1 ;; esac\n`,
  )
  chmodSync(join(bin, 'gh'), 0o755)
  const found = await run(cwd, ['review', '--pr', '7', '--agent', 'demo'], { PATH: `${bin}:${process.env.PATH}` })
  expect(found.code, found.stderr).toBe(3)
  expect(found.stdout).toContain('Review of #7: A bell')
  // The checklist: number, severity, place, problem, decision.
  expect(found.stdout).toMatch(/^1\. \[major\] bell\.txt:1 .+\n {3}.+[\s\S]*implement: /m)
  expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1)
  expect(git(cwd, 'branch', '--list', 'signalbox/*')).toBe('')
  expect(git(cwd, 'status', '--porcelain', '--branch')).toBe('## main')

  const missing = await run(cwd, ['review', '--pr', '7', '--agent', 'demo'], { PATH: dirnames('git') })
  expect(missing.code).toBe(7)
  expect(missing.stderr).toMatch(/gh was not found\n.*install the GitHub CLI/)
})

/** A PATH that contains only this program. */
function dirnames(program: string): string {
  const only = join(home.directory, 'only')
  mkdirSync(only)
  const { stdout } = spawnSync('which', [program], { encoding: 'utf8' })
  spawnSync('ln', ['-s', stdout.trim(), join(only, program)])
  return only
}
