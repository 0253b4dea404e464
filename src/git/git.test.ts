import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Git } from './index.js'

let directory: string
let git: Git

const sh = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.org', ...args], {
    cwd: directory,
    stdio: 'pipe',
  }).toString()

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-git-'))
  git = new Git(directory)
})

afterEach(() => rmSync(directory, { recursive: true }))

function write(name: string, text: string): void {
  writeFileSync(join(directory, name), text)
}

describe('git', () => {
  test('reports that there is no repository', async () => {
    expect(await git.root()).toBeNull()
    expect(await git.head()).toBeNull()
    await expect(git.status()).rejects.toMatchObject({ code: 'E_GIT' })
  })

  test('reads head, branch and changes', async () => {
    sh('init', '-q', '-b', 'main')
    expect(await git.head()).toBeNull()
    write('a.txt', 'one\n')
    sh('add', '.')
    sh('commit', '-qm', 'first')
    expect(await git.head()).toMatch(/^[0-9a-f]{40}$/)
    expect(await git.branch()).toBe('main')
    write('a.txt', 'two\n')
    write('ümläut name.txt', 'x')
    expect(await git.status()).toEqual([
      { code: ' M', path: 'a.txt' },
      { code: '??', path: 'ümläut name.txt' },
    ])
    expect(await git.untracked()).toEqual(['ümläut name.txt'])
    expect(await git.diff(null)).toContain('+two')
    sh('checkout', '-q', '--detach')
    expect(await git.branch()).toBeNull()
  })

  test('reports a rename as one file', async () => {
    sh('init', '-q', '-b', 'main')
    write('a.txt', 'one\n')
    sh('add', '.')
    sh('commit', '-qm', 'first')
    sh('mv', 'a.txt', 'b.txt')
    expect(await git.status()).toEqual([{ code: 'R ', path: 'b.txt' }])
  })

  test('gives every change another tree hash, and restores a tree by its hash', async () => {
    sh('init', '-q', '-b', 'main')
    write('a.txt', 'one\n')
    write('.gitignore', 'ignored\n')
    sh('add', '.')
    sh('commit', '-qm', 'first')
    write('new.txt', 'new\n')
    write('ignored', '1')
    const before = await git.treeHash()
    expect(await git.treeHash()).toBe(before)
    write('ignored', '2')
    expect(await git.treeHash()).toBe(before)
    write('a.txt', 'changed\n')
    write('new.txt', 'changed\n')
    write('newer.txt', 'newer\n')
    expect(await git.treeHash()).not.toBe(before)
    await git.restoreTree(before)
    expect(await git.treeHash()).toBe(before)
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('one\n')
    expect(readFileSync(join(directory, 'new.txt'), 'utf8')).toBe('new\n')
    expect(existsSync(join(directory, 'newer.txt'))).toBe(false)
    expect(readFileSync(join(directory, 'ignored'), 'utf8')).toBe('2')
    expect(await git.status()).toEqual([{ code: '??', path: 'new.txt' }])
  })

  test('ignores the environment of another repository', async () => {
    sh('init', '-q', '-b', 'main')
    const misled = new Git(directory, { ...process.env, GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere/index' })
    expect(await misled.root()).toBe(directory)
  })
})
