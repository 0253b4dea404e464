import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Git } from '../../git/index.js'
import { commitAt, commitChanges, discardChanges, discardHunk, imageAt } from './changes.js'

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
  test('are committed: only the selected files, also new ones', async () => {
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

  test('are discarded: changed files are restored, new ones deleted, and the earlier state is kept', async () => {
    write('a.txt', 'two\n')
    write('b.txt', 'new\n')
    write('c.txt', 'kept\n')
    await git.run(['add', 'b.txt'])
    const { keptAs } = await discardChanges(git, ['a.txt', 'b.txt'], 1)
    expect(await changed()).toEqual(['?? c.txt'])
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('one\n')
    expect(await git.run(['show', `${keptAs}:b.txt`])).toBe('new\n')
  })

  test('are committed and discarded by either name of a moved file', async () => {
    await git.run(['mv', 'a.txt', 'moved.txt'])
    await discardChanges(git, ['moved.txt', 'a.txt'], 1)
    expect(await changed()).toEqual([])
    await git.run(['mv', 'a.txt', 'moved.txt'])
    await commitChanges(git, { message: 'Moved', files: ['moved.txt'] })
    expect(await changed()).toEqual(['D  a.txt'])
  })

  test('are not discarded where a path means something else', async () => {
    write('a.txt', 'two\n')
    await expect(discardChanges(git, ['.'], 1)).rejects.toMatchObject({ code: 'E_INPUT' })
    await expect(discardChanges(git, [], 1)).rejects.toMatchObject({ code: 'E_INPUT' })
    expect(await changed()).toEqual([' M a.txt'])
  })

  test('start at the commit that was checked out at a given time', async () => {
    const first = await git.head()
    write('a.txt', 'two\n')
    await git.run(['commit', '--quiet', '-am', 'second'], {
      GIT_COMMITTER_DATE: new Date(Date.now() + 3_600_000).toISOString(),
    })
    expect(await commitAt(git, Date.now() + 1_800_000)).toBe(first)
    expect(await commitAt(git, Date.now() + 7_200_000)).toBe(await git.head())
  })
})

describe('one part of the changes', () => {
  const text = (...changed: string[]) =>
    `${Array.from({ length: 30 }, (_, n) => changed.find(line => line.startsWith(`${n} `)) ?? `${n}`).join('\n')}\n`
  const shownHunks = async () => {
    const [, ...hunks] = (await git.diff('HEAD')).split(/^(?=@@ )/m)
    return hunks.map(hunk => {
      const [header, ...lines] = hunk.trimEnd().split('\n')
      return { file: 'long.txt', header: header!, lines }
    })
  }
  const options = { now: 7, redact: (value: string) => value }

  beforeEach(async () => {
    write('long.txt', text())
    await git.run(['add', '.'])
    await git.run(['commit', '--quiet', '-m', 'long'])
    write('long.txt', text('2 first', '25 last'))
  })

  test('is discarded while the other stays, and the earlier state is kept', async () => {
    const [first] = await shownHunks()
    expect(await discardHunk(git, first!, options)).toEqual({ files: 1, keptAs: 'refs/signalbox/discarded/7' })
    expect(readFileSync(join(directory, 'long.txt'), 'utf8')).toBe(text('25 last'))
    expect(await git.run(['show', 'refs/signalbox/discarded/7:long.txt'])).toBe(text('2 first', '25 last'))
  })

  test('is refused if it has changed in the meantime', async () => {
    const [first] = await shownHunks()
    write('long.txt', text('2 other', '25 last'))
    await expect(discardHunk(git, first!, options)).rejects.toMatchObject({ code: 'E_STATE' })
    expect(readFileSync(join(directory, 'long.txt'), 'utf8')).toBe(text('2 other', '25 last'))
  })
})

describe('an image in the changes', () => {
  test('is read from a commit and from the working tree, but not outside of it', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0xff, 0x00, 0x0a])
    writeFileSync(join(directory, 'a.png'), bytes)
    await git.run(['add', '.'])
    await git.run(['commit', '--quiet', '-m', 'image'])
    writeFileSync(join(directory, 'a.png'), Buffer.from([1]))
    symlinkSync('/etc/hostname', join(directory, 'b.png'))
    expect(await imageAt(git, 'a.png', await git.head())).toEqual(bytes)
    expect(await imageAt(git, 'a.png', null)).toEqual(Buffer.from([1]))
    await expect(imageAt(git, 'b.png', null)).rejects.toMatchObject({ code: 'E_UNKNOWN' })
    for (const path of ['a.txt', '../a.png', '/etc/a.png'])
      await expect(imageAt(git, path, null)).rejects.toMatchObject({ code: 'E_INPUT' })
  })
})
