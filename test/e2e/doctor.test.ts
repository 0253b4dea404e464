import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InsideHome } from './inside.js'

interface Finding {
  check: string
  level: string
  message: string
  next?: string
  agent?: { version: string | null; isVersionKnown: boolean | null; authorities: string[]; file: string | null }
}

let home: InsideHome
let person: string

beforeEach(() => {
  home = new InsideHome()
  person = join(home.directory, 'person')
  mkdirSync(join(person, 'bin'), { recursive: true })
})

afterEach(() => home.close())

/** A program in PATH that prints this as its version. */
function program(name: string, says: string): string {
  const file = join(person, 'bin', name)
  writeFileSync(file, `#!/bin/sh\ncat <<'END'\n${says}\nEND\n`)
  chmodSync(file, 0o755)
  return file
}

async function examine(env: Record<string, string> = {}): Promise<(check: string) => Finding> {
  const path = `${join(person, 'bin')}:/usr/bin:/bin`
  const { stdout } = await home.run(['doctor', '--json'], { env: { HOME: person, PATH: path, ...env } })
  const findings = JSON.parse(stdout) as Finding[]
  return check => findings.find(finding => finding.check === check)!
}

describe('doctor for agents', () => {
  it('shows the program, the version, whether it is signed in, and the evidence', async () => {
    const file = program('claude', '2.1.325 (Claude Code)')
    const claude = (await examine({ ANTHROPIC_API_KEY: 'sk-ant-canary' }))('claude')
    expect(claude).toMatchObject({
      level: 'ok',
      agent: { file, version: '2.1.325', isVersionKnown: true, authorities: ['hooks', 'OSC 7501', 'transcript'] },
    })
    expect(claude.message).toContain('signed in (ANTHROPIC_API_KEY is set)')
    expect(JSON.stringify(claude)).not.toContain('canary')
  })

  it('shows how to install a missing agent and how to sign in', async () => {
    program('codex', 'codex-cli 0.166.0')
    const find = await examine()
    expect(find('claude')).toMatchObject({
      level: 'note',
      message: 'not found',
      next: expect.stringContaining('npm install'),
    })
    expect(find('codex')).toMatchObject({ level: 'warning', next: 'codex login' })
    expect(find('codex').message).toContain('not signed in')
  })

  it('reports versions that the pack does not support, and programs without a version', async () => {
    program('claude', '9.0.0 (Claude Code)')
    program('codex', 'something else')
    const find = await examine({ ANTHROPIC_API_KEY: 'x' })
    expect(find('claude')).toMatchObject({ level: 'warning', agent: { version: '9.0.0', isVersionKnown: false } })
    expect(find('codex')).toMatchObject({ level: 'warning', agent: { version: null } })
  })

  it('follows the settings: another program, disabled hooks', async () => {
    program('my-claude', '2.1.325 (Claude Code)')
    mkdirSync(home.path('config'), { recursive: true })
    writeFileSync(
      home.path('config', 'config.toml'),
      '[agents.claude]\ncommand = "my-claude"\nhooks = false\n[agents.codex]\ncommand = "/nowhere/codex"\n',
    )
    const find = await examine({ ANTHROPIC_API_KEY: 'x' })
    expect(find('claude')).toMatchObject({
      level: 'ok',
      agent: { authorities: ['hooks (switched off)', 'OSC 7501', 'transcript'] },
    })
    expect(find('codex')).toMatchObject({
      level: 'warning',
      message: 'not found: /nowhere/codex',
      next: expect.stringContaining('agents.codex.command'),
    })
  })
})
