import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { distrustRepository, Git } from './index.js'

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

describe('git in a working tree', () => {
  test('shows a file that was changed within the second of its commit, beside a new one', async () => {
    sh('init', '-q')
    sh('config', 'core.trustctime', 'false')
    const atOnce = (path: string) => utimesSync(join(directory, path), 1_700_000_000, 1_700_000_000)
    write('kept.txt', 'one\n')
    atOnce('kept.txt')
    sh('add', 'kept.txt')
    sh('commit', '-q', '-m', 'A beginning')
    write('kept.txt', 'two\n')
    for (const path of ['kept.txt', '.git/index']) atOnce(path)
    write('new.txt', 'new\n')
    const diff = await git.withNewFiles(
      () => true,
      env => git.run(['diff', 'HEAD'], env),
    )
    expect(diff).toContain('+two')
    expect(diff).toContain('+new')
  })

  test('finds the nearest repository, also after one was created or deleted', async () => {
    const inner = join(directory, 'a', 'b')
    mkdirSync(inner, { recursive: true })
    const root = () => new Git(inner).root()
    expect(await root()).toBeNull()
    sh('init', '-q')
    expect([await root(), await root()]).toEqual([realpathSync(directory), realpathSync(directory)])
    sh('commit', '-q', '--allow-empty', '-m', 'A beginning')
    sh('worktree', 'add', '-q', 'a/b/tree')
    const tree = new Git(join(inner, 'tree'))
    expect([await tree.root(), await tree.root()]).toEqual([realpathSync(tree.cwd), realpathSync(tree.cwd)])
    sh('init', '-q', 'a')
    expect(await root()).toBe(realpathSync(join(directory, 'a')))
    sh('-C', 'a', 'config', 'core.bare', 'true')
    expect(await root()).toBeNull()
    rmSync(join(directory, 'a', '.git'), { recursive: true })
    rmSync(join(directory, '.git'), { recursive: true })
    expect(await root()).toBeNull()
  })

  test('reports that no repository exists', async () => {
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

  test('gives every state another tree hash, and restores a tree by its hash', async () => {
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

describe('a working tree that an agent wrote', () => {
  const AUTHOR = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.org']
  const evil = () => join(directory, 'EXECUTED')
  const hasRun = () => existsSync(evil())
  async function nested(): Promise<Git> {
    mkdirSync(join(directory, 'sub'))
    const inner = new Git(realpathSync(join(directory, 'sub')))
    writeFileSync(join(inner.cwd, 'f'), '1\n')
    await inner.run(['init', '--quiet'])
    await inner.run([...AUTHOR, 'add', '--all', '--', '.'])
    await inner.run([...AUTHOR, 'commit', '--quiet', '-m', 'inner'])
    await inner.run(['config', 'filter.x.clean', `touch ${evil()}; cat`])
    writeFileSync(join(inner.cwd, '.gitattributes'), '* filter=x\n')
    writeFileSync(join(inner.cwd, 'f'), '2\n')
    return inner
  }

  test('starts no program of a repository inside it', async () => {
    sh('init', '-q', '-b', 'main')
    sh('commit', '-q', '--allow-empty', '-m', 'first')
    await nested()
    await git.run(['add', '--all', '--', '.'])
    await git.status()
    await git.diff(null)
    await git.treeHash()
    await git.run(['add', '--all', '--', '.'])
    await git.run([...AUTHOR, 'commit', '--quiet', '-m', 'both'])
    expect(hasRun()).toBe(false)
  })

  test('is not read if it takes its configuration from elsewhere', async () => {
    sh('init', '-q')
    writeFileSync(join(directory, '.git', 'commondir'), '../other\n')
    await expect(git.status()).rejects.toThrow(/gives this repository the configuration of another one/)
  })

  test('is not read if its repository belongs to the agent and names programs', async () => {
    const inner = await nested()
    distrustRepository(inner.cwd)
    await expect(inner.status()).rejects.toThrow(/was created in a sandbox, and its configuration names programs/)
    await inner.run(['config', '--unset', 'filter.x.clean'])
    expect(await inner.status()).not.toEqual([])
    expect(hasRun()).toBe(false)
  })
})
