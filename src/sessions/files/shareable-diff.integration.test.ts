import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Git } from '../../git/index.js'
import { shareableDiff, uncommittedDiff } from './shareable-diff.js'

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

it('a diff leaves out files that usually hold credentials, and names them', async () => {
  const { text, hidden } = await shareableDiff(new Git(directory), { from: 'HEAD~1', to: 'HEAD' })
  expect(text).toMatch(/-one\n\+two/)
  expect(text).not.toMatch(SECRETS)
  expect(hidden.sort()).toEqual(['.env', 'sub/id_rsa', 'sub/key-of-ann.pem'])
})

it('a diff shows new files under any name, without a change of the index', async () => {
  const names = ['*.txt', ':(top)x', 'line\nbreak.txt', '-n', 'ünï.txt', 'moved.txt']
  for (const name of names) write(name, `in ${JSON.stringify(name)}\n`)
  symlinkSync('/etc/hostname', join(directory, 'link'))
  mkdirSync(join(directory, 'nested'))
  execFileSync('git', ['init', '-q'], { cwd: join(directory, 'nested') })
  write('nested/inside.txt', 'inside\n')
  try {
    const index = () => readFileSync(join(directory, '.git', 'index'))
    const before = index()
    const { text } = await shareableDiff(new Git(directory), { from: 'HEAD', hasUntracked: true })
    for (const name of names) expect(text).toContain(`+in ${JSON.stringify(name)}`)
    expect(text).toContain('+/etc/hostname')
    expect(text).not.toContain('inside')
    expect(index()).toEqual(before)
  } finally {
    for (const name of [...names, 'link', 'nested']) rmSync(join(directory, name), { recursive: true })
  }
})

it('a diff before the first commit shows all files, with as few programs for a hundred as for one', async () => {
  const fresh = mkdtempSync(join(tmpdir(), 'signalbox-diff-'))
  try {
    execFileSync('git', ['init', '-q'], { cwd: fresh })
    const count = join(fresh, '.git', 'count')
    mkdirSync(join(fresh, '.git', 'bin'))
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    const counting = `#!/bin/sh\necho >> ${count}\nexec ${real} "$@"\n`
    writeFileSync(join(fresh, '.git', 'bin', 'git'), counting, { mode: 0o755 })
    const counted = new Git(fresh, { ...process.env, PATH: `${join(fresh, '.git', 'bin')}:${process.env.PATH}` })
    const started = async (files: number) => {
      for (let n = 0; n < files; n++) writeFileSync(join(fresh, `${n}.txt`), `number ${n}\n`)
      rmSync(count, { force: true })
      const { text } = await uncommittedDiff(counted)
      expect(text.match(/^\+number/gm)).toHaveLength(files)
      return readFileSync(count, 'utf8').length
    }
    const one = await started(1)
    expect(one).toBeGreaterThan(0)
    expect(await started(100)).toBe(one)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
})

it('a diff works in a directory of the repository, and for files that git does not track', async () => {
  const inside = await shareableDiff(new Git(join(directory, 'sub')), { from: 'HEAD~1', hasUntracked: true })
  expect(inside.text).toMatch(/\+two[\s\S]*\+fresh/)
  expect(inside.text).not.toMatch(SECRETS)
  const whole = await shareableDiff(new Git(directory), { from: 'HEAD', hasUntracked: true })
  expect([whole.hidden, SECRETS.test(whole.text)]).toEqual([['.env.local'], false])
})
