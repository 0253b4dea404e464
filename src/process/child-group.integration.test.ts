import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newNonce, systemClock } from '../clock/index.js'
import { type ChildGroup, endProcesses, isAlive, isOfStep, markedProcesses, spawnGroup } from './index.js'

let directory: string
let mark: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-group-'))
  mark = `test/${newNonce()}`
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

function start(script: string): Promise<ChildGroup> {
  const env = { PATH: process.env.PATH ?? '' }
  return spawnGroup('/bin/sh', ['-c', script], { cwd: directory, env, stdin: null, mark, clock: systemClock })
}

const running = () => markedProcesses().filter(found => isOfStep(found, mark))
const until = (holds: () => boolean) => expect.poll(holds).toBe(true)

describe('a process group', () => {
  test('reports how its program ended', async () => {
    expect(await (await start('exit 3')).exit).toEqual({ code: 3, signal: null })
    expect(await (await start('kill -9 $$')).exit).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('rejects if its program cannot be started', async () => {
    const options = { cwd: directory, env: {}, stdin: null, mark, clock: systemClock }
    await expect(spawnGroup('/no/such/program', [], options)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('is ended with TERM when it handles the signal', async () => {
    const group = await start("trap 'echo bye > said; exit 0' TERM; echo up > up; while :; do sleep 0.05; done")
    await until(() => exists('up'))
    await group.kill(60_000)
    expect(await group.exit).toEqual({ code: 0, signal: null })
    expect(readFileSync(join(directory, 'said'), 'utf8')).toBe('bye\n')
    expect(running()).toEqual([])
  })

  test('is ended with KILL when it does not', async () => {
    const group = await start("trap '' TERM; echo up > up; while :; do sleep 0.05; done")
    await until(() => exists('up'))
    await group.kill(100)
    expect(await group.exit).toEqual({ code: null, signal: 'SIGKILL' })
    expect(running()).toEqual([])
  })

  test('ends its grandchildren, also those in separate sessions', async () => {
    const group = await start(
      "trap '' TERM; (setsid sh -c 'trap \"\" TERM; echo $$ > far; sleep 600' &); sleep 600 & echo up > up; wait",
    )
    await until(() => exists('up') && exists('far') && readFileSync(join(directory, 'far'), 'utf8').trim() !== '')
    const far = Number(readFileSync(join(directory, 'far'), 'utf8'))
    expect(isAlive(far)).toBe(true)
    await group.kill(100)
    expect(running()).toEqual([])
    expect(isAlive(far)).toBe(false)
  })

  test.runIf(process.platform === 'linux')('ends processes that cleared their environment', async () => {
    const group = await start("env -i setsid sh -c 'echo $$ > far; sleep 600' > /dev/null 2>&1 &")
    await group.exit
    await until(() => exists('far') && readFileSync(join(directory, 'far'), 'utf8').trim() !== '')
    const far = Number(readFileSync(join(directory, 'far'), 'utf8'))
    expect(isAlive(far)).toBe(true)
    await group.kill(100)
    expect([isAlive(far), running()]).toEqual([false, []])
  })

  test('is ended if only its mark is known, and no other process is', async () => {
    const group = await start('sleep 600')
    await endProcesses({ leaders: [], isWanted: found => isOfStep(found, mark), graceMs: 5_000, clock: systemClock })
    expect(await group.exit).toEqual({ code: null, signal: 'SIGTERM' })
    expect(running()).toEqual([])
  })

  test('is left running while another process drives its step, including one that starts later', async () => {
    const first = await start('exec sleep 600')
    const end = (mayEnd: () => Promise<boolean>) =>
      endProcesses({ leaders: [], isWanted: found => isOfStep(found, mark), graceMs: 0, clock: systemClock, mayEnd })
    await end(async () => false)
    expect(isAlive(first.pid)).toBe(true)
    let second: ChildGroup | null = null
    await end(async () => {
      const isFirst = second === null
      second ??= await start('exec sleep 600')
      return isFirst
    })
    expect(await first.exit).toEqual({ code: null, signal: 'SIGTERM' })
    expect(running()).toMatchObject([{ pid: second!.pid }])
    await second!.kill(100)
  })

  test('is left running if its pid now belongs to another process', async () => {
    const other = await start('sleep 600')
    for (const processStart of ['another', null])
      await endProcesses({
        leaders: [{ pid: other.pid, processStart }],
        isWanted: found => isOfStep(found, `${mark}-gone`),
        graceMs: 50,
        clock: systemClock,
      })
    expect(isAlive(other.pid)).toBe(true)
    await other.kill(100)
  })
})

function exists(name: string): boolean {
  try {
    readFileSync(join(directory, name))
    return true
  } catch {
    return false
  }
}
