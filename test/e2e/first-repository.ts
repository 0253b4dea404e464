import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let made: string | null = null

/**
 * Puts a repository with one commit, of a README, into a directory. It is made once per process and
 * copied: each git process that a test starts costs more than the copy.
 */
export function firstRepository(directory: string): void {
  made ??= make()
  cpSync(made, directory, { recursive: true })
}

function make(): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-first-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  writeFileSync(join(directory, 'README.md'), 'hello\n')
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['config', 'user.email', 'a@b'],
    ['config', 'user.name', 'a'],
    ['add', '.'],
    ['commit', '-q', '-m', 'first'],
  ]) {
    const { status, stderr } = spawnSync('git', args, { cwd: directory, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  }
  return directory
}
