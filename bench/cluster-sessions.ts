// Terminals of sessions on a worker, relayed by a server, beside those of the server itself.
import { performance } from 'node:perf_hooks'
import WebSocket from 'ws'
import type { ClusterUnderTest } from '../test/cluster/cluster-under-test.js'
import { waitFor } from '../test/e2e/harness.js'

const KEYS = 100
/** Echoes each byte at once, and does nothing else. */
const ECHO = ['sh', '-c', 'stty raw -echo; echo ready; exec cat']

interface Worker {
  name: string
  process: { memory: number; cpuS: number } | null
}

/** From a key to its echo at a viewer of the same server, in ms. */
export async function keyTimes(cluster: ClusterUnderTest): Promise<{ direct: number[]; relayed: number[] }> {
  const client = await waitFor('server-1 to answer', () => cluster.client('server-1'))
  const start = async (more: object) => {
    const body = { agent: null, args: ECHO, cwd: cluster.root, env: null, size: null, ...more }
    return (await client.post<{ id: string }>('/sessions', body)).id
  }
  const [direct, relayed] = [await start({}), await start({ placement: {} })]
  const times = { direct: await echoes(client.socketPath, direct), relayed: await echoes(client.socketPath, relayed) }
  for (const id of [direct, relayed]) await client.post(`/sessions/${id}/stop`, {}).catch(() => undefined)
  return times
}

async function echoes(socketPath: string, session: string): Promise<number[]> {
  const socket = new WebSocket(`ws+unix:${socketPath}:/api/v1/panes/${session}/terminal`, 'signalbox.terminal.v1')
  let echoed = ''
  socket.on('message', (data, isBinary) => {
    // What was printed before this viewer came is in the snapshot.
    echoed += isBinary ? String(data) : (JSON.parse(String(data)).data ?? '')
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.send(JSON.stringify({ type: 'hello', want: 'input', cols: 80, rows: 24 }))
  socket.send(JSON.stringify({ type: 'take' }))
  await waitFor('the terminal', () => echoed.includes('ready'), 20_000)
  const times: number[] = []
  for (let n = 0; n < KEYS; n++) {
    echoed = ''
    const startedAt = performance.now()
    socket.send(Buffer.from('k'), { binary: true })
    while (!echoed.includes('k') && performance.now() - startedAt < 5_000)
      await new Promise(resolve => setImmediate(resolve))
    times.push(performance.now() - startedAt)
  }
  socket.close()
  return times
}

/** The share of a core, and the bytes a second to all servers, of a worker whose sessions wait. */
export async function idleWorker(
  cluster: ClusterUnderTest,
  { sessions, seconds }: { sessions: number; seconds: number },
): Promise<{ cpu: number; bytes: number }> {
  const client = await waitFor('server-1 to answer', () => cluster.client('server-1'))
  const body = { agent: null, args: ECHO, cwd: cluster.root, env: null, size: null, placement: { worker: 'worker-3' } }
  const ids: string[] = []
  for (let n = 0; n < sessions; n++) ids.push((await client.post<{ id: string }>('/sessions', body)).id)
  const network = await cluster.behindProxies()
  const used = async () => {
    const { items } = await client.get<{ items: Worker[] }>('/workers')
    return items.find(({ name }) => name === 'worker-3')?.process?.cpuS ?? 0
  }
  const sent = () => [...network.workers.values()].reduce((sum, proxy) => sum + proxy.bytesIn, 0)
  await new Promise(resolve => setTimeout(resolve, 15_000))
  const before = { cpu: await used(), bytes: sent() }
  await new Promise(resolve => setTimeout(resolve, seconds * 1000))
  const after = { cpu: await used(), bytes: sent() }
  for (const id of ids) await client.post(`/sessions/${id}/stop`, {}).catch(() => undefined)
  // The other two workers have no sessions, and send heartbeats only.
  return { cpu: (after.cpu - before.cpu) / seconds, bytes: (after.bytes - before.bytes) / seconds }
}
