import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { itNeeding } from '../../test/support/requirements.js'
import { acquireLock, findExecutable, isAlive, processStart, runCommand } from './index.js'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-process-'))
})

afterEach(() => {
  rmSync(directory, { recursive: true, force: true })
})

function program(path: string, mode = 0o755): string {
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, mode)
  return path
}

describe('finding a program', () => {
  test('returns the program of the first absolute directory of the path', () => {
    const [first, second] = ['a', 'b'].map(name => join(directory, name)) as [string, string]
    for (const each of [first, second]) mkdirSync(each)
    program(join(second, 'tool'))
    const path = [first, second].join(delimiter)
    expect(findExecutable('tool', { path, cwd: '/' })).toBe(join(second, 'tool'))
    program(join(first, 'tool'))
    expect(findExecutable('tool', { path, cwd: '/' })).toBe(join(first, 'tool'))
  })

  test('skips relative and empty entries and the current directory, where a repository plants programs', () => {
    program(join(directory, 'tool'))
    for (const path of ['', '.', './', `${delimiter}.`, undefined])
      expect(findExecutable('tool', { path, cwd: directory })).toBeNull()
  })

  test('ignores directories and files that are not executable', () => {
    mkdirSync(join(directory, 'folder'))
    writeFileSync(join(directory, 'data'), 'x')
    chmodSync(join(directory, 'data'), 0o644)
    expect(findExecutable('folder', { path: directory, cwd: '/' })).toBeNull()
    expect(findExecutable('data', { path: directory, cwd: '/' })).toBeNull()
    expect(findExecutable('.', { path: directory, cwd: '/' })).toBeNull()
    expect(findExecutable('', { path: directory, cwd: '/' })).toBeNull()
    expect(findExecutable('too\0l', { path: directory, cwd: '/' })).toBeNull()
  })

  test('follows links to programs and ignores broken links', () => {
    symlinkSync(program(join(directory, 'real')), join(directory, 'link'))
    symlinkSync(join(directory, 'gone'), join(directory, 'dangling'))
    expect(findExecutable('link', { path: directory, cwd: '/' })).toBe(join(directory, 'link'))
    expect(findExecutable('dangling', { path: directory, cwd: '/' })).toBeNull()
  })

  test('treats a name with a slash as a path from the working directory', () => {
    mkdirSync(join(directory, 'bin'))
    program(join(directory, 'bin', 'tool'))
    expect(findExecutable('bin/tool', { path: undefined, cwd: directory })).toBe(join(directory, 'bin', 'tool'))
    expect(findExecutable('./tool', { path: join(directory, 'bin'), cwd: directory })).toBeNull()
  })
})

describe('a lock between processes', () => {
  const HOLD_LOCK = fileURLToPath(new URL('./testing/hold-lock.ts', import.meta.url))
  const children: ChildProcess[] = []

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })

  async function hold(path: string): Promise<{ child: ChildProcess; answer: string; lines: NodeJS.ReadableStream }> {
    const child = spawn(process.execPath, ['--import', 'tsx', HOLD_LOCK, path], { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    const [answer] = await once(createInterface({ input: child.stdout! }), 'line')
    return { child, answer: String(answer), lines: child.stdout! }
  }

  test('is held by one process at a time, and is free again after kill -9', async () => {
    const path = join(directory, 'a.lock')
    const { child, answer } = await hold(path)
    expect(answer).toBe('held')
    expect(await acquireLock(path)).toBeNull()
    expect((await hold(path)).answer).toBe('refused')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const lock = await acquireLock(path)
    expect(lock).not.toBeNull()
    expect((await hold(path)).answer).toBe('refused')
    lock!.release()
    expect((await hold(path)).answer).toBe('held')
  })

  test('is held once also within one process, and a failed attempt does not release it', async () => {
    const path = join(directory, 'a.lock')
    const lock = await acquireLock(path)
    expect(await acquireLock(path)).toBeNull()
    expect(await acquireLock(path)).toBeNull()
    expect((await hold(path)).answer).toBe('refused')
    lock!.release()
    const next = await acquireLock(path)
    expect(next).not.toBeNull()
    next!.release()
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('is an error, not held by another process, where no file can be created', async () => {
    await expect(acquireLock(join(directory, 'no', 'such', 'folder'))).rejects.toThrow()
  })
})

describe('running a command', () => {
  const sh = (script: string, options: Partial<Parameters<typeof runCommand>[2]> = {}) =>
    runCommand('/bin/sh', ['-c', script], { cwd: directory, ...options })

  test('returns stdout, stderr and the exit code, and runs it in the given directory', async () => {
    const result = await sh('pwd; echo problem >&2; exit 3')
    expect(result).toEqual({ code: 3, signal: null, stdout: `${directory}\n`, stderr: 'problem\n' })
  })

  test('returns the signal that killed it', async () => {
    expect(await sh('kill -TERM $$')).toMatchObject({ code: null, signal: 'SIGTERM' })
  })

  test('passes input on, and ignores that the program does not read it', async () => {
    expect((await sh('cat', { input: 'grüße' })).stdout).toBe('grüße')
    expect(await sh('exit 0', { input: 'x'.repeat(1_000_000) })).toMatchObject({ code: 0 })
    expect((await sh('cat')).stdout).toBe('')
  })

  test('passes arguments unchanged: there is no shell', async () => {
    const { stdout } = await runCommand('/bin/echo', ['$HOME', '; ls', '*'], { cwd: directory })
    expect(stdout).toBe('$HOME ; ls *\n')
  })

  test('keeps the start of output beyond the limit, and lets the program finish', async () => {
    const result = await sh('head -c 300000 /dev/zero | tr "\\0" x; echo done >&2', { maxBytes: 1000 })
    expect(result).toMatchObject({ code: 0, stdout: 'x'.repeat(1000), stderr: 'done\n' })
  })

  test('rejects a program that does not exist', async () => {
    await expect(runCommand(join(directory, 'none'), [], { cwd: directory })).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('kills a program that takes too long, with all processes that it started', async () => {
    // A busy machine gets a longer timeout: the program must have started its child by then.
    let child = 0
    for (let timeoutMs = 300; child === 0; timeoutMs *= 4) {
      const result = await sh('sleep 1000 & echo $!; wait', { timeoutMs })
      expect(result).toMatchObject({ code: null, signal: 'SIGKILL' })
      child = Number(result.stdout)
    }
    await expect.poll(() => isAlive(child)).toBe(false)
  })
})

describe('a process', () => {
  test('is alive until it ends', async () => {
    const child = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'] })
    await once(child, 'spawn')
    expect(isAlive(child.pid!)).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(isAlive(child.pid!)).toBe(false)
    expect(isAlive(process.pid)).toBe(true)
  })

  itNeeding('linux', 'is identified by its id and its start', async () => {
    const start = processStart(process.pid)
    expect(start).toMatch(/^\d+$/)
    expect(processStart(process.pid)).toBe(start)
    expect(processStart(2 ** 30)).toBeNull()
  })

  itNeeding('linux', 'may have a name with blanks and brackets', async () => {
    const file = join(directory, 'a ) (b')
    symlinkSync('/bin/cat', file)
    const child = spawn(file, { stdio: ['pipe', 'ignore', 'ignore'] })
    await once(child, 'spawn')
    expect(Number(processStart(child.pid!))).toBeGreaterThanOrEqual(Number(processStart(process.pid)))
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
})
