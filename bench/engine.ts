// `npm run bench:engine`: the cost of a durable step, compared with LangGraph.js and its SQLite
// checkpointer in the same process, in turns.
//   steps   1 000 steps with a checkpoint each; state 2 kB and 50 kB, all keys or one changed;
//           bars: ≥ 3 × at FULL, ≥ 8 × at NORMAL, ≥ 5 × at NORMAL with 50 kB and all keys
//           CPU time besides, which a busy machine hardly changes
//   bytes   growth of the file a step; bars: ≤ 1/2 (2 kB), 1/3 (50 kB all), 1/10 (50 kB one)
//   resume  spawn to the first new step after kill -9 at step 500; bar: < 400 ms, at most one step
//           again
//   length  what step 5 000 costs against step 50; bar: ≤ 1.2 ×
// LangGraph is installed outside the project, in the user's cache directory. Measures the build.
// Prints, asserts nothing. BENCH_ONLY='50 kB, all keys, NORMAL': this case alone.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { EventStore } from '../src/store/index.js'
import { buildRooms } from './build-rooms.js'
// @ts-expect-error: plain JavaScript, shared with a program that runs from the build
import { benchRun, benchWorkflow, changesOf, stateOf } from './engine-workflow.mjs'

const STEPS = Number(process.env.BENCH_STEPS ?? 1_000)
const ROUNDS = 4
const only = process.env.BENCH_ONLY
/** Versions that fit together: the newest of each do not always. */
const PACKAGES = [
  '@langchain/langgraph@1.4.18',
  '@langchain/langgraph-checkpoint-sqlite@1.0.4',
  '@langchain/core@1.2.13',
  '@langchain/langgraph-checkpoint@1.1.5',
  'zod@4.6.7',
]
/** Its client names a version of this one that npm does not always have. */
const PACKAGE = { private: true, overrides: { '@langchain/protocol': '0.0.19' } }
const { directory: rooms, approvals, clock, engine, events, store: storeRoom } = await buildRooms()
const { approvalsProjection } = approvals
const { systemClock } = clock
const { createRun, Driver, runStream, runsProjection } = engine
const { validateEvent } = events
const { loadDriver, openStore } = storeRoom

type Which = 'all' | 'one'
type Durability = 'full' | 'normal'
interface Case {
  bytes: number
  which: Which
  durability: Durability
}
/** Runs some steps of a case, with a checkpoint after each. */
interface Engine {
  run(steps: number): Promise<void>
  close(): Promise<void>
  path: string
}

const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-engine-'))
const print = (name: string, text: string) => console.log(`${name.padEnd(28)} ${text}`)

async function ours({ bytes, which, durability }: Case, name: string): Promise<Engine> {
  const path = join(directory, `${name}.db`)
  const store = await connect(path)
  const work = {
    run: async ({ step }: { step: string }) => ({
      status: 'ok' as const,
      result: changesOf(bytes, which, Number(step.slice('work@'.length, step.indexOf('#')))),
    }),
  }
  return {
    path,
    close: () => store.close(),
    async run(steps) {
      const run = await createRun(store, benchRun(bytes, steps), systemClock.now())
      await drive(store, run, work, durability)
    },
  }
}

function connect(path: string): Promise<EventStore> {
  return openStore({
    path,
    clock: systemClock,
    projections: [runsProjection, approvalsProjection] as never,
    validate: validateEvent,
    onError: error => console.error(error),
  })
}

async function drive(store: EventStore, run: string, work: object, durability: Durability): Promise<void> {
  const lease = await store.acquireLease(runStream(run), 'bench', { ttlMs: 600_000 })
  if (!lease.isAcquired) throw new Error('the run is held')
  const end = await new Driver({
    store,
    run,
    workflow: benchWorkflow,
    performers: { work: work as never },
    lease,
    clock: systemClock,
    random: Math.random,
    park: false,
    durability,
    onError: error => console.error(error),
  }).drive()
  if (end.state !== 'ended') throw new Error(`the run is ${end.state}`)
}

