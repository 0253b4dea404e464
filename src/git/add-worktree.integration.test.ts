import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addWorktree, Git } from './index.js'

let directory: string
let repository: string

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: repository, encoding: 'utf8', stdio: 'pipe' }).trim()

/** A git whose first `worktree add` creates the branch and then fails with this message. */
function failingOnce(message: string): Git {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const calls = join(directory, 'calls')
  const bin = join(directory, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh
case "$*" in
  *"worktree add"*)
    echo call >> ${calls}
    if [ "$(wc -l < ${calls})" = 1 ]; then ${real} branch new; echo "${message}" >&2; exit 128; fi
esac
exec ${real} "$@"
`,
  )
  chmodSync(join(bin, 'git'), 0o755)
  return new Git(repository, { ...process.env, PATH: `${bin}:${process.env.PATH}` })
}

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-add-worktree-')))
  repository = join(directory, 'repo')
  mkdirSync(repository)
  git('init', '-q', '-b', 'main')
  git('-c', 'user.email=a@b', '-c', 'user.name=a', 'commit', '-q', '--allow-empty', '-m', 'first')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const worktree = () => ({ path: join(directory, 'tree'), branch: 'new', base: 'main' })

test('addWorktree retries when another process is writing a worktree entry', async () => {
  const racing = failingOnce(`fatal: failed to read ${repository}/.git/worktrees/other/commondir: Success`)
  await addWorktree(racing, worktree())
  expect(execFileSync('git', ['branch', '--show-current'], { cwd: worktree().path, encoding: 'utf8' }).trim()).toBe(
    'new',
  )
})

test('addWorktree does not retry any other failure', async () => {
  const failing = failingOnce('fatal: no space left on device')
  await expect(addWorktree(failing, worktree())).rejects.toMatchObject({ code: 'E_GIT' })
  expect(readFileSync(join(directory, 'calls'), 'utf8')).toBe('call\n')
  expect(existsSync(worktree().path)).toBe(false)
})

test('addWorktree refuses a new branch that already exists', async () => {
  git('branch', 'new')
  await expect(addWorktree(new Git(repository), worktree())).rejects.toMatchObject({ code: 'E_GIT' })
})
