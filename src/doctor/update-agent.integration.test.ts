import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { updateAgent, updateCommand } from './update-agent.js'

const directory = mkdtempSync(join(tmpdir(), 'signalbox-update-'))
const bin = join(directory, 'bin')
const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: directory }

function program(name: string, lines: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`)
  chmodSync(join(bin, name), 0o755)
}

beforeAll(() => mkdirSync(bin))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

it('an npm package is updated in place, another program by its own command', () => {
  const script = '/opt/tools/lib/node_modules/@scope/agent/dist/cli.js'
  expect(updateCommand({ file: '/usr/bin/node', prefix: [script] }, ['update'])).toEqual({
    file: 'npm',
    args: ['install', '--global', '--prefix', '/opt/tools', '@scope/agent@latest'],
  })
  expect(updateCommand({ file: '/home/a/.local/bin/claude', prefix: [] }, ['update'])).toEqual({
    file: '/home/a/.local/bin/claude',
    args: ['update'],
  })
  expect(updateCommand({ file: '/usr/local/bin/agent', prefix: [] }, null)).toBeNull()
})

it('the old and the new version, and failures, are reported', async () => {
  const mark = join(directory, 'updated')
  const version = `if [ -f ${mark} ]; then echo "2.0.0 (Claude Code)"; else echo "1.0.0 (Claude Code)"; fi`
  program('claude', `if [ "$1" = update ]; then echo yes > ${mark}; else ${version}; fi`)
  expect(await updateAgent('claude', { env, configuredCommand: null })).toBe('Claude Code: 1.0.0 → 2.0.0.')
  expect(readFileSync(mark, 'utf8')).toBe('yes\n')
  expect(await updateAgent('claude', { env, configuredCommand: null })).toBe('Claude Code is at 2.0.0, as before.')
  program('claude', 'echo "no space left" >&2; exit 3')
  await expect(updateAgent('claude', { env, configuredCommand: null })).rejects.toThrow('no space left')
  rmSync(join(bin, 'claude'))
  await expect(updateAgent('claude', { env, configuredCommand: join(bin, 'claude') })).rejects.toMatchObject({
    code: 'E_AGENT_MISSING',
  })
})
