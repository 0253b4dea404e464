import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runStream } from '../../src/engine/index.js'
import { waitFor } from '../e2e/harness.js'
import type { ClusterUnderTest } from './cluster-under-test.js'

const MINUTE = 60_000
/** A reading of the store's clock is as exact as its round trip was short. */
const TOLERANCE_MS = 2_000

/** For the processes of a cluster whose clocks a test sets. */
export const SKEWABLE = {
  NODE_OPTIONS: `--import ${fileURLToPath(new URL('../support/skewed-clock.mjs', import.meta.url))}`,
}

interface ListedWorker {
  id: string
  name: string
  state: string
  isConnected: boolean
  clockOffsetMs: number
}

export function testClocks(cluster: () => ClusterUnderTest): void {
  const setClock = (name: string, aheadMs: number) =>
    writeFileSync(join(cluster().home(name), 'clock-offset'), String(aheadMs))
  const workerOf = async (name: string) => {
    const { items } = await cluster().ask(client => client.get<{ items: ListedWorker[] }>('/workers'))
    return items.find(worker => worker.name === name)!
  }

  test('servers four minutes apart and a worker whose clock jumps by ten agree on leases, deadlines and the order of events', async () => {
    const [fast, slow] = cluster().servers as [string, string]
    const [worker] = cluster().named('worker') as [string]
    const [log, go] = [join(cluster().notes, 'clocks'), join(cluster().notes, 'go')]
    const store = await cluster().openStore()
    const [began, head] = [await store.now(), await store.head()]
    try {
      setClock(fast, 2 * MINUTE)
      setClock(slow, -2 * MINUTE)
      for (const name of [fast, slow]) cluster().kill(name)
      for (const name of [fast, slow]) await waitFor(`${name} to answer`, () => cluster().client(name))
      const command = (text: string) => `[shape=parallelogram, rerun=never, tool_command="${text}"]`
      const graph = `digraph g { start [shape=Mdiamond]; exit [shape=Msquare]
        one ${command(`echo begun >> ${log}; while [ ! -e ${go} ]; do sleep 0.1; done; echo one >> ${log}`)}
        two ${command(`echo two >> ${log}`)}
        ask [shape=hexagon, label="Go on?", "human.timeout"="3s", "human.default_choice"="exit"]
        start -> one -> two -> ask; ask -> exit [label="[Y] Yes"] }`
      const placement = { worker }
      const run = await cluster().startRun(() => graph, { server: fast, placement })
      const session = await startSession(cluster(), worker)
      const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
      await waitFor('the step to begin', () => lines().includes('begun'))

      setClock(worker, 10 * MINUTE)
      await waitFor('the servers to notice', async () => (await workerOf(worker)).clockOffsetMs > 9 * MINUTE)
      const later = `digraph g { start [shape=Mdiamond]; exit [shape=Msquare]
        later ${command(`echo later >> ${log}`)}
        start -> later -> exit }`
      const other = await cluster().startRun(() => later, { server: slow, placement })
      const whyOf = (id: string) =>
        cluster().ask(async client => (await client.get<{ why?: string }>(`/runs/${id}`)).why)
      await waitFor('the reason', async () => (await whyOf(other))?.includes('ahead of the store'))

      setClock(worker, -10 * MINUTE)
      await waitFor('the servers to notice', async () => (await workerOf(worker)).clockOffsetMs < -9 * MINUTE)
      await session.say('hello')
      writeFileSync(go, '')
      const isOver = async (id: string) =>
        (await cluster().runs()).some(found => found.id === id && found.status === 'completed')
      await waitFor('the end of the run', () => isOver(run))
      expect(await workerOf(worker)).toMatchObject({ state: 'ready', isConnected: true })
      expect(await isOver(other)).toBe(false)
      setClock(worker, 0)
      await waitFor('the end of the other run', () => isOver(other))
      await session.stop()

      expect(lines()).toEqual(['begun', 'one', 'two', 'later'])
      const ended = await store.now()
      const events = await store.readAll({ after: head, limit: 100_000 })
      const wrong = events.filter(({ at }) => at < began - TOLERANCE_MS || at > ended + TOLERANCE_MS)
      expect(wrong.map(({ type, stream, at }) => `${type} of ${stream}: ${at - began} ms`)).toEqual([])
      const journal = await store.readStream(runStream(run))
      const disordered = journal.filter(({ at }, index) => at < (journal[index - 1]?.at ?? 0) - TOLERANCE_MS)
      expect(disordered.map(({ type }) => type)).toEqual([])
      const [opened, expired] = ['gate.opened', 'gate.expired'].map(type => journal.find(event => event.type === type)!)
      expect(expired!.at - opened!.at).toBeGreaterThanOrEqual(2_900)
      expect(events.filter(({ type }) => ['worker.away', 'worker.lost', 'step.lost'].includes(type))).toEqual([])
    } finally {
      await store.close()
      for (const name of [fast, slow, worker]) rmSync(join(cluster().home(name), 'clock-offset'), { force: true })
    }
  })
}

async function startSession(cluster: ClusterUnderTest, worker: string) {
  const body = { agent: 'demo', args: [], cwd: cluster.notes, env: null, size: null, placement: { worker } }
  const { id } = await cluster.ask(client => client.post<{ id: string }>('/sessions', body))
  return {
    say: (text: string) =>
      waitFor('the message to be taken', () =>
        cluster.ask(async client => {
          const { result } = await client.post<{ result: string }>(`/sessions/${id}/messages`, { text })
          return result === 'delivered'
        }),
      ),
    stop: () => cluster.ask(client => client.post(`/sessions/${id}/stop`, {})),
  }
}