/** The packages in a separate directory; null, with a message, if they cannot be installed. */
function installed(): string | null {
  const place = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'signalbox-bench', 'langgraph')
  mkdirSync(place, { recursive: true })
  if (!existsSync(join(place, 'node_modules'))) writeFileSync(join(place, 'package.json'), JSON.stringify(PACKAGE))
  const binary = join(place, 'node_modules', 'better-sqlite3')
  const isBuilt = () => existsSync(join(binary, 'build', 'Release', 'better_sqlite3.node'))
  if (isBuilt()) return place
  print('LangGraph.js', `installing into ${place}`)
  const npm = (cwd: string, ...args: string[]) => spawnSync('npm', args, { cwd, encoding: 'utf8', timeout: 600_000 })
  // The peers are named: npm takes many minutes to work them out by itself.
  const result = npm(place, 'install', '--legacy-peer-deps', '--no-audit', '--no-fund', ...PACKAGES)
  // Newer versions of npm do not run install scripts of packages by default; the database needs its
  // script.
  if (result.status === 0 && !isBuilt()) npm(binary, 'run', 'install')
  if (isBuilt()) return place
  print('LangGraph.js', `COULD NOT BE INSTALLED, no comparison: ${result.stderr.trim().split('\n').at(-1)}`)
  return null
}

async function langgraph(place: string) {
  const require = createRequire(join(place, 'package.json'))
  const load = (name: string) => import(pathToFileURL(require.resolve(name)).href)
  const [{ StateGraph, START, END, Annotation }, { SqliteSaver }] = await Promise.all([
    load('@langchain/langgraph'),
    load('@langchain/langgraph-checkpoint-sqlite'),
  ])
  const Database = require('better-sqlite3')
  return async ({ bytes, which, durability }: Case, name: string): Promise<Engine> => {
    const path = join(directory, `${name}.db`)
    const database = new Database(path)
    const saver = new SqliteSaver(database)
    const channels: Record<string, unknown> = { n: Annotation() }
    for (const key of Object.keys(stateOf(bytes))) channels[key] = Annotation()
    let limit = 0
    let threads = 0
    const graph = new StateGraph(Annotation.Root(channels))
      .addNode('work', ({ n }: { n: number }) => ({ n: n + 1, ...changesOf(bytes, which, n + 1) }))
      .addEdge(START, 'work')
      .addConditionalEdges('work', ({ n }: { n: number }) => (n < limit ? 'work' : END))
      .compile({ checkpointer: saver })
    return {
      path,
      async close() {
        database.pragma('wal_checkpoint(TRUNCATE)')
        database.close()
      },
      async run(steps) {
        limit = steps
        const options = {
          configurable: { thread_id: `thread ${++threads}` },
          recursionLimit: steps + 10,
          durability: 'sync',
        }
        // The saver sets its own mode when it is first used.
        if (threads === 1) await saver.getTuple({ configurable: { thread_id: 'none' } })
        database.pragma(`synchronous = ${durability.toUpperCase()}`)
        await graph.invoke({ n: 0, ...stateOf(bytes) }, options)
      },
    }
  }
}

interface Spent {
  ms: number
  cpuMs: number
}

async function timed(engine: Engine, steps: number, spent: Spent): Promise<void> {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  await engine.run(steps)
  const { user, system } = process.cpuUsage(cpu)
  spent.ms += performance.now() - start
  spent.cpuMs += (user + system) / 1_000
}

/** The size of the file with the write-ahead log folded back: what a step adds on disk. */
async function sizeOf(engine: Engine): Promise<number> {
  await engine.close()
  const database = new (await loadDriver())(engine.path, {})
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return statSync(engine.path).size
}

async function compare(of: Case, theirs: ((of: Case, name: string) => Promise<Engine>) | null): Promise<void> {
  const name = `${of.bytes / 1_000} kB, ${of.which === 'all' ? 'all keys' : 'one key'}, ${of.durability.toUpperCase()}`
  if (only !== undefined && name !== only) return
  const [a, b] = [await ours(of, `ours ${name}`), theirs && (await theirs(of, `theirs ${name}`))]
  const times = { ours: { ms: 0, cpuMs: 0 }, theirs: { ms: 0, cpuMs: 0 } }
  await a.run(20)
  await b?.run(20)
  for (let round = 0; round < ROUNDS; round++) {
    await timed(a, STEPS / ROUNDS, times.ours)
    if (b) await timed(b, STEPS / ROUNDS, times.theirs)
  }
  const rate = ({ ms }: Spent) => (STEPS * 1_000) / ms
  const cpu = ({ cpuMs }: Spent) => `${(cpuMs / STEPS).toFixed(2)} ms`
  const [bytes, theirBytes] = [(await sizeOf(a)) / (STEPS + 20), b && (await sizeOf(b)) / (STEPS + 20)]
  const { ours: own, theirs: other } = times
  const speed = b ? `, theirs ${rate(other).toFixed(0)}/s: ${(other.ms / own.ms).toFixed(1)} ×` : ''
  const busy = b ? `, theirs ${cpu(other)}: ${(other.cpuMs / own.cpuMs).toFixed(1)} ×` : ''
  const size = theirBytes ? `, theirs ${theirBytes.toFixed(0)}: 1/${(theirBytes / bytes).toFixed(1)}` : ''
  print(name, `${rate(own).toFixed(0)} steps/s${speed} · CPU ${cpu(own)}${busy} · ${bytes.toFixed(0)} bytes${size}`)
}

