// Decisions at several servers of a cluster.
import { get } from 'node:http'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { DaemonClient } from '../src/cli/daemon-client.js'
import type { ClusterUnderTest } from '../test/cluster/cluster-under-test.js'
import { waitFor } from '../test/e2e/harness.js'

interface Gate {
  id: string
  state: string
  fingerprint: string
  display: { hash: string }
}

const GRAPH = `digraph g { start [shape=Mdiamond] done [shape=Msquare] g [shape=hexagon, label="Go on?"]
  start -> g g -> done [label="[Y] Yes"] g -> done [label="[N] No"] }`

async function openGates(cluster: ClusterUnderTest, count: number): Promise<Gate[]> {
  const gates: Gate[] = []
  for (let n = 0; n < count; n++) {
    const run = await cluster.startRun(() => GRAPH)
    gates.push(
      await waitFor('its gate', async () => {
        const { items } = await cluster.ask(client => client.get<{ items: Gate[] }>(`/approvals?run=${run}`))
        return items.find(({ state }) => state === 'pending')
      }),
    )
  }
  return gates
}

async function clients(cluster: ClusterUnderTest): Promise<DaemonClient[]> {
  return Promise.all(cluster.servers.map(name => waitFor(`${name} to answer`, () => cluster.client(name))))
}

const decide = (client: DaemonClient, { id, fingerprint, display }: Gate, option: string) =>
  client.post(`/approvals/${id}/decision`, {
    option,
    fingerprint,
    seen: { displayHash: display.hash, whole: true },
    surface: 'cli',
  })

/** How long each of four askers waits for the answer about the same request, in ms, sorted. */
export async function decisionTimes(cluster: ClusterUnderTest, count: number): Promise<number[]> {
  const [servers, gates] = [await clients(cluster), await openGates(cluster, count)]
  const times: number[] = []
  for (const gate of gates)
    await Promise.all(
      [0, 1, 2, 3].map(async n => {
        const startedAt = performance.now()
        await decide(servers[n % servers.length]!, gate, n % 2 === 0 ? 'Y' : 'N').catch(() => undefined)
        times.push(performance.now() - startedAt)
      }),
    )
  return times.sort((a, b) => a - b)
}

/** From the decision at one server to its event in the feed of another one, in ms, sorted. */
export async function feedTimes(cluster: ClusterUnderTest, count: number): Promise<number[]> {
  const [first] = await clients(cluster)
  const gates = await openGates(cluster, count)
  const seen = new Map<string, number>()
  const socketPath = join(cluster.home('server-2'), 'run', 'signalbox.sock')
  const request = get({ socketPath, path: '/api/v1/events' }, response => {
    response.setEncoding('utf8')
    response.on('data', (text: string) => {
      if (!text.includes('approval.decided')) return
      for (const { id } of gates) if (text.includes(id) && !seen.has(id)) seen.set(id, performance.now())
    })
  })
  request.on('error', () => undefined)
  await waitFor('the feed', () => request.socket?.readyState === 'open')
  const times: number[] = []
  for (const gate of gates) {
    const startedAt = performance.now()
    await decide(first!, gate, 'Y')
    await waitFor('its event', () => seen.has(gate.id), 10_000)
    times.push(seen.get(gate.id)! - startedAt)
  }
  request.destroy()
  return times.sort((a, b) => a - b)
}
