import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PipelineGit } from './pipeline-git.js'
import { bench, useBench } from './testing/use-bench.js'

useBench()

const WISH = { message: 'a lamp', paths: null, except: [], hooks: true }

function hook(name: string, script: string): void {
  const file = join(bench.repository, '.git', 'hooks', name)
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
}

test('a hook that never comes back is ended, and leaves nothing that the next commit would stumble over', async () => {
  hook('pre-commit', 'echo "is the fuse in?" >&2; exec sleep 100000')
  bench.write('a.txt', 'two\n')
  const impatient = new PipelineGit(bench.repository, { commitTimeoutMs: 500 })
  expect(await impatient.commit(WISH)).toMatchObject({ refused: expect.stringContaining('took longer than 0.5 s') })
  expect(await impatient.commit({ ...WISH, hooks: false })).toMatchObject({
    commit: bench.git('rev-parse', 'HEAD'),
  })
})

test('looking, switching and making worktrees run no hook of the repository; a commit does', async () => {
  const marks = join(bench.directory, 'marks')
  writeFileSync(marks, '')
  for (const name of ['post-checkout', 'pre-commit', 'post-index-change', 'reference-transaction'])
    hook(name, `echo ${name} >> ${marks}`)
  const git = new PipelineGit(bench.repository)
  const path = join(mkdtempSync(join(bench.directory, 'trees-')), 'tree')
  await git.ensureWorktree({ run: 'run_1', path, branch: 'lamp', base: 'main', isNewBranch: true })
  await git.treeHash()
  await git.git.status()
  await git.git.run(['switch', '--quiet', '-c', 'other'])
  expect(bench.readAt(marks)).toBe('')
  bench.write('a.txt', 'two\n')
  await git.commit(WISH)
  expect(bench.readAt(marks)).toContain('pre-commit')
})

test('where a branch is checked out', async () => {
  const git = new PipelineGit(bench.repository)
  expect(await git.checkedOutAt('main')).toBe(bench.git('rev-parse', '--show-toplevel'))
  expect(await git.checkedOutAt('nowhere')).toBeNull()
})
