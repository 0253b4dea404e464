// Many simulated workers: they connect as real ones do, name their sessions, send heartbeats, and
// write the events of the turns of their working sessions. `npm run bench:cluster` starts this file
// as the process of the workers.
import { fork } from 'node:child_process'
import { createPrivateKey, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { newId, systemClock } from '../src/clock/index.js'
import { openHome } from '../src/host/home/index.js'
import type { EventStore, NewEvent, StoredEvent } from '../src/store/index.js'
import { HEARTBEAT_MS, newWorkerKey, type ServerAddress, ServerLinks } from '../src/workers/index.js'
import { WorkerRegistry } from '../src/workers/worker-registry.js'
import type { ClusterUnderTest } from '../test/cluster/cluster-under-test.js'
import { waitFor } from '../test/e2e/harness.js'

/** A turn of an agent: so many events (with those of two requests) in so much time. */
const TURN_EVENTS = 22
const TURN_S = 90

interface SimulatedWorker {
  id: string
  privatePem: string
  sessions: string[]
}

interface Plan {
  workers: SimulatedWorker[]
  servers: ServerAddress[]
  events: NewEvent[]
  share: number
  seconds: number
}

interface Load {
  appends: number
  failures: number
  /** From an append to its answer, in ms, sorted. */
  times: number[]
}

export interface MeasuredLoad extends Load {
  /** Cores that each server used, and the database. */
  servers: number[]
  database: number
  simulator: number
  /** The most appends that waited at one server. */
  waitingMax: number
  connectS: number
}

export async function simulatedLoad(
  cluster: ClusterUnderTest,
  store: EventStore,
  { workers, sessions, share, seconds }: { workers: number; sessions: number; share: number; seconds: number },
): Promise<MeasuredLoad> {
  const { started, events } = await recordedTurn(cluster, store)
  const registry = new WorkerRegistry({ store, clock: systemClock })
  const made: SimulatedWorker[] = []
  for (let n = 0; n < workers; n++) {
    const { privatePem, publicKey } = newWorkerKey()
    const token = await registry.invite({ pool: 'simulated', labels: {}, validMs: 600_000, by: 'bench' })
    const { id } = await registry.join(token, { name: `simulated-${n}`, key: publicKey })
    made.push({ id, privatePem, sessions: [] })
  }
  const starts = Array.from({ length: sessions }, (_, n) => ({ id: newId('ses'), worker: made[n % workers]!, n }))
  const startNext = async () => {
    for (let next = starts.pop(); next; next = starts.pop()) {
      const { id, worker, n } = next
      const data = { ...started, worker: worker.id, number: 1_000 + n }
      await store.append(`session/${id}`, 0, [{ type: 'session.started', data }])
      worker.sessions.push(id)
    }
  }
  await Promise.all(Array.from({ length: 64 }, startNext))
  const servers = cluster.servers.map((name): ServerAddress => {
    const { loaded } = openHome({ env: { ...process.env, SIGNALBOX_HOME: cluster.home(name) } })
    return { id: null, address: `http://127.0.0.1:${loaded.config.server.port}`, pin: null }
  })
  const child = fork(fileURLToPath(import.meta.url), [], { execArgv: ['--import', 'tsx'], serialization: 'advanced' })
  const messages: (Load | 'connected')[] = []
  child.on('message', message => void messages.push(message as Load | 'connected'))
  try {
    const connecting = performance.now()
    child.send({ workers: made, servers, events, share, seconds } satisfies Plan)
    await waitFor('the workers to connect', () => messages.includes('connected'), 600_000)
    const connectS = (performance.now() - connecting) / 1000
    const pids = [...cluster.servers, 'postgres'].map(name => cluster.pid(name)!)
    const before = [...pids, child.pid!].map(cpuSeconds)
    const startedAt = performance.now()
    let waitingMax = 0
    const load = await waitFor(
      'the load to end',
      async () => {
        for (const name of cluster.servers) waitingMax = Math.max(waitingMax, await waitingAt(cluster, name))
        return messages.find(message => message !== 'connected')
      },
      (seconds + 600) * 1000,
    )
    const measuredS = (performance.now() - startedAt) / 1000
    const used = [...pids, child.pid!].map((pid, at) => (cpuSeconds(pid) - before[at]!) / measuredS)
    const [simulator, database, ...others] = [...used].reverse() as [number, number, ...number[]]
    return { ...load, servers: others.reverse(), database, simulator, waitingMax, connectS }
  } finally {
    child.kill('SIGKILL')
  }
}

/** The events that a real session on a worker wrote: they are valid for every simulated one. */
async function recordedTurn(cluster: ClusterUnderTest, store: EventStore) {
  const scenario = join(cluster.notes, 'turn.json')
  const tool = { name: 'Shell', kind: 'shell', command: 'true' }
  writeFileSync(scenario, JSON.stringify({ name: 'turn', turns: [], otherwise: { steps: [{ tool }] } }))
  const how = { agent: 'demo', args: ['--scenario', scenario, '--speed', '20'], placement: { worker: 'worker-1' } }
  const body = { ...how, cwd: cluster.notes, env: null, size: null }
  const { id } = await cluster.ask(client => client.post<{ id: string }>('/sessions', body))
  await waitFor('the prompt to be sent', async () => {
    const send = { text: 'hello' }
    const { result } = await cluster.ask(client => client.post<{ result: string }>(`/sessions/${id}/messages`, send))
    return result === 'delivered'
  })
  const isOver = ({ type }: StoredEvent) => type === 'turn.closed'
  await waitFor('its turn to end', async () => (await store.readStream(`session/${id}`)).some(isOver))
  const [first, ...rest] = await store.readStream(`session/${id}`)
  await cluster.ask(client => client.post(`/sessions/${id}/stop`, {}))
  const events = rest.filter(({ type }) => /^(turn|message|prompt)\.|^session\.phase$/.test(type))
  return { started: first!.data, events: events.map(({ type, data }) => ({ type, data })) }
}

async function waitingAt(cluster: ClusterUnderTest, name: string): Promise<number> {
  const { settings } = openHome({ env: { ...process.env, SIGNALBOX_HOME: cluster.home(name) } })
  const found = await new Promise<string>((resolve, reject) => {
    const headers = { host: 'signalbox' }
    get({ socketPath: settings.daemonSocket, path: '/metrics', headers }, response =>
      text(response).then(resolve, reject),
    ).on('error', reject)
  })
  return Number(/^signalbox_store_appends_waiting (\d+)/m.exec(found)?.[1] ?? Number.NaN)
}

/** With its children: each connection to PostgreSQL is a process. */
function cpuSeconds(pid: number): number {
  const of = (id: number | string, isRoot: boolean) => {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    return (fields[11]! + fields[12]! + (isRoot ? fields[13]! + fields[14]! : 0)) / 100
  }
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return of(pid, true) + children.reduce((sum, child) => sum + of(child, false), 0)
}

// — the process of the workers —

async function simulate({ workers, servers, events, share, seconds }: Plan): Promise<Load> {
  const links = await Promise.all(workers.map((worker, n) => connect(worker, servers, n)))
  const beating = setInterval(() => {
    for (const link of links) link.heartbeat({ steps: 0, isFull: false })
  }, HEARTBEAT_MS)
  process.send!('connected')
  const load: Load = { appends: 0, failures: 0, times: [] }
  const end = performance.now() + seconds * 1000
  const pauseMs = (TURN_S * 1000) / TURN_EVENTS
  await Promise.all(
    workers.flatMap(({ sessions }, at) =>
      sessions.slice(0, Math.round(sessions.length * share)).map(async session => {
        await pause(Math.random() * pauseMs)
        for (let n = 0; performance.now() < end; n++) {
          const startedAt = performance.now()
          const append = { stream: `session/${session}`, expected: 'any', events: [events[n % events.length]] }
          await links[at]!.call('store.append', append).catch(() => load.failures++)
          load.appends++
          load.times.push(performance.now() - startedAt)
          await pause(Math.max(0, pauseMs - (performance.now() - startedAt)))
        }
      }),
    ),
  )
  clearInterval(beating)
  load.times.sort((a, b) => a - b)
  return load
}

/** Resolves when it is connected to all servers. */
function connect({ id, privatePem, sessions }: SimulatedWorker, servers: ServerAddress[], n: number) {
  const boot = randomBytes(8).toString('hex')
  return new Promise<ServerLinks>(resolve => {
    let connected = 0
    const identity = { worker: id, key: createPrivateKey(privatePem) }
    const room = { maxSteps: 20, maxSessions: 100, agents: ['demo'] }
    const link = new ServerLinks({ servers, clock: systemClock, random: Math.random }, identity, {
      greeting: () => ({ boot, version: '0.1.0', ...room, runs: [], sessions }),
      welcome: () => ++connected === servers.length && resolve(link),
      message: () => undefined,
      bytes: () => undefined,
      reached: () => undefined,
      away: () => undefined,
      disconnected: () => undefined,
      servers: () => undefined,
    })
    // As machines that start one after the other.
    setTimeout(() => link.start(), n * 20)
  })
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

if (process.argv[1] === fileURLToPath(import.meta.url) && process.send)
  process.once('message', plan => {
    void simulate(plan as Plan).then(load => process.send!(load, () => process.exit(0)))
  })
