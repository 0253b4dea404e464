import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { DaemonClient } from '../../src/cli/daemon-client.js'
import { CLI, waitFor } from '../e2e/harness.js'
import { describeNeeding } from '../support/requirements.js'
import { ClusterUnderTest } from './cluster-under-test.js'

/** A projection in the built program. */
const PROJECTION = /(name: "[a-z.-]+",\s*version: )(\d+)(,\s*types: )/g
const ROOT = dirname(dirname(CLI))

describeNeeding('postgres', 'a cluster whose servers are upgraded one after the other', () => {
  test('serves every request on servers of both versions, and runs each step once', async () => {
    let upgrade = () => {}
    const cluster = await ClusterUnderTest.start('store', {
      workers: 1,
      install(root) {
        const { program, installNew } = installable(root)
        upgrade = installNew
        return program
      },
    })
    try {
      const file = join(cluster.notes, 'steps')
      const names = Array.from({ length: 12 }, (_, n) => `step${n}`)
      const steps = names.map(n => `${n} [shape=parallelogram, tool_command="sleep 0.5; echo ${n} >> ${file}"]`)
      const run = await cluster.startRun(
        () => `digraph g { start [shape=Mdiamond]; done [shape=Msquare]; ask [shape=hexagon, label="Go on?"]
          ${steps.join('\n')}; start -> ${names.slice(0, 6).join(' -> ')} -> ask
          ask -> step6 [label="[Y] Yes"]; ${names.slice(6).join(' -> ')} -> done }`,
      )
      upgrade()
      const session = await startSession(cluster, cluster.servers[0]!)
      for (const [nth, name] of cluster.servers.entries()) {
        const old = cluster.pid(name)
        cluster.signal(name, 'SIGTERM')
        await waitFor(`${name} to start again`, () => cluster.pid(name) !== null && cluster.pid(name) !== old)
        await waitFor(`${name} to answer`, () => cluster.client(name))
        // Servers of both versions show the same, whichever wrote it.
        const next = await startSession(cluster, cluster.servers[(nth + 1) % 3]!)
        for (const at of cluster.servers) {
          const shown = await waitFor(`${at} to show both sessions`, async () => {
            const ids = (await items(await cluster.client(at), '/sessions')).map(({ id }) => id)
            return ids.includes(session) && ids.includes(next)
          })
          expect(shown).toBe(true)
          const client = await waitFor(`${at} to answer`, () => cluster.client(at))
          const sent = await client.post<{ result: string }>(`/sessions/${next}/messages`, { text: `from ${at}` })
          expect(['delivered', 'queued']).toContain(sent.result)
        }
        if (nth === 0) await cluster.answerGate(run, 'Y')
      }
      await waitFor('the run to end', async () =>
        (await cluster.runs()).find(({ id, status }) => id === run && status === 'completed'),
      )
      expect(readFileSync(file, 'utf8').trim().split('\n')).toEqual(names)
      const store = await cluster.openStore()
      expect([await store.check(), await store.checkChain()]).toEqual([[], []])
      await store.close()
    } finally {
      await cluster.close()
    }
  })
})

async function startSession(cluster: ClusterUnderTest, at: string): Promise<string> {
  const client = await waitFor(`${at} to answer`, () => cluster.client(at))
  await waitFor(`a worker at ${at}`, async () => {
    const { items: workers } = await client.get<{ items: { isConnected: boolean; agents: string[] }[] }>('/workers')
    return workers.some(({ isConnected, agents }) => isConnected && agents.includes('demo'))
  })
  const request = { agent: 'demo', args: [], size: null, cwd: cluster.notes, env: null, placement: {} }
  return (await client.post<{ id: string }>('/sessions', request)).id
}

async function items(client: DaemonClient | null, path: string): Promise<{ id: string }[]> {
  return client ? (await client.get<{ items: { id: string }[] }>(path)).items : []
}

/**
 * The program in a directory of its own. `installNew` replaces it by a version that computes every
 * list of documents in another version; processes that run keep the old one.
 */
function installable(root: string): { program: string; installNew(): void } {
  const [old, next] = [copyOf(join(root, 'old')), copyOf(join(root, 'new'))]
  let count = 0
  for (const name of readdirSync(join(next, 'chunks')).filter(each => each.endsWith('.js'))) {
    const path = join(next, 'chunks', name)
    const text = readFileSync(path, 'utf8')
    const raised = text.replace(PROJECTION, (_, before: string, version: string, after: string) => {
      count += 1
      return `${before}${Number(version) + 1}${after}`
    })
    if (raised !== text) writeFileSync(path, raised)
  }
  expect(count).toBeGreaterThan(5)
  const program = join(old, 'cli.js')
  return { program, installNew: () => writeFileSync(program, "import '../../new/dist/cli.js'\n") }
}

function copyOf(directory: string): string {
  mkdirSync(directory)
  for (const name of ['package.json', 'packs', 'dist'])
    cpSync(join(ROOT, name), join(directory, name), {
      recursive: true,
      filter: from => !from.endsWith('.map') && !from.startsWith(join(ROOT, 'dist', 'rooms')),
    })
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(directory, 'node_modules'))
  return join(directory, 'dist')
}
