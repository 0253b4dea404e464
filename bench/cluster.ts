// `npm run bench:cluster [-- --only step,appends --quick]`: a cluster of separate processes on this
// machine: PostgreSQL, three servers with a node of Restate each, three workers. Prints each
// measure beside its bar; asserts nothing. Measures the build.
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { runStream } from '../src/engine/index.js'
import { openHome } from '../src/host/home/index.js'
import type { EventStore, StoredEvent } from '../src/store/index.js'
import { ClusterUnderTest } from '../test/cluster/cluster-under-test.js'
import { killStorm } from '../test/cluster/kill-storm.js'
import { waitFor } from '../test/e2e/harness.js'
import { appends } from './cluster-appends.js'
import { decisionTimes, feedTimes } from './cluster-decisions.js'
import { timerDelays, wakeTimes, wipeEngine } from './cluster-engine.js'
import { simulatedLoad } from './cluster-load.js'
import { idleWorker, keyTimes } from './cluster-sessions.js'
import { median, STEPS, stepTimes } from './cluster-step.js'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    engine: { type: 'string', default: 'restate' },
    /** A twentieth of the load: shows that everything works, and measures nothing. */
    quick: { type: 'boolean', default: false },
  },
})
const scaled = (count: number) => (values.quick ? Math.ceil(count / 20) : count)
const isWanted = (name: string) => !values.only || values.only.split(',').includes(name)
const print = (name: string, text: string, bar: string) =>
  console.log(`${name.padEnd(44)} ${text.padEnd(52)} bar ${bar} [load ${loadavg()[0]!.toFixed(1)}]`)
const ms = (value: number | undefined) => `${(value ?? Number.NaN).toFixed(value! < 10 ? 2 : 0)} ms`
const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

if (values.quick) console.log('QUICK: a twentieth of each load; these are not measurements')
const cluster = await ClusterUnderTest.start(values.engine, { workers: 3 })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cluster.close().then(() => process.exit(1)))
try {
  const { settings } = openHome({ env: { ...process.env, SIGNALBOX_HOME: cluster.home('server-1') } })
  const shared = settings.sharedStore!
  const database = { url: shared.url, password: readFileSync(shared.passwordFile!, 'utf8').trim() }
  const store = await cluster.openStore()
  if (isWanted('step')) await step(database)
  if (isWanted('appends')) await measureAppends(database)
  if (isWanted('worker')) await workerSteps(store)
  if (isWanted('wake')) await wakeUp(store)
  if (isWanted('decisions')) await decisions()
  if (isWanted('sessions')) await sessions()
  if (isWanted('timers')) await timers(store)
  if (isWanted('rebuild') && values.engine === 'restate') await rebuild(store)
  if (isWanted('failover')) await failover()
  if (isWanted('load')) await load(store)
  await store.close()
} finally {
  await cluster.close()
}

async function step(database: { url: string; password: string }): Promise<void> {
  const { postgres, sqlite, langgraph } = await stepTimes(database)
  const ratio = `${(postgres / sqlite).toFixed(1)} × SQLite (${ms(sqlite)})`
  print('a step of the driver on PostgreSQL', `${ms(postgres)}, ${ratio}`, '≤ 3 ×')
  if (langgraph !== null)
    print(
      'LangGraph.js on PostgreSQL, the same step',
      `${ms(langgraph)}: ${(langgraph / postgres).toFixed(1)} × slower`,
      '≥ 2 ×',
    )
  if (langgraph === null || values.engine !== 'restate') return
  // Restate wakes a run; its steps follow from each other in the process that drives it.
  const woken = postgres + median(await wakeTimes(cluster, scaled(100))) / STEPS
  const slower = `LangGraph.js is ${(langgraph / woken).toFixed(1)} × slower`
  print('a step on PostgreSQL + Restate, 200 per run', `${ms(woken)} with the wake-up; ${slower}`, '≥ 2 ×')
}

