import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROJECT_FILE } from '../../trust/index.js'
import type { HostSettings } from '../settings.js'
import { clientDirectoriesOf } from './session-sandbox.js'

let root: string
let settings: HostSettings
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-directories-')))
  for (const name of ['project/.git/hooks', 'project/.gemini/commands', 'home/data', 'home/run', 'home/config/packs'])
    mkdirSync(join(root, name), { recursive: true })
  const policy = { network: 'on' as const, hosts: [], read: [], write: [], env: [] }
  const at = (name: string) => join(root, 'home', name)
  settings = {
    dataDirectory: at('data'),
    runtimeDirectory: at('run'),
    packDirectory: at('config/packs'),
    daemonSocket: at('run/daemon.sock'),
    keeperSocket: at('run/keeper.sock'),
    hookSocket: at('run/hooks.sock'),
    envPass: [],
    sandbox: { use: 'off', policy, hidden: [at('config'), at('data'), at('run')] },
  } as unknown as HostSettings
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const record = (more: object = {}) => ({
  id: 'ses_1',
  agent: 'generic',
  args: ['goose', 'acp'],
  cwd: join(root, 'project'),
  ...more,
})

describe('the file access of Signalbox for an agent over the protocol', () => {
  test('covers its directory, without files that are run later and without Signalbox’s own', async () => {
    const directories = await clientDirectoriesOf(record() as never, settings)
    expect(directories).toMatchObject({
      project: join(root, 'project'),
      uploads: join(root, 'home/data/uploads/ses_1'),
    })
    expect(directories!.protected).toEqual(
      expect.arrayContaining([join(root, 'project', PROJECT_FILE), join(root, 'project/.git/hooks')]),
    )
    expect(directories!.own).toEqual(expect.arrayContaining([join(root, 'home/data'), join(root, 'home/run')]))
  })

  test('covers no directory for an agent in a sandbox, in a container or on another machine', async () => {
    const sandbox = { backend: 'bubblewrap', network: 'off', hosts: [] }
    expect(await clientDirectoriesOf(record({ sandbox }) as never, settings)).toBeNull()
    for (const args of [
      ['docker', 'run', '-i', 'agent'],
      ['ssh', 'host', 'goose', 'acp'],
    ])
      expect(await clientDirectoriesOf(record({ args }) as never, settings)).toBeNull()
  })
})
