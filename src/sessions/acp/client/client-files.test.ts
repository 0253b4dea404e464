import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ClientFiles } from './client-files.js'

let root: string
let project: string
let files: ClientFiles
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-client-')))
  project = join(root, 'project')
  for (const name of [
    'project/src',
    'project/.git/hooks',
    'project/.agent',
    'project/home/run',
    'data/uploads/ses_1',
    'other',
  ])
    mkdirSync(join(root, name), { recursive: true })
  writeFileSync(join(root, 'other/secret.txt'), 'secret')
  writeFileSync(join(project, 'src/a.ts'), 'one\ntwo\nthree\nfour\n', { mode: 0o640 })
  files = new ClientFiles({
    uploads: join(root, 'data/uploads/ses_1'),
    project,
    own: [join(root, 'data'), join(project, 'home')],
    protected: [join(project, 'signalbox.toml'), join(project, '.agent')],
  })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (path: string) => join(project, path)

describe('reading a file for an agent', () => {
  test('returns the whole file or some of its lines', async () => {
    expect(await files.read(at('src/a.ts'))).toBe('one\ntwo\nthree\nfour\n')
    expect(await files.read(at('src/a.ts'), { line: 2, limit: 2 })).toBe('two\nthree')
    expect(await files.read(at('src/a.ts'), { line: 4 })).toBe('four')
    expect(await files.read(at('src/a.ts'), { limit: 1 })).toBe('one')
    expect(await files.read(at('src/a.ts'), { line: 9 })).toBe('')
    expect(await files.read(at('src/a.ts'), { limit: 0 })).toBe('')
  })

  test('includes files that a person uploaded to the session', async () => {
    const path = join(root, 'data/uploads/ses_1/note.txt')
    writeFileSync(path, 'uploaded')
    expect(await files.read(path)).toBe('uploaded')
    await expect(files.write(path, 'x')).rejects.toThrow('outside the project')
  })

  test('is limited to the project, also behind links and dots', async () => {
    symlinkSync(join(root, 'other/secret.txt'), at('link.txt'))
    symlinkSync(join(root, 'other'), at('elsewhere'))
    for (const path of [
      join(root, 'other/secret.txt'),
      at('link.txt'),
      at('elsewhere/secret.txt'),
      at('../other/secret.txt'),
    ])
      await expect(files.read(path)).rejects.toThrow('outside the project')
    await expect(files.read('src/a.ts')).rejects.toThrow('not absolute')
  })

  test('refuses files of Signalbox, directories and binary files, and reports a missing file', async () => {
    writeFileSync(at('home/run/key'), 'k')
    writeFileSync(at('image.png'), Buffer.of(0x89, 0, 1))
    await expect(files.read(at('home/run/key'))).rejects.toThrow('belongs to Signalbox')
    await expect(files.read(at('src'))).rejects.toThrow('not a regular file')
    await expect(files.read(at('image.png'))).rejects.toThrow('not a text file')
    await expect(files.read(at('none.txt'))).rejects.toMatchObject({ code: -32_002 })
  })
})

describe('writing a file for an agent', () => {
  test('creates files with their directories and keeps the mode of an existing one', async () => {
    await files.write(at('new/deep/b.txt'), 'text')
    await files.write(at('src/a.ts'), 'changed')
    expect(readFileSync(at('new/deep/b.txt'), 'utf8')).toBe('text')
    expect(readFileSync(at('src/a.ts'), 'utf8')).toBe('changed')
    expect(statSync(at('src/a.ts')).mode & 0o777).toBe(0o640)
    expect(readdirSync(at('src'))).toEqual(['a.ts'])
  })

  test('replaces the file in one step, and its other hard link keeps the old text', async () => {
    linkSync(at('src/a.ts'), at('same.ts'))
    await files.write(at('src/a.ts'), 'new')
    expect(readFileSync(at('same.ts'), 'utf8')).toBe('one\ntwo\nthree\nfour\n')
  })

  test('follows links within the project, and no links that leave it or lead nowhere', async () => {
    symlinkSync(at('src/a.ts'), at('inside.ts'))
    symlinkSync(join(root, 'other/secret.txt'), at('outside.ts'))
    symlinkSync(join(root, 'other/new.txt'), at('dangling.ts'))
    symlinkSync(join(root, 'other'), at('elsewhere'))
    await files.write(at('inside.ts'), 'through')
    expect(readFileSync(at('src/a.ts'), 'utf8')).toBe('through')
    await expect(files.write(at('outside.ts'), 'x')).rejects.toThrow('outside the project')
    await expect(files.write(at('dangling.ts'), 'x')).rejects.toThrow('does not exist')
    await expect(files.write(at('elsewhere/deep/x.txt'), 'x')).rejects.toThrow('outside the project')
    expect(readFileSync(join(root, 'other/secret.txt'), 'utf8')).toBe('secret')
    expect(readdirSync(join(root, 'other'))).toEqual(['secret.txt'])
  })

  test('refuses files that git or Signalbox execute, whether they exist or not', async () => {
    for (const path of ['.git/hooks/pre-commit', '.git/config', 'src/.git/config', 'signalbox.toml', '.agent/run.sh'])
      await expect(files.write(at(path), 'x')).rejects.toThrow(/git runs|protected/)
    await expect(files.write(at('home/settings.toml'), 'x')).rejects.toThrow('belongs to Signalbox')
    await expect(files.write(at('src'), 'x')).rejects.toThrow('not a regular file')
    expect(existsSync(at('signalbox.toml'))).toBe(false)
  })
})

test('a command runs only in a directory of the project', async () => {
  expect(await files.directory(project)).toBe(project)
  expect(await files.directory(at('src'))).toBe(at('src'))
  await expect(files.directory(join(root, 'other'))).rejects.toThrow('outside the project')
  await expect(files.directory(at('src/a.ts'))).rejects.toThrow('not a directory')
})