async function measureAppends(database: { url: string; password: string }): Promise<void> {
  const one = await appends(database, { hosts: 1, lanes: 1, seconds: 3 })
  print('append, 1 writer', `p50 ${ms(at(one.times, 0.5))}, ${one.perSecond.toFixed(0)}/s`, 'p50 ≤ 3 ms')
  const many = await appends(database, { hosts: 3, lanes: 50, seconds: 5 })
  const text = `${many.perSecond.toFixed(0)}/s, p99 ${ms(at(many.times, 0.99))}`
  print('appends, 3 hosts × 50 lanes', text, '≥ 2 000/s, p99 < 250 ms')
  const beside = await appends(database, { hosts: 2, lanes: 4, seconds: 13, stoppedS: 10 })
  const late = `p99 ${ms(at(beside.times, 0.99))}, longest ${ms(beside.times.at(-1))}`
  print('appends while another host is stopped for 10 s', late, 'p99 < 1 s')
}

function chain(steps: number): string {
  const names = Array.from({ length: steps }, (_, n) => `s${n + 1}`)
  const nodes = names.map(name => `${name} [shape=parallelogram, tool_command="true"]`)
  return `digraph g { start [shape=Mdiamond] done [shape=Msquare] ${nodes.join(' ')} start -> ${names.join(' -> ')} -> done }`
}

async function ended(ids: readonly string[]): Promise<void> {
  await waitFor(
    'the runs to end',
    async () => {
      const found = new Map((await cluster.runs()).map(run => [run.id, run.status]))
      return ids.every(id => found.get(id) === 'completed')
    },
    600_000,
  )
}

function startsOf(journal: readonly StoredEvent[]): number[] {
  return journal.filter(({ type }) => type === 'step.started').map(event => event.at)
}

/** Each step is a shell that does nothing, so its process is part of the time. */
async function workerSteps(store: EventStore): Promise<void> {
  const one = await cluster.startRun(() => chain(100))
  await ended([one])
  const starts = startsOf(await store.readStream(runStream(one)))
  const times = starts
    .slice(1)
    .map((start, n) => start - starts[n]!)
    .sort((a, b) => a - b)
  print('step to step over server and worker', `p50 ${ms(at(times, 0.5))}, p95 ${ms(at(times, 0.95))}`, 'p50 ≤ 25 ms')
  const startedAt = performance.now()
  const ids = await Promise.all(Array.from({ length: 20 }, () => cluster.startRun(() => chain(50))))
  await ended(ids)
  const journals = await Promise.all(ids.map(id => store.readStream(runStream(id))))
  const all = journals.flatMap(startsOf).sort((a, b) => a - b)
  const seconds = (all.at(-1)! - all[0]!) / 1000
  const whole = `${((performance.now() - startedAt) / 1000).toFixed(1)} s with creating them`
  print('the same, 20 runs at once', `${(all.length / seconds).toFixed(0)} steps/s, ${whole}`, '≥ 50 steps/s')
}

/** From the answer of a gate to the next step: the run is parked, and the engine must wake it. */
async function wakeUp(store: EventStore): Promise<void> {
  if (values.engine === 'restate') {
    const alone = await wakeTimes(cluster, scaled(200))
    const text = `p50 ${ms(at(alone, 0.5))}, p95 ${ms(at(alone, 0.95))}`
    print('wake-up by the engine alone', text, 'p50 ≤ 10 ms')
  }
  const graph = `digraph g { start [shape=Mdiamond] done [shape=Msquare] g [shape=hexagon, label="Go on?"]
    s [shape=parallelogram, tool_command="true"] start -> g g -> s [label="[Y] Yes"] s -> done }`
  const times: number[] = []
  for (let n = 0; n < 30; n++) {
    const id = await cluster.startRun(() => graph)
    await cluster.answerGate(id, 'Y')
    await ended([id])
    const journal = await store.readStream(runStream(id))
    const answered = journal.find(({ type }) => type === 'gate.answered')
    const next = journal.find(({ position, type }) => position > answered!.position && type === 'step.started')
    times.push(next!.at - answered!.at)
  }
  times.sort((a, b) => a - b)
  print('answer of a gate to the next step', `p50 ${ms(at(times, 0.5))}, p95 ${ms(at(times, 0.95))}`, '–')
}