/** Kills a host at step 500 and lets another one take over. */
async function measureResume(): Promise<void> {
  const script = fileURLToPath(new URL('./engine-host.mjs', import.meta.url))
  const times: number[] = []
  let again = 0
  for (let round = 0; round < 5; round++) {
    const args = [script, rooms, join(directory, `resume-${round}.db`), 'run_bench', '600']
    const first = await until(args, n => n >= 500)
    const start = performance.now()
    const second = await until(args, n => n >= first.last)
    times.push(performance.now() - start)
    again = Math.max(again, first.last - second.first + 1)
  }
  times.sort((x, y) => x - y)
  print(
    'resume after kill -9',
    `${times.map(time => time.toFixed(0)).join(', ')} ms to the first new step (bar 400 ms)`,
  )
  print('', `${again} step repeated at most (bar 1)`)
}

/** Runs a host until a step, then kills it. */
function until(args: string[], isReached: (n: number) => boolean): Promise<{ first: number; last: number }> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const seen: number[] = []
    createInterface({ input: child.stdout }).on('line', line => {
      seen.push(Number(line))
      if (isReached(Number(line))) child.kill('SIGKILL')
    })
    child.on('close', () => resolve({ first: seen[0]!, last: seen.at(-1)! }))
  })
}

/**
 * One long run: the store grows, the cost of a step must not. Steps in a new store are measured in
 * turns with the steps around the 5 000th, so that both run under the same load.
 */
async function measureLength(): Promise<void> {
  const [early, late]: [number[], number[]] = [[], []]
  const store = await connect(join(directory, 'long.db'))
  let fresh = 0
  const short = async () =>
    early.push(...(await costs(await connect(join(directory, `short-${fresh++}.db`)), 80)).slice(40, 60))
  const between = (n: number) => (n >= 4_900 && n <= 5_000 && n % 20 === 0 ? short() : undefined)
  late.push(...(await costs(store, 5_100, between)).slice(4_900, 5_000))
  await store.close()
  const median = (values: number[]) => values.sort((x, y) => x - y)[Math.floor(values.length / 2)]!
  print(
    'step 5 000 against step 50',
    `${median(late).toFixed(3)} ms against ${median(early).toFixed(3)} ms: ${(median(late) / median(early)).toFixed(2)} × (bar 1.2)`,
  )
}

/** The cost of each step of a run: from its end to the start of the next. */
async function costs(store: EventStore, steps: number, between?: (n: number) => unknown): Promise<number[]> {
  const found: number[] = []
  let ended = Number.NaN
  const work = {
    run: async ({ step }: { step: string }) => {
      const n = Number(step.slice('work@'.length, step.indexOf('#')))
      found.push(performance.now() - ended)
      await between?.(n)
      const result = changesOf(2_000, 'all', n)
      ended = performance.now()
      return { status: 'ok' as const, result }
    },
  }
  await drive(store, await createRun(store, benchRun(2_000, steps), systemClock.now()), work, 'normal')
  return found
}

try {
  const place = installed()
  const theirs = place === null ? null : await langgraph(place)
  for (const durability of ['full', 'normal'] as const)
    for (const [bytes, which] of [
      [2_000, 'all'],
      [2_000, 'one'],
      [50_000, 'all'],
      [50_000, 'one'],
    ] as const)
      await compare({ bytes, which, durability }, theirs)
  if (only === undefined) {
    await measureResume()
    await measureLength()
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
