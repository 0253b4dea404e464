import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Git } from '../../git/index.js'
import { shareableDiff } from './shareable-diff.js'

let directory: string
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=ann', '-c', 'user.email=ann@example.invalid', ...args], { cwd: directory })
const write = (path: string, text: string) => writeFileSync(join(directory, path), text)

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-diff-'))
  git('init', '-q')
  mkdirSync(join(directory, 'sub'))
  write('notes.txt', 'one\n')
  write('.env', 'TOKEN=first\n')
  write('sub/id_rsa', 'KEY first\n')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  write('notes.txt', 'two\n')
  write('.env', 'TOKEN=second\n')
  git('mv', 'sub/id_rsa', 'sub/key-of-ann.pem')
  git('add', '.')
  git('commit', '-q', '-m', 'second')
  write('sub/fresh.txt', 'fresh\n')
  write('.env.local', 'TOKEN=third\n')
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const SECRETS = /TOKEN|KEY/

it('leaves files that usually hold credentials out of a diff between commits, and names them', async () => {
  const { text, hidden } = await shareableDiff(new Git(directory), { from: 'HEAD~1', to: 'HEAD' })
  expect(text).toMatch(/-one\n\+two/)
  expect(text).not.toMatch(SECRETS)
  expect(hidden.sort()).toEqual(['.env', 'sub/id_rsa', 'sub/key-of-ann.pem'])
})

it('does the same in a directory of the repository, and for files that git does not track', async () => {
  const inside = await shareableDiff(new Git(join(directory, 'sub')), { from: 'HEAD~1', hasUntracked: true })
  expect(inside.text).toMatch(/\+two[\s\S]*\+fresh/)
  expect(inside.text).not.toMatch(SECRETS)
  const whole = await shareableDiff(new Git(directory), { from: 'HEAD', hasUntracked: true })
  expect([whole.hidden, SECRETS.test(whole.text)]).toEqual([['.env.local'], false])
})
