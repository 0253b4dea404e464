import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SandboxPath } from './plan.js'
import { candidatesIn, refusalOf } from './refusals.js'

describe('a message of a program', () => {
  it.each([
    ['cat: /h/notes: No such file or directory', '/h/notes', 'read'],
    ["ls: cannot access '/h/a b': No such file or directory", '/h/a b', 'read'],
    ["FileNotFoundError: [Errno 2] No such file or directory: '/h/x.py'", '/h/x.py', 'read'],
    ["Error: ENOENT: no such file or directory, open '/h/x.js'", '/h/x.js', 'read'],
    ['File does not exist: ~/notes.md', '~/notes.md', 'read'],
    ["touch: cannot touch '/usr/x': Read-only file system", '/usr/x', 'write'],
    ['sh: 1: cannot create /usr/x: Read-only file system', '/usr/x', 'write'],
    ["OSError: [Errno 30] Read-only file system: '/usr/lib/x'", '/usr/lib/x', 'write'],
    ['open /usr/x: read-only file system', '/usr/x', 'write'],
    ['sh: 1: cannot create /h/d/new: Directory nonexistent', '/h/d/new', 'write'],
  ])('gives the refused path: %s', (message, path, access) => {
    expect(candidatesIn(message)).toContainEqual({ path, access, message })
  })

  it.each(['see /etc/passwd', 'No such file or directory', '', `${'x'.repeat(5_000)} /a: No such file or directory`])(
    'gives no path without an error or a path: %#',
    text => expect(candidatesIn(text)).toEqual([]),
  )
})

describe('a refused path', () => {
  let home: string
  let paths: SandboxPath[]
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-refusals-')))
    for (const name of ['notes', 'project/.git/hooks', 'signalbox/data'])
      mkdirSync(join(home, name), { recursive: true })
    writeFileSync(join(home, 'notes/a'), '')
    paths = [
      { path: '/', access: 'read', why: 'the system' },
      { path: home, access: 'private', why: 'home' },
      { path: join(home, 'signalbox'), access: 'private', why: 'ours', isProtected: true },
      { path: join(home, 'project'), access: 'write', why: 'the project' },
      { path: join(home, 'project/.git/hooks'), access: 'read', why: 'git', isProtected: true },
    ]
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))
  const of = (path: string, access: 'read' | 'write' = 'read') =>
    refusalOf({ path, access, message: 'm' }, paths, home)?.path ?? null

  it('is a refusal if it exists and the sandbox hides it', () => {
    expect(of('~/notes/a')).toBe(join(home, 'notes/a'))
    expect(of(join(home, 'notes'))).toBe(join(home, 'notes'))
    expect(of(join(home, 'missing'))).toBeNull()
    expect(of(join(home, 'project/.git'))).toBeNull()
  })

  it('is requested as its directory if it is to be written and does not exist', () => {
    const refusal = refusalOf({ path: join(home, 'notes/new'), access: 'write', message: 'm' }, paths, home)
    expect(refusal).toMatchObject({ path: join(home, 'notes'), wanted: join(home, 'notes/new'), access: 'write' })
    expect(of(join(home, 'missing/new'), 'write')).toBeNull()
    expect(of(join(home, 'project/new'), 'write')).toBeNull()
  })

  it.each(['signalbox', 'signalbox/data', '', 'project/.git/hooks', 'project/.git/hooks/x'])(
    'is never requested where that would show or change protected files: %s',
    name => {
      expect(of(join(home, name))).toBeNull()
      expect(of(join(home, name), 'write')).toBeNull()
    },
  )

  it('is replaced by the target of a link', () => {
    symlinkSync(join(home, 'signalbox'), join(home, 'notes/link'))
    expect(of(join(home, 'notes/link/data'))).toBeNull()
    for (const path of ['/', '/proc/1/environ', '/dev/null', '/sys']) expect(of(path, 'write')).toBeNull()
  })
})
