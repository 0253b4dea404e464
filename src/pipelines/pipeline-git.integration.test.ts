import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ensureWorkspace } from '../worktrees/index.js'
import { PipelineGit } from './pipeline-git.js'
import { fixture, useFixture } from './testing/use-fixture.js'

useFixture()

const COMMIT = { message: 'a lamp', paths: null, except: [], hooks: true }

function hook(name: string, script: string): void {
  const file = join(fixture.repository, '.git', 'hooks', name)
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
}

test('a commit hook that never returns is killed, and leaves no lock for the next commit', async () => {
  hook('pre-commit', 'echo "is the fuse in?" >&2; exec sleep 100000')
  fixture.write('a.txt', 'two\n')
  const impatient = new PipelineGit(fixture.repository, { commitTimeoutMs: 500 })
  expect(await impatient.commit(COMMIT)).toMatchObject({ refused: expect.stringContaining('took longer than 0.5 s') })
  expect(await impatient.commit({ ...COMMIT, hooks: false })).toMatchObject({
    commit: fixture.git('rev-parse', 'HEAD'),
  })
})

test('reading, switching and creating worktrees runs no hook of the repository; a commit does', async () => {
  const marks = join(fixture.directory, 'marks')
  writeFileSync(marks, '')
  for (const name of ['post-checkout', 'pre-commit', 'post-index-change', 'reference-transaction'])
    hook(name, `echo ${name} >> ${marks}`)
  const git = new PipelineGit(fixture.repository)
  const path = join(mkdtempSync(join(fixture.directory, 'trees-')), 'tree')
  await ensureWorkspace(git.git, { run: 'run_1', path, branch: 'lamp', base: 'main', isNewBranch: true })
  await git.treeHash()
  await git.git.status()
  await git.git.run(['switch', '--quiet', '-c', 'other'])
  expect(fixture.readAt(marks)).toBe('')
  fixture.write('a.txt', 'two\n')
  await git.commit(COMMIT)
  expect(fixture.readAt(marks)).toContain('pre-commit')
})

test('checkedOutAt finds the worktree that has a branch checked out', async () => {
  const git = new PipelineGit(fixture.repository)
  expect(await git.checkedOutAt('main')).toBe(fixture.git('rev-parse', '--show-toplevel'))
  expect(await git.checkedOutAt('nowhere')).toBeNull()
})
