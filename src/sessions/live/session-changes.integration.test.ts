import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Git } from '../../git/index.js'
import { commitAt, commitChanges, discardChanges } from './session-changes.js'

let directory: string
let git: Git
const write = (name: string, text: string) => writeFileSync(join(directory, name), text)
const changed = async () => (await git.status()).map(({ code, path }) => `${code} ${path}`)

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-changes-'))
  git = new Git(directory)
  await git.run(['init', '--quiet', '-b', 'main'])
  await git.run(['config', 'user.name', 'Ada'])
  await git.run(['config', 'user.email', 'ada@example.com'])
  write('a.txt', 'one\n')
  await git.run(['add', '.'])
  await git.run(['commit', '--quiet', '-m', 'first'])
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

describe('the changes of a session', () => {
  test('are committed: only the named files, also new ones', async () => {
    const first = await git.head()
    write('a.txt', 'two\n')
    write('b.txt', 'new\n')
    write('left.txt', 'left\n')
    const { commit, files } = await commitChanges(git, { message: 'Second', files: ['a.txt', 'b.txt'] })
    expect(files).toBe(2)
    expect(commit).not.toBe(first)
    expect(await changed()).toEqual(['?? left.txt'])
    expect((await git.run(['log', '-1', '--format=%s'])).trim()).toBe('Second')
  })

  test('are discarded: changed files are restored and new ones deleted, and the state before is kept', async () => {
    write('a.txt', 'two\n')
    write('b.txt', 'new\n')
    write('c.txt', 'kept\n')
    await git.run(['add', 'b.txt'])
    const { keptAs } = await discardChanges(git, ['a.txt', 'b.txt'], 1)
    expect(await changed()).toEqual(['?? c.txt'])
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('one\n')
    expect(await git.run(['show', `${keptAs}:b.txt`])).toBe('new\n')
  })

  test('are not discarded where a path names something else', async () => {
    write('a.txt', 'two\n')
    await expect(discardChanges(git, ['.'], 1)).rejects.toMatchObject({ code: 'E_INPUT' })
    await expect(discardChanges(git, [], 1)).rejects.toMatchObject({ code: 'E_INPUT' })
    expect(await changed()).toEqual([' M a.txt'])
  })

  test('start at the commit that was checked out at a time', async () => {
    const first = await git.head()
    write('a.txt', 'two\n')
    await git.run(['commit', '--quiet', '-am', 'second'], {
      GIT_COMMITTER_DATE: new Date(Date.now() + 3_600_000).toISOString(),
    })
    expect(await commitAt(git, Date.now() + 1_800_000)).toBe(first)
    expect(await commitAt(git, Date.now() + 7_200_000)).toBe(await git.head())
  })
})
