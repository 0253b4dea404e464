import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/specs/index.js'
import { CLI } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome
beforeEach(() => {
  home = new InsideHome()
})
afterEach(() => home.close())

const has = (program: string) => spawnSync('which', [program]).status === 0

describe('help', () => {
  it('lists daily commands and fits a small terminal', async () => {
    const { stdout } = await home.ok(['--help'])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(24)
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80)
    for (const name of ['start, new', 'sessions, ls', 'open', 'approve', 'deny', 'send'])
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    expect((await home.ok(['help'])).stdout).toBe(stdout)
  })

  it('lists every command on request, and each has a page with examples', async () => {
    const { stdout } = await home.ok(['help', '--all'])
    const names = [...stdout.matchAll(/^ {2}([a-z][a-z-]+)(?:, [a-z]+)? /gm)].map(([, name]) => name!)
    expect(names.sort()).toEqual(
      COMMANDS.filter(({ hidden }) => !hidden)
        .map(({ name }) => name)
        .sort(),
    )
    await Promise.all(
      names.map(async name => {
        const page = (await home.ok([name, '--help'])).stdout
        const examples = page.split('\nExamples:\n')[1] ?? ''
        expect(examples, name).toMatch(/^ {2}.*signalbox/)
        for (const line of page.split('\n')) expect(line.length, `${name}: ${line}`).toBeLessThanOrEqual(120)
      }),
    )
    expect((await home.ok(['help', 'start'])).stdout).toBe((await home.ok(['new', '--help'])).stdout)
  })

  it('suggests the closest command for an unknown one', async () => {
    const { code, stderr } = await home.run(['help', 'aprove'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean "approve"?')])
  })

  it('an error of a command with --json is printed as JSON', async () => {
    const { code, stdout, stderr } = await home.run(['show', 'run_nope', '--json'])
    expect([code, stdout]).toEqual([2, ''])
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'E_UNKNOWN', message: expect.stringContaining('nope') } })
  })

  it('prints the version, starts nothing and creates nothing', async () => {
    expect((await home.ok(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(existsSync(home.home)).toBe(false)
    expect(home.processes()).toEqual({ daemons: [], keepers: [], others: [] })
  })

  it('reading commands print JSON, also without any data', async () => {
    expect(await home.json(['status', '--json'])).toEqual({
      daemon: false,
      approvals: [],
      sessions: [],
      stopped: [],
      lost: [],
    })
    expect(await home.json(['sessions', '--json'])).toEqual([])
    expect(await home.json(['approvals', '--json'])).toEqual([])
    expect(await home.json(['paths', '--json'])).toMatchObject({
      data: home.path('data'),
      'daemon socket': home.path('run', 'signalbox.sock'),
    })
    const findings = await home.json<{ check: string; level: string }[]>(['doctor', '--json'])
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['node', 'directories', 'config', 'store', 'daemon', 'git', 'demo']),
    )
    expect(findings.filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('shell completion', () => {
  it.each(['bash', 'zsh', 'fish'])('has a script that %s can read', async shell => {
    const { stdout } = await home.ok(['completion', shell])
    for (const name of ['start', 'attach', '--size'.replace('--', shell === 'fish' ? '' : '--')])
      expect(stdout).toContain(name)
    if (!has(shell)) return
    const file = join(home.directory, `completion.${shell}`)
    writeFileSync(file, stdout)
    const check = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
    expect([check.status, check.stderr]).toEqual([0, ''])
  })

  it('completes commands, flags and session ids in bash', async () => {
    const { stdout } = await home.ok(['completion', 'bash'])
    const complete = (...words: string[]) => {
      const script = `signalbox() { ${process.execPath} "$SBX_CLI" "$@"; }\n${stdout}\nCOMP_WORDS=(signalbox ${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`
      const result = spawnSync('bash', ['--norc', '-c', script], {
        env: { ...home.env, SBX_CLI: CLI },
        encoding: 'utf8',
      })
      return result.stdout.trim().split('\n')
    }
    expect(complete('sta')).toContain('start')
    expect(complete('start', '--si')).toEqual(['--size'])
    const session = await home.json<{ id: string }>(['start', '--json', '--', 'sleep', '600'])
    expect(complete('stop', 'ses_')).toEqual([session.id])
    expect(complete('new', 'cla')).toEqual(['claude'])
  })
})
