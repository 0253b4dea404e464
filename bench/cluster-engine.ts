// What the engine of a cluster does alone: wakes, timers, and coming back without its data.
import { rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { newId } from '../src/clock/index.js'
import { runStream } from '../src/engine/index.js'
import { HANDLER, OBJECT } from '../src/engine/restate/turn-endpoint.js'
import { openHome } from '../src/host/home/index.js'
import type { EventStore, StoredEvent } from '../src/store/index.js'
import type { ClusterUnderTest } from '../test/cluster/cluster-under-test.js'
import { waitFor } from '../test/e2e/harness.js'

const EMPTY = 'digraph g { start [shape=Mdiamond] done [shape=Msquare] start -> done }'

/**
 * From a message at the ingress of a node until a server has answered the call that follows from
 * it, in ms, sorted: the whole way through the engine, for a run that needs no turn.
 */
export async function wakeTimes(cluster: ClusterUnderTest, count: number): Promise<number[]> {
  const { loaded, settings } = openHome({ env: { ...process.env, SIGNALBOX_HOME: cluster.home('server-1') } })
  const socketPath = join(settings.dataDirectory, 'engine', loaded.config.engine.node!, 'ingress.sock')
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now()
    const path = `/${OBJECT}/run_bench${n}/${HANDLER}`
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { 'content-type': 'application/json' }
      const asking = request({ socketPath, path, method: 'POST', headers }, response => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0))
      })
      asking.on('error', reject)
      asking.end('{}')
    })
    if (status >= 300) throw new Error(`the engine answered ${status}`)
    times.push(performance.now() - startedAt)
  }
  return times.sort((a, b) => a - b)
}

/** Copies of a run of this graph that start at these times. */
async function copies(cluster: ClusterUnderTest, store: EventStore, startsAt: readonly number[]): Promise<string[]> {
  const [created] = await store.readStream(runStream(await cluster.startRun(() => EMPTY)))
  const ids: string[] = []
  const left = [...startsAt]
  const createNext = async () => {
    for (let startAt = left.pop(); startAt !== undefined; startAt = left.pop()) {
      const id = newId('run')
      await store.append(runStream(id), 0, [{ type: 'run.created', data: { ...created!.data, startAt } }])
      ids.push(id)
    }
  }
  await Promise.all(Array.from({ length: 64 }, createNext))
  return ids
}

/** How late each of many runs starts whose times are spread over some seconds, in ms, sorted. */
export async function timerDelays(
  cluster: ClusterUnderTest,
  store: EventStore,
  { count, spreadS }: { count: number; spreadS: number },
): Promise<number[]> {
  const first = Date.now() + 60_000
  const startsAt = Array.from({ length: count }, (_, n) => Math.round(first + (n / count) * spreadS * 1000))
  const late: number[] = []
  const position = await store.head()
  const wanted = new Set(await copies(cluster, store, startsAt))
  const due = new Map<string, number>()
  const take = ({ stream, type, data, at }: StoredEvent) => {
    const id = stream.slice('run/'.length)
    if (type === 'run.created') due.set(id, data.startAt as number)
    if (type !== 'run.started' || !wanted.delete(id)) return
    late.push(at - due.get(id)!)
  }
  const types = ['run.created', 'run.started']
  const subscription = store.subscribe({ after: position, types }, events => events.forEach(take))
  await waitFor('all runs to start', () => wanted.size === 0, (spreadS + 900) * 1000)
  subscription.close()
  return late.sort((a, b) => a - b)
}

/**
 * Kills every node, deletes what it has on disk, and asks for a rebuild until the engine has taken
 * every open run again.
 */
export async function wipeEngine(
  cluster: ClusterUnderTest,
  store: EventStore,
  count: number,
): Promise<{ runs: number; seconds: number }> {
  const tomorrow = Date.now() + 86_400_000
  const ids = await copies(
    cluster,
    store,
    Array.from({ length: count }, () => tomorrow),
  )
  const startedAt = performance.now()
  for (const name of cluster.servers) {
    const { loaded, settings } = openHome({ env: { ...process.env, SIGNALBOX_HOME: cluster.home(name) } })
    cluster.kill(name.replace('server', 'engine'))
    rmSync(join(settings.dataDirectory, 'engine', loaded.config.engine.node!), { recursive: true, force: true })
  }
  const runs = await waitFor(
    'the engine to be rebuilt',
    async () => {
      const client = await cluster.client('server-1')
      const asked = client?.post<{ runs: number }>('/engine/rebuild', {})
      return (await asked?.catch(() => null))?.runs
    },
    300_000,
  )
  const seconds = (performance.now() - startedAt) / 1000
  const cancel = ids.map(id => ({ id, event: { type: 'run.cancelled', data: { reason: 'end of the benchmark' } } }))
  for (const { id, event } of cancel) await store.append(runStream(id), 'any', [event])
  return { runs, seconds }
}
