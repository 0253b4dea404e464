import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DaemonClient } from '../../src/cli/daemon-client.js'
import { markedProcesses } from '../../src/process/index.js'
import { executableFiles } from '../../src/trust/index.js'
import { silentContext } from '../support/silent-context.js'
import { TestHome, waitFor } from './harness.js'
import { inside } from './inside.js'

let home: TestHome
let client: DaemonClient

beforeAll(async () => {
  home = new TestHome()
  await home.ok(['serve', '--background'])
  client = await DaemonClient.connect({ ...silentContext(home.directory, home.work), env: home.env })
})
afterAll(() => home.close())

/** A run that the daemon drives, at work until there is a file `stop`. */
async function detachedRun(): Promise<string> {
  for (const name of ['begun', 'stop']) rmSync(join(home.work, name), { force: true })
  const command = 'touch begun; while [ ! -e stop ]; do sleep 0.05; done'
  const nodes = `start [shape=Mdiamond]; exit [shape=Msquare]; c [shape=parallelogram, tool_command="${command}"]`
  writeFileSync(join(home.work, 'flow.dot'), `digraph g { graph [worktree=none]; ${nodes}; start -> c -> exit }`)
  const { hash } = await executableFiles(join(home.work, 'flow.dot'), [])
  const { stdout } = await inside(home, ['run', 'flow.dot', '--trust', hash, '--detach', '--json'])
  await waitFor('the command to work', () => existsSync(join(home.work, 'begun')), 30_000)
  return (JSON.parse(stdout) as { run: string }).run
}

const processesOf = (run: string) => markedProcesses().filter(({ mark }) => mark.startsWith(`${run}/`))
const nodeStatus = async (run: string) => {
  const { items } = await client.get<{ items: { node: string; status: string }[] }>(`/runs/${run}/nodes`)
  return items.find(({ node }) => node === 'c')?.status
}

test('a run that the daemon drives is paused and resumed by commands', async () => {
  const run = await detachedRun()
  const paused = await inside(home, ['pause', run])
  expect(paused.stdout).toContain(`${run} is paused`)
  await waitFor('its command to end', () => processesOf(run).length === 0)
  expect(JSON.parse((await inside(home, ['show', run, '--json'])).stdout)).toMatchObject({
    status: 'paused',
    why: 'paused by a person',
    next: `signalbox resume ${run}`,
  })
  writeFileSync(join(home.work, 'stop'), '')
  const resumed = await inside(home, ['resume', run])
  expect([resumed.code, resumed.stderr]).toEqual([0, ''])
  expect((await inside(home, ['pause', run])).stderr).toContain('is already completed')
})

test('a cancelled run has no node that is still running', async () => {
  const run = await detachedRun()
  await waitFor('the node to run', async () => (await nodeStatus(run)) === 'running')
  await inside(home, ['cancel', run])
  expect(await nodeStatus(run)).toBe('cancelled')
  expect((await inside(home, ['graph', run, '--format', 'dot'])).stdout).not.toContain('running')
  await waitFor('its command to end', () => processesOf(run).length === 0)
})

test('a session that a person stops is stopped, not failed', async () => {
  const session = await home.startProgram('sh', '-c', 'exec sleep 600')
  expect((await inside(home, ['stop', session.id])).stdout).toContain(`${session.id}: stopped`)
  expect((await inside(home, ['sessions', '--all'])).stdout).toContain('stopped')
})
