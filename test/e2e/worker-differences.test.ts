import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { GraphHome } from './graph-home.js'
import { type SessionInfo, type TestHome, waitFor } from './harness.js'
import { kill, WorkerSite } from './worker-site.js'

let site: WorkerSite<GraphHome>
let server: GraphHome
let machine: TestHome

beforeEach(async () => {
  server = new GraphHome()
  site = new WorkerSite(server)
  await site.serve()
  machine = await site.joined('first')
})
afterEach(() => site.close())

/** What doctor says of workers: the level, the message, and what to do. */
async function findings(): Promise<string[]> {
  const { stdout } = await server.run(['doctor', '--json'])
  const all = JSON.parse(stdout) as { check: string; level: string; message: string; next?: string }[]
  return all
    .filter(({ check }) => check === 'workers')
    .map(({ level, message, next }) => `${level}: ${message}${next === undefined ? '' : ` → ${next}`}`)
    .sort()
}

const startSession = () =>
  server.json<SessionInfo>(['start', 'demo', '--json', '--on', 'first', '--cwd', machine.work, '--', '--speed', '5'])

/** The files of the store; the server does not run. */
function copyStore(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(to)) if (name.startsWith('signalbox.db')) rmSync(join(to, name))
  for (const name of readdirSync(from)) if (name.startsWith('signalbox.db')) cpSync(join(from, name), join(to, name))
}

it('doctor says that workers and the log agree, and why one cannot be asked', async () => {
  const working = await site.work(machine, 'first')
  const { id } = await startSession()
  expect(await findings()).toEqual(['ok: first and the log agree about 1 session and 0 steps'])
  await server.ok(['stop', id])
  await kill(working)
  await waitFor('the worker to be away', async () => (await site.worker('first'))?.isConnected === false)
  expect(await findings()).toEqual([
    expect.stringMatching(
      /^note: first was not compared with the log: worker first is away since .* → signalbox workers/,
    ),
  ])
})

it('doctor lists what a worker has and a restored log does not, and the reverse, and what to do', async () => {
  const working = await site.work(machine, 'first')
  const kept = await startSession()
  const [data, backup] = [server.path('data'), join(server.directory, 'backup')]
  await site.killServer()
  copyStore(data, backup)
  await site.serve()
  await waitFor('the worker', async () => (await site.worker('first'))?.isConnected)

  const later = await startSession()
  server.graph('one [shape=parallelogram, tool_command="echo one > one.txt"]; start -> one -> exit')
  server.commit('graph')
  const trust = await server.trust('flow.dot')
  const { run } = await server.json<{ run: string }>([
    'run',
    'flow.dot',
    '--detach',
    '--json',
    ...trust,
    '--on',
    'first',
  ])
  await waitFor(
    'the run',
    async () => (await server.json<{ status: string }>(['show', run, '--json'])).status === 'completed',
  )
  await server.ok(['stop', kept.id])
  await site.killServer()
  copyStore(backup, data)
  await site.serve()
  await waitFor('the worker again', async () => (await site.worker('first'))?.isConnected)

  const left = [
    `warning: first has a recording of session ${later.id}: no event knows it → on first: signalbox replay <data directory>/worker/recordings/${later.id}.cast, then remove the file`,
    `warning: first has the files of run ${run}: no event knows it → on first: keep what you need of <data directory>/workspaces/${run}, then remove it`,
  ]
  const missing = `warning: session ${kept.id} runs on first in the log, and first does not have it → restart signalbox worker on first: the session is then lost, and signalbox resume ${kept.id} continues it`
  // The worker ends the session that no event knows as soon as it is connected.
  expect(await waitFor('the session to end', async () => (await findings()).length === 3 && findings())).toEqual(
    [...left, missing].sort(),
  )
  expect(existsSync(join(machine.home, 'data', 'worker', 'recordings', `${later.id}.cast`))).toBe(true)
  expect(existsSync(join(machine.home, 'data', 'workspaces', run))).toBe(true)

  await kill(working)
  await site.work(machine, 'first')
  await waitFor('the session to be lost', async () => (await server.session(kept.id)).state === 'lost')
  expect(await findings()).toEqual([...left].sort())
  await machine.ok(['replay', join(machine.home, 'data', 'worker', 'recordings', `${later.id}.cast`)])
})
