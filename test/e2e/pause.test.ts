import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DaemonClient } from '../../src/cli/daemon-client.js'
import { isOfStepOfRun, markedProcesses } from '../../src/process/index.js'
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

/** Writes a graph whose node `c` works until there is a file `stop`, in a child run if wanted. */
async function writeGraph({ isChild = false } = {}): Promise<string[]> {
  for (const name of ['begun', 'stop']) rmSync(join(home.work, name), { force: true })
  const command = `cd ${home.work}; touch begun; while [ ! -e stop ]; do sleep 0.05; done`
  const graph = (node: string) =>
    `digraph g { graph [worktree=none]; start [shape=Mdiamond]; exit [shape=Msquare]; ${node}; start -> c -> exit }`
  const tool = graph(`c [shape=parallelogram, tool_command="${command}"]`)
  writeFileSync(join(home.work, 'child.dot'), tool)
  writeFileSync(join(home.work, 'flow.dot'), isChild ? graph('c [type=pipeline, pipeline="child.dot"]') : tool)
  const files = isChild ? [join(home.work, 'child.dot')] : []
  const { hash } = await executableFiles(join(home.work, 'flow.dot'), files)
  return ['run', 'flow.dot', '--trust', hash, '--json']
}

const begun = () => waitFor('the command to work', () => existsSync(join(home.work, 'begun')), 30_000)

/** A run that the daemon drives, at work until there is a file `stop`. */
async function detachedRun(options: { isChild?: boolean } = {}): Promise<string> {
  const { stdout } = await inside(home, [...(await writeGraph(options)), '--detach'])
  await begun()
  return (JSON.parse(stdout) as { run: string }).run
}

const processesOf = (run: string) => markedProcesses().filter(found => isOfStepOfRun(found, run))
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

test('a node of a paused run is paused, and is cancelled with the run', async () => {
  const run = await detachedRun()
  await waitFor('the node to run', async () => (await nodeStatus(run)) === 'running')
  await inside(home, ['pause', run])
  expect(await nodeStatus(run)).toBe('paused')
  expect((await inside(home, ['graph', run, '--format', 'md'])).stdout).toMatch(/`c` \| tool \| paused/)
  await inside(home, ['cancel', run])
  expect(await nodeStatus(run)).toBe('cancelled')
})

const statuses = async (parent: string) => {
  const all = JSON.parse((await inside(home, ['runs', '--json'])).stdout) as RunLine[]
  return all.filter(run => run.id === parent || run.parent === parent).map(({ status }) => status)
}
interface RunLine {
  id: string
  status: string
  parent?: string
}

test('pausing a run pauses its child run, and resuming it continues both', async () => {
  const run = await detachedRun({ isChild: true })
  await inside(home, ['pause', run])
  expect(await statuses(run)).toEqual(['paused', 'paused'])
  writeFileSync(join(home.work, 'stop'), '')
  expect((await inside(home, ['resume', run])).code).toBe(0)
  expect(await statuses(run)).toEqual(['completed', 'completed'])
})

test('Ctrl-C pauses a run and its child run', async () => {
  const driver = home.start(await writeGraph({ isChild: true }))
  await begun()
  driver.kill('SIGINT')
  expect((await home.finish(driver)).code).toBe(130)
  const [{ id, parent }] = JSON.parse((await inside(home, ['runs', '--json'])).stdout) as [RunLine]
  const run = parent ?? id
  expect(await statuses(run)).toEqual(['paused', 'paused'])
  writeFileSync(join(home.work, 'stop'), '')
  expect((await inside(home, ['resume', run])).code).toBe(0)
  expect(await statuses(run)).toEqual(['completed', 'completed'])
})

test('a cancelled run has no node that is still running', async () => {
  const run = await detachedRun()
  await waitFor('the node to run', async () => (await nodeStatus(run)) === 'running')
  await inside(home, ['cancel', run])
  expect(await nodeStatus(run)).toBe('cancelled')
  expect((await inside(home, ['graph', run, '--format', 'dot'])).stdout).not.toContain('running')
  await waitFor('its command to end', () => processesOf(run).length === 0)
})

test('a session that a person stops is recorded as stopped, not failed', async () => {
  const session = await home.startProgram('sh', '-c', 'exec sleep 600')
  expect((await inside(home, ['stop', session.id])).stdout).toContain(`${session.id}: stopped`)
  expect((await inside(home, ['sessions', '--all'])).stdout).toContain('stopped')
})
