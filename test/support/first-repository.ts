import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const README = { 'README.md': 'hello\n' }
/** By content, the repositories that this process has made. */
const made = new Map<string, string>()

/**
 * Puts a repository with one commit, of these files, into a directory. It is made once per process
 * and copied: each git process that a test starts costs more than the copy.
 */
export function firstRepository(directory: string, files: Readonly<Record<string, string>> = README): void {
  const key = JSON.stringify(files)
  const original = made.get(key) ?? make(files)
  made.set(key, original)
  cpSync(original, directory, { recursive: true })
}

function make(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-first-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
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
