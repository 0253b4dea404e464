import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { executableProject } from './index.js'

let directory: string

const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: 'pipe' }).trim()

function put(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-project-')))
  git('init', '-q', '-b', 'main')
  put('src/a.ts', 'x')
  put('.husky/pre-commit', 'npm test\n')
  put('.claude/settings.json', '{"hooks":{}}')
  git('add', '.')
  git('-c', 'user.email=a@b', '-c', 'user.name=a', 'commit', '-qm', 'first')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('the executable files of a project are agent settings and hooks inside it', async () => {
  expect(Object.keys((await executableProject(directory)).files)).toEqual(['.claude/settings.json'])
  git('config', 'core.hooksPath', '.husky')
  const found = await executableProject(join(directory, 'src'))
  expect(Object.keys(found.files)).toEqual(['.claude/settings.json', '.husky/pre-commit'])
  expect(found).toMatchObject({ project: directory, commonDirectory: join(directory, '.git') })
})

test('the executable files of a revision come from the revision, and equal content has equal hashes', async () => {
  git('config', 'core.hooksPath', '.husky')
  const [disk, head] = [await executableProject(directory), await executableProject(directory, 'HEAD')]
  expect(head).toEqual(disk)
  put('.claude/settings.json', '{"hooks":{"Stop":[]}}')
  put('.mcp.json', '{}')
  expect(await executableProject(directory, 'HEAD')).toEqual(head)
  expect((await executableProject(directory)).hash).not.toBe(head.hash)
})

test('a project without executable files needs no trust', async () => {
  const plain = mkdtempSync(join(tmpdir(), 'signalbox-plain-'))
  try {
    expect((await executableProject(plain)).files).toEqual({})
  } finally {
    rmSync(plain, { recursive: true })
  }
})
