import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/specs/index.js'
import { itNeeding } from '../support/requirements.js'
import { CLI } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome
beforeEach(() => {
  home = new InsideHome()
})
afterEach(() => home.close())

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
  const file = (shell: string) => join(home.directory, `completion.${shell}`)

  const testIn = (shell: string, name: string, body: () => Promise<void>) =>
    shell === 'zsh' || shell === 'fish' ? itNeeding(shell, name, body) : it(name, body)

  for (const shell of ['bash', 'zsh', 'fish'])
    testIn(shell, `has a script that ${shell} can read`, async () => {
      const { stdout } = await home.ok(['completion', shell])
      expect(stdout).toContain('signalbox complete --')
      writeFileSync(file(shell), stdout)
      const check = spawnSync(shell, ['-n', file(shell)], { encoding: 'utf8' })
      expect([check.status, check.stderr]).toEqual([0, ''])
    })

  /** What a shell offers at the last word; `bash` is in every place where the tests run. */
  const offers: Record<string, (words: string[]) => string[]> = {
    bash: words => [
      '--norc',
      '-c',
      `. '${file('bash')}'; COMP_WORDS=(signalbox ${quoted(words)}); COMP_CWORD=${words.length}; compopt() { :; }; _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
    fish: words => ['--no-config', '-c', `source '${file('fish')}'; complete -C "signalbox ${words.join(' ')}"`],
  }
  const quoted = (words: string[]) => words.map(word => `'${word}'`).join(' ')

  for (const shell of Object.keys(offers))
    testIn(shell, `offers commands, options, agents, ids and files in ${shell}, and starts no daemon`, async () => {
      writeFileSync(file(shell), (await home.ok(['completion', shell])).stdout)
      const bin = join(home.directory, 'bin')
      mkdirSync(bin)
      writeFileSync(join(bin, 'signalbox'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 })
      writeFileSync(join(home.work, 'backup.tar.gz'), '')
      const complete = (...words: string[]) => {
        const result = spawnSync(shell, offers[shell]!(words), {
          cwd: home.work,
          env: { ...home.env, PATH: `${bin}:${process.env.PATH}` },
          encoding: 'utf8',
        })
        expect(result.stderr).toBe('')
        return result.stdout
          .trim()
          .split('\n')
          .map(line => line.split('\t')[0])
      }
      expect(complete('sta').sort()).toEqual(['start', 'stats', 'status'])
      expect(complete('start', '--si')).toEqual(['--size'])
      expect(complete('new', 'cla')).toEqual(['claude'])
      expect(complete('oneshot', 'x', '--auditor', 'cod')).toEqual(['codex'])
      expect(complete('restore', 'ba')).toEqual(['backup.tar.gz'])
      expect(complete('stop', '')).toEqual([''])
      expect(existsSync(home.path('data', 'signalbox.db'))).toBe(false)

      const session = await home.json<{ id: string }>(['start', '--json', '--', 'sleep', '600'])
      expect(complete('stop', '')).toEqual(['1', session.id])
      expect(complete('stop', 'ses_')).toEqual([session.id])
      await home.ok(['serve', '--stop'])
      expect(complete('stop', 'ses_')).toEqual([session.id])
      expect(home.processes().daemons).toEqual([])
    })
})
