import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { itNeeding } from '../../test/support/requirements.js'
import { demoAgent } from './demo.js'
import { adapterForProgram, agentNames, genericAgent, loadAgent, loadPack } from './index.js'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-agents-'))
})

afterEach(() => {
  chmodSync(directory, 0o700)
  rmSync(directory, { recursive: true, force: true })
})

describe('the registry', () => {
  test('loads every agent it lists, under its own name', async () => {
    expect(agentNames()).toContain('demo')
    for (const name of agentNames()) expect((await loadAgent(name)).name).toBe(name)
  })

  test('suggests the nearest agent for an unknown name, and alternatives', async () => {
    await expect(loadAgent('demi')).rejects.toMatchObject({
      code: 'E_INPUT',
      message: expect.stringContaining('did you mean "demo"?'),
      next: expect.stringContaining('signalbox start -- demi'),
    })
    await expect(loadAgent('zzzzzzzz')).rejects.toMatchObject({
      code: 'E_INPUT',
      message: 'unknown agent "zzzzzzzz"',
    })
  })

  test.each(['__proto__', 'constructor', 'toString', ''])('does not contain %j', async name => {
    await expect(loadAgent(name)).rejects.toMatchObject({ code: 'E_INPUT' })
  })

  test('lists only packs that can be loaded', async () => {
    for (const name of agentNames()) {
      const { pack } = await loadAgent(name)
      if (pack !== null) expect((await loadPack(pack, null)).agent).toBe(pack)
    }
  })
})

describe('adapterForProgram', () => {
  test.each([
    ['claude', 'claude'],
    ['/opt/bin/claude', 'claude'],
    ['codex.exe', 'codex'],
    ['claude-code', 'generic'],
    ['htop', 'generic'],
  ])('runs %s with the adapter %s', async (program, name) => {
    expect((await adapterForProgram(program)).name).toBe(name)
  })

  test('finds no program that two adapters claim', async () => {
    const programs = (await Promise.all(agentNames().map(loadAgent))).flatMap(agent => agent.programs)
    expect(new Set(programs).size).toBe(programs.length)
  })

  test('an adapter can read every channel it declares', async () => {
    for (const agent of await Promise.all(agentNames().map(loadAgent)))
      expect({ hooks: agent.hooks !== undefined, transcript: agent.transcript !== undefined }).toEqual({
        hooks: agent.reports.hooks,
        transcript: agent.reports.transcript,
      })
  })
})

describe('the generic adapter', () => {
  test('finds a program in PATH or by its path, and passes its arguments unchanged', () => {
    const file = join(directory, 'tool')
    writeFileSync(file, '#!/bin/sh\n')
    chmodSync(file, 0o755)
    const found = genericAgent('tool').locate({ env: { PATH: directory }, cwd: '/', configuredCommand: null })
    expect(found).toEqual({ found: true, file, prefix: [] })
    expect(genericAgent('./tool').locate({ env: {}, cwd: directory, configuredCommand: null })).toMatchObject({
      found: true,
      file,
    })
    const start = { args: ['-x', '$HOME; ls'], resume: null, newSessionId: 'id', wiring: null }
    expect(genericAgent('tool').interactive({ found: true, file, prefix: [] }, start)).toEqual({
      file,
      args: ['-x', '$HOME; ls'],
      env: {},
      agentSessionId: null,
    })
  })

  test('reports a missing program by name', () => {
    expect(genericAgent('tool').locate({ env: { PATH: directory }, cwd: directory, configuredCommand: null })).toEqual({
      found: false,
      looked: 'tool',
    })
    expect(genericAgent('tool').install).toContain('tool')
    expect(genericAgent('tool').pack).toBeNull()
  })
})

describe('the demo agent', () => {
  const location = { found: true as const, file: '/node', prefix: ['/main.js'] }

  test('gets an id for a new conversation, and the old id to continue one', () => {
    expect(
      demoAgent.interactive(location, { args: ['--fast'], resume: null, newSessionId: 'new', wiring: null }),
    ).toEqual({
      file: '/node',
      args: ['/main.js', '--session-id', 'new', '--fast'],
      env: {},
      agentSessionId: 'new',
    })
    expect(
      demoAgent.interactive(location, { args: [], resume: 'old', newSessionId: 'new', wiring: null }),
    ).toMatchObject({
      args: ['/main.js', '--resume', 'old'],
      agentSessionId: 'old',
    })
  })
})

describe('loadPack', () => {
  const write = (agent: string, name: string, content: string) => {
    mkdirSync(join(directory, agent), { recursive: true })
    writeFileSync(join(directory, agent, name), content)
  }

  test('prefers rules of a person’s own pack to the shipped one', async () => {
    expect((await loadPack('demo', directory)).locale).not.toBe('de')
    write('demo', 'mine.toml', 'pack = 1\nagent = "demo"\nlocale = "de"\n')
    expect(await loadPack('demo', directory)).toMatchObject({ agent: 'demo', locale: 'de' })
  })

  test('returns the generic pack for an unknown agent and for none', async () => {
    expect((await loadPack('nobody', directory)).agent).toBe('generic')
    expect((await loadPack(null, directory)).agent).toBe('generic')
    write('empty', 'README.md', 'nothing here')
    expect((await loadPack('empty', directory)).agent).toBe('generic')
  })

  test('throws an error that names the broken file instead of falling back silently', async () => {
    write('demo', 'broken.toml', 'pack = 1\nagent = \n')
    await expect(loadPack('demo', directory)).rejects.toMatchObject({
      name: 'SignalboxError',
      place: { file: join(directory, 'demo', 'broken.toml') },
    })
  })

  itNeeding(
    'a user other than root',
    'throws for an unreadable directory instead of treating it as absent',
    async () => {
      write('demo', 'mine.toml', 'pack = 1\nagent = "demo"\n')
      chmodSync(join(directory, 'demo'), 0o000)
      await expect(loadPack('demo', directory)).rejects.toMatchObject({ code: 'EACCES' })
      chmodSync(join(directory, 'demo'), 0o700)
    },
  )
})
