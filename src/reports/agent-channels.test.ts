import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadAgent } from '../agents/index.js'
import { systemClock } from '../clock/index.js'
import { AgentChannels } from './agent-channels.js'
import { wireHooks } from './hook-wiring.js'

it('a new host removes the files of ended sessions, not of running ones', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-channels-'))
  const settings = {
    runtimeDirectory: directory,
    daemonSocket: '/s',
    hookSocket: '/h',
    hooks: { isEnabled: true, offFor: [], hold: 'adapter' as const },
  }
  const demo = await loadAgent('demo')
  const wired = ['ses_ended', 'ses_running'].map(id => wireHooks(id, demo, settings)!.wiring.directory)
  const errors: unknown[] = []
  new AgentChannels({
    settings,
    clock: systemClock,
    sessions: async () => [],
    isAttended: () => false,
    onMalformed: () => undefined,
    onError: error => errors.push(error),
  }).sweep(new Set(['ses_running']))
  expect(wired.map(existsSync)).toEqual([false, true])
  expect(errors).toEqual([])
  rmSync(directory, { recursive: true })
})
