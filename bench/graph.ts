// `npm run bench:graph`: the cost of large graphs, and a run of 1 000 no-op nodes compared with
// LangGraph.js and its SQLite checkpointer, in the same process, in turns, at the same durability.
//   nodes  a chain of 1 000 no-op nodes, a checkpoint after each; FULL and NORMAL; bar: ≥ 3 ×
//   read   a graph of 10 000 nodes and 20 000 edges, parsed and validated; bar: < 1 s
//   draw   the same graph as a picture; bar: a picture, in time
// `npm run bench:engine` installs LangGraph outside the project. Measures the build. Prints,
// asserts nothing.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import { buildRooms } from './build-rooms.js'

const { approvals, clock, engine, events, graph: graphRoom, runs, store: storeRoom } = await buildRooms()
const { approvalsProjection } = approvals
const { systemClock } = clock
const { createRun, Driver, graphWorkflow, plainInput, runStream, runsProjection } = engine
const { validateEvent } = events
const { lintParsed, parseDot } = graphRoom
const { drawSvg } = runs
const { openStore } = storeRoom

const NODES = Number(process.env.BENCH_NODES ?? 1_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)

type Durability = 'full' | 'normal'
interface Engine {
  run(): Promise<void>
  close(): Promise<void>
}

const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-graph-'))
const print = (name: string, text: string) => console.log(`${name.padEnd(28)} ${text}`)

function chain(nodes: number): string {
  const names = Array.from({ length: nodes }, (_, at) => `n${at}`)
  return `digraph { graph [max_steps=100000]; node [type=noop]; start [shape=Mdiamond, type=start]; exit [shape=Msquare, type=exit]; start -> ${names.join(' -> ')} -> exit }`
}

async function ours(durability: Durability): Promise<Engine> {
  const store = await openStore({
    path: join(directory, `ours ${durability}.db`),
    clock: systemClock,
    projections: [runsProjection, approvalsProjection] as never,
    validate: validateEvent,
    onError: error => console.error(error),
  })
  const noop = { run: async () => ({ status: 'ok' as const, result: { status: 'success' } }) }
  const input = {
    ...plainInput(chain(NODES), directory),
    handlers: { file: '', types: ['noop'] },
  }
  return {
    close: () => store.close(),
    async run() {
      const about = { kind: 'graph', title: 'bench', project: directory, cwd: directory, person: 'local' }
      const run = await createRun(store, { ...about, input }, systemClock.now())
      const lease = await store.acquireLease(runStream(run), 'bench', { ttlMs: 600_000 })
      if (!lease.isAcquired) throw new Error('the run is held')
      const end = await new Driver({
        store,
        run,
        workflow: graphWorkflow,
        performers: { 'graph.noop': noop },
        lease,
        clock: systemClock,
        random: Math.random,
        park: false,
        durability,
        onError: error => console.error(error),
      }).drive()
      if (end.state !== 'ended' || end.status !== 'completed') throw new Error(`the run is ${JSON.stringify(end)}`)
    },
  }
}

/** Null, with a message, if it is not installed. */
async function langgraph(): Promise<((durability: Durability) => Promise<Engine>) | null> {
  const place = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'signalbox-bench', 'langgraph')
  if (!existsSync(join(place, 'node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node'))) {
    print('LangGraph.js', 'NOT INSTALLED, no comparison: npm run bench:engine installs it')
    return null
  }
  const require = createRequire(join(place, 'package.json'))
  const load = (name: string) => import(pathToFileURL(require.resolve(name)).href)
  const [{ StateGraph, START, END, Annotation }, { SqliteSaver }] = await Promise.all([
    load('@langchain/langgraph'),
    load('@langchain/langgraph-checkpoint-sqlite'),
  ])
  const Database = require('better-sqlite3')
  return async durability => {
    const database = new Database(join(directory, `theirs ${durability}.db`))
    const saver = new SqliteSaver(database)
    const graph = new StateGraph(Annotation.Root({ n: Annotation() }))
    for (let at = 0; at < NODES; at++) graph.addNode(`n${at}`, () => ({ n: at }))
    graph.addEdge(START, 'n0')
    for (let at = 1; at < NODES; at++) graph.addEdge(`n${at - 1}`, `n${at}`)
    graph.addEdge(`n${NODES - 1}`, END)
    const compiled = graph.compile({ checkpointer: saver })
    await saver.getTuple({ configurable: { thread_id: 'none' } })
    database.pragma(`synchronous = ${durability.toUpperCase()}`)
    let threads = 0
    return {
      async close() {
        database.close()
      },
      async run() {
        const configurable = { thread_id: `thread ${++threads}` }
        await compiled.invoke({ n: 0 }, { configurable, recursionLimit: NODES + 10, durability: 'sync' })
      },
    }
  }
}

async function timed(engine: Engine): Promise<number> {
  const start = performance.now()
  await engine.run()
  return performance.now() - start
}

async function compare(durability: Durability, theirs: Awaited<ReturnType<typeof langgraph>>): Promise<void> {
  const [a, b] = [await ours(durability), theirs && (await theirs(durability))]
  const times = { ours: 0, theirs: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    times.ours += await timed(a)
    if (b) times.theirs += await timed(b)
  }
  await a.close()
  await b?.close()
  const rate = (ms: number) => ((NODES * ROUNDS * 1_000) / ms).toFixed(0)
  const other = b ? `, theirs ${rate(times.theirs)}/s: ${(times.theirs / times.ours).toFixed(1)} × (bar 3)` : ''
  print(`${NODES} nodes, ${durability.toUpperCase()}`, `${rate(times.ours)} nodes/s${other}`)
}

/** A wide and deep graph: a thousand rows of ten nodes. */
function large(): string {
  const lines = ['digraph {', 'start [shape=Mdiamond]; exit [shape=Msquare]']
  for (let at = 0; at < 10_000; at++) {
    lines.push(`n${at} [label="Node ${at}", prompt="Do part ${at} of the work"]`)
    if (at > 0) lines.push(`n${at - 1} -> n${at} [condition="outcome=success"]`)
    if (at >= 10) lines.push(`n${at} -> n${at - 10} [condition="outcome=fail"]`)
  }
  return `${lines.join('\n')}\nstart -> n0\nn9999 -> exit\n}\n`
}

async function measureLarge(): Promise<void> {
  const dot = large()
  const limits = { bytes: 1e9, nodes: 1e6, edges: 1e6, label: 4_096 }
  const times: number[] = []
  let parsed = parseDot(dot, { limits })
  for (let round = 0; round < 3; round++) {
    const start = performance.now()
    parsed = parseDot(dot, { limits })
    lintParsed(parsed)
    times.push(performance.now() - start)
  }
  const { nodes, edges } = parsed.graph
  print(
    'read and validate',
    `${nodes.size} nodes, ${edges.length} edges: ${times.map(time => time.toFixed(0)).join(', ')} ms (bar 1000)`,
  )
  const start = performance.now()
  const { svg, why } = await drawSvg(parsed.graph, {})
  print(
    'draw',
    `${(svg.length / 1e6).toFixed(1)} MB in ${(performance.now() - start).toFixed(0)} ms${why === null ? '' : `, plainly: ${why}`}`,
  )
}

try {
  await measureLarge()
  const theirs = await langgraph()
  for (const durability of ['full', 'normal'] as const) await compare(durability, theirs)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
