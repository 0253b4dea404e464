import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { itNeeding } from '../../test/support/requirements.js'
import { exitCodeOf, type SignalboxError } from '../errors/index.js'
import { ensureDirectories, resolveDirectories, socketPath } from './paths.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sb-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

function failure(action: () => unknown): SignalboxError {
  try {
    action()
  } catch (error) {
    expect((error as SignalboxError).code).toBe('E_HOME')
    expect(exitCodeOf(error)).toBe(6)
    expect((error as SignalboxError).message).not.toContain('\n')
    return error as SignalboxError
  }
  throw new Error('expected E_HOME')
}

describe('the directories of an installation', () => {
  test('follow the XDG standard', () => {
    expect(resolveDirectories({}, '/home/me')).toEqual({
      config: '/home/me/.config/signalbox',
      data: '/home/me/.local/share/signalbox',
      state: '/home/me/.local/state/signalbox',
      runtime: '/home/me/.local/state/signalbox/run',
      cache: '/home/me/.cache/signalbox',
    })
    const environment = {
      XDG_CONFIG_HOME: '/c',
      XDG_DATA_HOME: '/d',
      XDG_STATE_HOME: '/s',
      XDG_RUNTIME_DIR: '/run/user/1',
      XDG_CACHE_HOME: 'relative/is/ignored',
    }
    expect(resolveDirectories(environment, '/home/me')).toEqual({
      config: '/c/signalbox',
      data: '/d/signalbox',
      state: '/s/signalbox',
      runtime: '/run/user/1/signalbox',
      cache: '/home/me/.cache/signalbox',
    })
  })

  test('are all below SIGNALBOX_HOME if that is set', () => {
    expect(resolveDirectories({ SIGNALBOX_HOME: '/sb', XDG_DATA_HOME: '/d' }, '')).toEqual({
      config: '/sb/config',
      data: '/sb/data',
      state: '/sb/state',
      runtime: '/sb/run',
      cache: '/sb/cache',
    })
    expect(failure(() => resolveDirectories({ SIGNALBOX_HOME: 'relative' })).message).toContain('absolute')
    expect(failure(() => resolveDirectories({}, '')).message).toContain('HOME is not set')
  })
})

describe('creating the directories', () => {
  test('sets mode 0700 with any umask, and restricts and reports wider modes', () => {
    const before = process.umask(0o000)
    try {
      const directories = resolveDirectories({ SIGNALBOX_HOME: join(directory, 'new', 'home') })
      expect(ensureDirectories(directories)).toEqual([])
      for (const path of [join(directory, 'new'), ...Object.values(directories)]) expect(modeOf(path)).toBe('700')
      chmodSync(directories.data, 0o755)
      expect(ensureDirectories(directories)).toEqual([{ path: directories.data, was: '755', isRepaired: true }])
      expect(modeOf(directories.data)).toBe('700')
      expect(ensureDirectories(directories)).toEqual([])
    } finally {
      process.umask(before)
    }
  })

  test('reports a file at the path or a read-only place in one line', () => {
    writeFileSync(join(directory, 'file'), '')
    const below = failure(() => ensureDirectories(resolveDirectories({ SIGNALBOX_HOME: join(directory, 'file') })))
    expect(below.message).toBe(`Cannot use the directory ${join(directory, 'file')}: a file is in its place.`)
    expect(below.next).toContain('SIGNALBOX_HOME')

    mkdirSync(join(directory, 'home'))
    writeFileSync(join(directory, 'home', 'config'), '')
    const instead = failure(() => ensureDirectories(resolveDirectories({ SIGNALBOX_HOME: join(directory, 'home') })))
    expect(instead.message).toContain('a file is in its place')

    symlinkSync(join(directory, 'nowhere'), join(directory, 'link'))
    const link = failure(() => ensureDirectories(resolveDirectories({ SIGNALBOX_HOME: join(directory, 'link') })))
    expect(link.message).toContain('a dangling symbolic link is in its place')
  })

  itNeeding('linux', 'reports a file system without new directories in one line', () => {
    expect(
      failure(() => ensureDirectories(resolveDirectories({ SIGNALBOX_HOME: '/proc/signalbox' }))).message,
    ).toContain('Cannot use the directory /proc/signalbox/config: no directory can be created there.')
  })
})

describe('the path of the socket', () => {
  const runtime = (path: string) => ({ ...resolveDirectories({ SIGNALBOX_HOME: '/sb' }), runtime: path })

  test('is in the runtime directory if its path is short enough', () => {
    expect(socketPath(runtime('/run/user/1/signalbox'))).toBe('/run/user/1/signalbox/signalbox.sock')
    expect(socketPath(runtime(`/${'x'.repeat(87)}`), 'keeper.sock')).toBe(`/${'x'.repeat(87)}/keeper.sock`)
  })

  test('is otherwise in a short directory of this user, and the same for every process', () => {
    const long = runtime(`/${'x'.repeat(120)}`)
    const path = socketPath(long, 'signalbox.sock', { temporary: directory })
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(107)
    expect(socketPath(long, 'signalbox.sock', { temporary: directory })).toBe(path)
    expect(modeOf(join(path, '..'))).toBe('700')
    expect(socketPath(runtime(`/${'y'.repeat(120)}`), 'signalbox.sock', { temporary: directory })).not.toBe(path)
    chmodSync(join(path, '..'), 0o777)
    socketPath(long, 'signalbox.sock', { temporary: directory })
    expect(modeOf(join(path, '..'))).toBe('700')
  })

  test('is measured in bytes, not characters', () => {
    const path = socketPath(runtime(`/${'ü'.repeat(60)}`), 'signalbox.sock', { temporary: directory })
    expect(path.startsWith(directory)).toBe(true)
  })

  test('is refused if a link or file is in its place, or the temporary directory is too long', () => {
    const long = runtime(`/${'x'.repeat(120)}`)
    const planted = join(socketPath(long, 'signalbox.sock', { temporary: directory }), '..')
    rmSync(planted, { recursive: true })
    symlinkSync('/tmp', planted)
    expect(failure(() => socketPath(long, 'signalbox.sock', { temporary: directory })).message).toContain(
      'not a directory of this user',
    )
    rmSync(planted)
    writeFileSync(planted, '')
    expect(failure(() => socketPath(long, 'signalbox.sock', { temporary: directory })).message).toContain(
      'not a directory of this user',
    )
    expect(failure(() => socketPath(long, 'signalbox.sock', { temporary: `/${'t'.repeat(100)}` })).message).toContain(
      'longer than',
    )
  })
})
