import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canOpenPaths, closePath, openPath, sandboxedProgram } from '../../src/sandbox/index.js'
import { describeNeeding } from '../support/requirements.js'

/** What happens when a person allows a path once: it is shown, and hidden again. */
describeNeeding('bubblewrap', 'a path in a running sandbox', () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-open-')))
  const at = (...parts: string[]) => join(directory, ...parts)
  let shell: ChildProcess
  let lines: AsyncIterator<string>

  beforeAll(() => {
    for (const name of ['work', 'own', 'outside/folder']) mkdirSync(at(name), { recursive: true })
    writeFileSync(at('outside/file'), 'text\n')
    writeFileSync(at('outside/folder/inner'), 'inner\n')
    const paths = [
      { path: '/', access: 'read' as const, why: 'the system' },
      { path: directory, access: 'private' as const, why: 'hidden' },
      { path: at('own'), access: 'read' as const, why: 'its own' },
      { path: at('work'), access: 'write' as const, why: 'the project' },
    ]
    const plan = { paths, network: 'off' as const, hosts: [], cwd: at('work'), home: at('work'), env: {} }
    const program = {
      file: '/bin/sh',
      args: ['-c', 'while read -r line; do eval "$line" 2>&1 | tr "\\n" " "; echo; done'],
    }
    const { file, args } = sandboxedProgram('bubblewrap', plan, program, process.env.PATH, at('own'))
    shell = spawn(file, [...args], { cwd: at('work'), stdio: ['pipe', 'pipe', 'inherit'] })
    lines = createInterface({ input: shell.stdout! })[Symbol.asyncIterator]()
  })
  afterAll(() => {
    shell.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })
  const run = async (command: string): Promise<string> => {
    shell.stdin!.write(`${command}\n`)
    return String((await lines.next()).value).trim()
  }

  test('is readable once it was opened, and disappears without a trace when it is closed', async () => {
    expect(canOpenPaths(process.env.PATH)).toBe(true)
    expect(await run(`cat ${at('outside/file')}`)).toContain('No such file')
    await openPath(shell.pid!, at('own'), { path: at('outside/file'), access: 'read' })
    expect(await run(`cat ${at('outside/file')}`)).toBe('text')
    expect(await run(`echo x > ${at('outside/file')}`)).toContain('Read-only')
    expect(await run(`ls ${at('outside')} ${at('own/open')}`)).not.toContain('folder')
    await closePath(shell.pid!, at('outside/file'))
    expect(await run(`cat ${at('outside/file')}`)).toContain('No such file')
    expect(readFileSync(at('outside/file'), 'utf8')).toBe('text\n')
  })

  test('can be opened for writing as a whole directory, and is not followed when it becomes a link', async () => {
    await openPath(shell.pid!, at('own'), { path: at('outside/folder'), access: 'write' })
    expect(await run(`cat ${at('outside/folder/inner')}; echo new > ${at('outside/folder/made')}`)).toBe('inner')
    expect(readFileSync(at('outside/folder/made'), 'utf8')).toBe('new\n')
    await closePath(shell.pid!, at('outside/folder'))
    expect(await run(`ls ${at('outside/folder')}`)).toContain('No such file')
    symlinkSync(at('outside/folder'), at('outside/link'))
    const link = { path: at('outside/link'), access: 'read' as const }
    await expect(openPath(shell.pid!, at('own'), link)).rejects.toThrow(/is a link by now/)
  })
})
