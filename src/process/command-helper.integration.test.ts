import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '../../test/support/wait-for.js'
import { useCommandHelper } from './command-helper.js'
import { isAlive } from './process-info.js'
import { runCommand, runCommandHere, runCommandsBy } from './run-command.js'

const helperOf = async () => Number((await runCommand('/bin/sh', ['-c', 'echo $PPID'])).stdout)

describe('a helper that starts commands', () => {
  let directory: string
  beforeAll(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-helper-')))
    useCommandHelper()
  })
  afterAll(() => {
    runCommandsBy(runCommandHere)
    rmSync(directory, { recursive: true })
  })

  it('is the parent of commands, with their directory, environment and input', async () => {
    expect(await helperOf()).not.toBe(process.pid)
    const options = { cwd: directory, env: { PATH: '/usr/bin:/bin', WORD: 'ünï' }, input: 'from here' }
    const script = 'pwd; echo $WORD; cat; echo wrong >&2; exit 3'
    expect(await runCommand('/bin/sh', ['-c', script], options)).toEqual({
      code: 3,
      signal: null,
      stdout: `${directory}\nünï\nfrom here`,
      stderr: 'wrong\n',
    })
  })

  it('keeps every byte, up to the limit, and ends what takes too long', async () => {
    const bytes = await runCommand('/bin/sh', ['-c', "printf '\\377\\000a'"], { cwd: '/', encoding: 'latin1' })
    expect(bytes.stdout).toBe('\u00ff\u0000a')
    const many = await runCommand('/bin/sh', ['-c', 'yes | head -c 5000000'], { cwd: '/', maxBytes: 3_000_000 })
    expect(many.stdout.length).toBe(3_000_000)
    expect(await runCommand('/bin/sleep', ['600'], { cwd: '/', timeoutMs: 100 })).toMatchObject({ signal: 'SIGKILL' })
  })

  it('says why a program cannot be started, as without a helper', async () => {
    await expect(runCommand('/no/such/program', [])).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('runs many commands at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => runCommand('/bin/sh', ['-c', `sleep 0.0${n % 5}; echo ${n}`])),
    )
    expect(results.map(({ stdout }) => Number(stdout))).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })

  it('that is killed fails its commands, and the next command has another one', async () => {
    const before = await helperOf()
    const running = runCommand('/bin/sleep', ['0.5'])
    process.kill(before, 'SIGKILL')
    await expect(running).rejects.toThrow('has ended')
    await waitFor('the helper to end', () => !isAlive(before))
    expect([before, process.pid]).not.toContain(await helperOf())
  })
})
