import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LivePacks } from '../agents/index.js'
import { SimulatedClock } from '../clock/index.js'
import { prepareSession, type StartRequest } from './prepare-session.js'
import type { HostSettings } from './settings.js'

let directory: string
let packs: LivePacks

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-prepare-'))
  // Programs below the session's own directory are not searched for.
  for (const name of ['bin', 'work']) mkdirSync(join(directory, name))
  writeFileSync(join(directory, 'bin', 'aider'), '#!/bin/sh\n', { mode: 0o755 })
  packs = new LivePacks({
    directories: { user: join(directory, 'packs') },
    clock: new SimulatedClock(0),
    onFailed: () => undefined,
    onReloaded: () => undefined,
  })
})

afterEach(() => {
  packs.close()
  rmSync(directory, { recursive: true, force: true })
})

const request = (fields: Partial<StartRequest> = {}): StartRequest => ({
  agent: 'aider',
  args: ['--model', 'own'],
  cwd: join(directory, 'work'),
  terminal: { PATH: `${directory}/bin:/usr/bin:/bin` },
  size: null,
  person: 'local',
  label: null,
  resume: null,
  ...fields,
})

const prepare = (fields: Partial<StartRequest> = {}) =>
  prepareSession(request(fields), {
    id: 'ses_1',
    settings: {
      dataDirectory: directory,
      runtimeDirectory: directory,
      size: { cols: 80, rows: 24 },
      minFreeMb: 0,
      envPass: [],
      hooks: { isEnabled: false, offFor: [], hold: 'adapter' },
      agents: { aider: { args: ['--dark-mode'], env: { AIDER_FLAVOUR: 'plain' } } },
    } as unknown as HostSettings,
    packs,
    env: {},
    isReachable: false,
  })

it('an agent starts with arguments and variables of its settings, then with the given arguments', async () => {
  const { spawn, agentArgs } = await prepare()
  const own = spawn.args.indexOf('--dark-mode')
  expect(spawn.args.slice(own)).toEqual(['--dark-mode', '--model', 'own'])
  expect(spawn.env.AIDER_FLAVOUR).toBe('plain')
  // A session that is resumed later gets the settings of that time.
  expect(agentArgs).toEqual(['--model', 'own'])
})

it('a program that was named by its path gets no settings of the agent', async () => {
  const { spawn } = await prepare({ agent: null, args: ['cat'] })
  expect(spawn.command).toBe('/usr/bin/cat')
  expect(spawn.env.AIDER_FLAVOUR).toBeUndefined()
})
