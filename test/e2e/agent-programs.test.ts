import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome

beforeEach(() => {
  home = new InsideHome()
})

afterEach(() => home.close())

/** A program that prints how it was called and does not exit. */
function program(...parts: string[]): string {
  const file = join(home.directory, ...parts)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, '#!/bin/sh\necho "I am $0 with $*"\nexec sleep 600\n')
  chmodSync(file, 0o755)
  return file
}

async function start(words: string[], env: Record<string, string> = {}): Promise<{ agent: string; says: string }> {
  const { id, agent } = await home.json<{ id: string; agent: string }>(
    ['start', '--json', '--size', '300x10', ...words],
    { env },
  )
  const says = await waitFor('its first output', async () => {
    const { stdout } = await home.run(['read', id, '--screen'])
    return stdout.includes('I am') ? stdout : null
  })
  await home.ok(['stop', id])
  return { agent, says }
}

describe('the program of an agent', () => {
  it('is the configured one when `start` names the agent', async () => {
    const file = program('own', 'my-claude')
    mkdirSync(home.path('config'), { recursive: true })
    writeFileSync(home.path('config', 'config.toml'), `[agents.claude]\ncommand = "${file}"\n`)
    const { agent, says } = await start(['claude', '--', '--model', 'x'])
    expect(agent).toBe('claude')
    expect(says).toMatch(new RegExp(`I am ${file} with --session-id \\S+ --settings \\S+ --model x`))
  })

  it('is the configured one for the steps of a run', async () => {
    const called = join(home.directory, 'called')
    const file = program('own', 'my-claude')
    writeFileSync(file, `#!/bin/sh\necho "$0 $*" > ${called}\nexec sleep 600\n`)
    mkdirSync(home.path('config'), { recursive: true })
    writeFileSync(home.path('config', 'config.toml'), `[agents.claude]\ncommand = "${file}"\n`)
    const env = { PATH: '/usr/bin:/bin', HOME: join(home.directory, 'nobody') }
    home.start(['oneshot', 'Look around', '--agent', 'claude', '--no-input'], { env })
    const words = await waitFor('the worker to be started', () => existsSync(called) && readFileSync(called, 'utf8'))
    expect(words).toContain(`${file} -p`)
  })

  it('is the program at a given path if its name is that of an agent', async () => {
    const file = program('work', 'tools', 'claude')
    program('bin', 'claude')
    const env = { PATH: `${join(home.directory, 'bin')}:${process.env.PATH}` }
    const { agent, says } = await start(['--', './tools/claude', '--continue'], env)
    expect(agent).toBe('claude')
    expect(says).toMatch(new RegExp(`I am ${file} with --settings \\S+ --continue`))
  })

  it('is never a program that the project put into PATH', async () => {
    program('work', 'node_modules', '.bin', 'claude')
    const env = {
      PATH: `${join(home.work, 'node_modules', '.bin')}:/usr/bin:/bin`,
      HOME: join(home.directory, 'nobody'),
    }
    const refused = await home.run(['start', 'claude'], { env })
    expect(refused.code).toBe(7)
    expect(refused.stderr).toContain('Claude Code was not found')
  })
})
