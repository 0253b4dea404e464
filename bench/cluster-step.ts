// One durable step in one process: Signalbox on PostgreSQL and on SQLite, LangGraph.js on the same
// PostgreSQL, in turns.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import type { EventStore } from '../src/store/index.js'
import { buildRooms } from './build-rooms.js'
// @ts-expect-error: plain JavaScript, shared with a program that runs from the build
import { benchRun, benchWorkflow, changesOf, stateOf } from './engine-workflow.mjs'

/** Steps of each run. */
export const STEPS = 200
const ROUNDS = 5
const BYTES = 2_000
/**
 * Versions that fit together: the newest of each do not always, and npm does not find them by
 * itself.
 */
const PACKAGES = [
  '@langchain/langgraph@1.4.18',
  '@langchain/langgraph-sdk@1.12.0',
  '@langchain/langgraph-checkpoint@1.1.5',
  '@langchain/langgraph-checkpoint-postgres@1.0.4',
  '@langchain/core@1.2.13',
  'zod@4.2.0',
]

export interface Database {
  url: string
  password: string
}

const { approvals, clock, engine, events, store: storeRoom } = await buildRooms()
const { systemClock } = clock

/** Milliseconds of a step, the median of all rounds; null for LangGraph.js if it cannot be had. */
export async function stepTimes(
  database: Database,
): Promise<{ postgres: number; sqlite: number; langgraph: number | null }> {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-cluster-'))
  const sqlite = await open({ path: join(directory, 'bench.db') })
  const postgres = await open({ url: `${database.url}?schema=bench_step`, password: database.password })
  const theirs = await langgraph(database)
  const times = { sqlite: [] as number[], postgres: [] as number[], langgraph: [] as number[] }
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = {
      sqlite: await timed(() => run(sqlite)),
      postgres: await timed(() => run(postgres)),
      langgraph: theirs ? await timed(theirs.run) : 0,
    }
    // The first round is a warm-up.
    if (round > 0) for (const key of ['sqlite', 'postgres', 'langgraph'] as const) times[key].push(measured[key])
  }
  await theirs?.close()
  await sqlite.close()
  await postgres.close()
  rmSync(directory, { recursive: true, force: true })
  const { sqlite: file, postgres: shared, langgraph: other } = times
  return { sqlite: median(file), postgres: median(shared), langgraph: theirs && median(other) }
}

export async function open(place: { path: string } | { url: string; password: string }): Promise<EventStore> {
  return storeRoom.openStore({
    ...place,
    clock: systemClock,
    projections: [engine.runsProjection, approvals.approvalsProjection],
    validate: events.validateEvent,
    onError: (error: unknown) => console.error(error),
  } as never)
}

async function run(store: EventStore): Promise<void> {
  const id = await engine.createRun(store, benchRun(BYTES, STEPS), systemClock.now())
  const lease = await store.acquireLease(engine.runStream(id), 'bench', { ttlMs: 600_000 })
  if (!lease.isAcquired) throw new Error('the run is held')
  const work = {
    run: async ({ step }: { step: string }) => ({
      status: 'ok' as const,
      result: changesOf(BYTES, 'one', Number(step.slice('work@'.length, step.indexOf('#')))),
    }),
  }
  const end = await new engine.Driver({
    store,
    run: id,
    workflow: benchWorkflow,
    performers: { work: work as never },
    lease,
    clock: systemClock,
    random: Math.random,
    park: false,
    durability: 'full',
    onError: error => console.error(error),
  }).drive()
  if (end.state !== 'ended') throw new Error(`the run is ${end.state}`)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / STEPS
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

async function langgraph({
  url,
  password,
}: Database): Promise<{ run(): Promise<void>; close(): Promise<void> } | null> {
  const place = installed()
  if (place === null) return null
  const require = createRequire(join(place, 'package.json'))
  const load = (name: string) => import(pathToFileURL(require.resolve(name)).href)
  const [{ StateGraph, START, END, Annotation }, { PostgresSaver }] = await Promise.all([
    load('@langchain/langgraph'),
    load('@langchain/langgraph-checkpoint-postgres'),
  ])
  const place2 = new URL(url)
  place2.password = password
  const saver = PostgresSaver.fromConnString(place2.href, { schema: 'bench_langgraph' })
  await saver.setup()
  const channels: Record<string, unknown> = { n: Annotation() }
  for (const key of Object.keys(stateOf(BYTES))) channels[key] = Annotation()
  const graph = new StateGraph(Annotation.Root(channels))
    .addNode('work', ({ n }: { n: number }) => ({ n: n + 1, ...changesOf(BYTES, 'one', n + 1) }))
    .addEdge(START, 'work')
    .addConditionalEdges('work', ({ n }: { n: number }) => (n < STEPS ? 'work' : END))
    .compile({ checkpointer: saver })
  let threads = 0
  return {
    run: async () => {
      const configurable = { thread_id: `thread ${++threads}` }
      await graph.invoke({ n: 0, ...stateOf(BYTES) }, { configurable, recursionLimit: STEPS + 10, durability: 'sync' })
    },
    close: () => saver.end(),
  }
}

/** The packages in a directory of their own; null, with a message, if they cannot be installed. */
function installed(): string | null {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  const place = join(cache, 'signalbox-bench', 'langgraph-postgres')
  const isThere = () => existsSync(join(place, 'node_modules', '@langchain', 'langgraph-checkpoint-postgres'))
  if (isThere()) return place
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), '{"private":true}\n')
  const args = ['install', '--legacy-peer-deps', '--no-audit', '--no-fund', ...PACKAGES]
  const { stderr } = spawnSync('npm', args, { cwd: place, encoding: 'utf8', timeout: 600_000 })
  if (isThere()) return place
  console.log(`LangGraph.js COULD NOT BE INSTALLED, no comparison: ${stderr.trim().split('\n').at(-1)}`)
  return null
}