async function decisions(): Promise<void> {
  const times = await decisionTimes(cluster, 40)
  print(
    'decision, 4 askers at 3 servers, same request',
    `p50 ${ms(at(times, 0.5))}, p95 ${ms(at(times, 0.95))}`,
    'p95 < 100 ms',
  )
  const feed = await feedTimes(cluster, 40)
  print('decision to the feed of another server', `p50 ${ms(at(feed, 0.5))}, p95 ${ms(at(feed, 0.95))}`, 'p95 < 300 ms')
}

async function sessions(): Promise<void> {
  const { direct, relayed } = await keyTimes(cluster)
  const text = `direct p50 ${ms(median(direct))}, relayed p50 ${ms(median(relayed))}`
  print('key to echo in a terminal', text, '≤ + 10 ms')
  const idle = await idleWorker(cluster, { sessions: 50, seconds: 20 })
  print(
    'worker with 50 idle sessions',
    `${(idle.cpu * 100).toFixed(1)} % of a core, ${(idle.bytes / 1000).toFixed(1)} kB/s`,
    '< 5 %, < 10 kB/s',
  )
}

async function load(store: EventStore): Promise<void> {
  const size = { workers: scaled(200), sessions: scaled(10_000), share: 0.3, seconds: values.quick ? 10 : 60 }
  const { appends: count, failures, times, ...rest } = await simulatedLoad(cluster, store, size)
  const cores = rest.servers.map(share => share.toFixed(2)).join(', ')
  print('200 workers, 10 000 sessions at 30 %', `cores of the servers ${cores}`, '< 2 each')
  print('the same: appends that wait at a server', `at most ${rest.waitingMax}`, '< 200')
  const failed = failures > 0 ? `, ${failures} FAILED` : ''
  const answered = `p50 ${ms(at(times, 0.5))}, p99 ${ms(at(times, 0.99))}`
  print('the same: appends', `${(count / size.seconds).toFixed(0)}/s, ${answered}${failed}`, '730/s are wanted')
  const others = `PostgreSQL ${rest.database.toFixed(2)}, the simulated workers ${rest.simulator.toFixed(2)} cores`
  print('the same: beside them', `${others}; connected in ${rest.connectS.toFixed(0)} s`, '–')
}

async function timers(store: EventStore): Promise<void> {
  const late = await timerDelays(cluster, store, { count: scaled(5_000), spreadS: scaled(200) })
  const text = `late p50 ${ms(at(late, 0.5))}, p99 ${ms(at(late, 0.99))}`
  print('5 000 timers, due over 200 s', text, 'p99 < 2 s')
}

/** What servers do after their engine restarted without its data. */
async function rebuild(store: EventStore): Promise<void> {
  const { runs, seconds } = await wipeEngine(cluster, store, scaled(1_000))
  print('engine wiped and rebuilt', `${runs} open runs in ${seconds.toFixed(1)} s`, '1 000 in ≤ 30 s')
}

const GAPS: Record<string, string> = {
  nothing: 'without a kill',
  engine: 'each node of the engine killed',
  machine: 'a server and its node killed',
  server: 'a server killed',
  paused: 'a server paused for 9 s',
  postgres: 'PostgreSQL killed',
  worker: 'a worker killed',
}

async function failover(): Promise<void> {
  const nodes = values.engine === 'restate' ? ['engine-1', 'engine-2', 'engine-3', 'machine'] : []
  const kinds = [...nodes, 'server', 'paused', 'postgres', 'worker']
  const size = { runs: scaled(50), steps: 60, pauseS: values.quick ? 1 : 4, rounds: 1 }
  const { gaps, violations, started } = await killStorm(cluster, { ...size, kills: kinds, say: () => undefined })
  print('50 live runs, each part killed once', `${started} commands, ${violations.length} lost or twice`, '0')
  for (const [kind, all] of gaps) {
    const sorted = [...all].sort((a, b) => a - b)
    const bar = kind === 'nothing' ? '–' : kind === 'worker' ? '≤ lost_after + 5 s' : '≤ 5 s'
    const text = `p50 ${ms(at(sorted, 0.5))}, p95 ${ms(at(sorted, 0.95))}, longest ${ms(sorted.at(-1))}`
    print(`gap: ${GAPS[kind] ?? kind}`, text, bar)
  }
}
