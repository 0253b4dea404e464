import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSampleProject } from '../../agents/index.js'
import { delay, systemClock } from '../../clock/index.js'
import { EXIT } from '../../errors/index.js'
import type { LoginLink, Page, Run } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'
import { seed, startRun, stopAll, writeScenarios } from '../demo/dashboard-demo.js'
import { Cluster } from './cluster.js'
import type { ClusterProcess } from './cluster-process.js'

const SERVERS = 3
/** Runs that are kept alive, so that there is always something to see. */
const LIVE_RUNS = 4
const REFILL_MS = 2_000

export interface ClusterDemoOptions {
  directory: string
  engine: string
  workers: number
  speed: number
  isJson: boolean
  /** Without agents and runs. */
  isEmpty: boolean
}

/** A cluster on this machine with scripted agents, and how to kill each of its parts. */
export async function runClusterDemo(context: CommandContext, options: ClusterDemoOptions): Promise<number> {
  const { directory, isJson, engine } = options
  const scenarios = writeScenarios(join(directory, 'scenarios'))
  const agentEnv = {
    SIGNALBOX_DEMO_HOME: join(directory, 'agent'),
    SIGNALBOX_DEMO_SCENARIO: scenarios('graph-nodes'),
    SIGNALBOX_DEMO_SPEED: String(options.speed),
  }
  let isReady = false
  const cluster = new Cluster(context, {
    directory,
    engine,
    servers: SERVERS,
    workers: options.workers,
    agentEnv,
    clock: systemClock,
    note: text => void (isJson || context.out(context.style('dim', text))),
    onChange: (part, what) => {
      if (isReady) printChange(context, part, what, isJson)
    },
  })
  const ended = new Promise<void>(resolve => {
    // A second Ctrl-C must not end this process before its parts.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
  // A reader of the output that goes away ends this process at once: nothing may stay behind.
  process.once('exit', () => cluster.kill())
  try {
    await cluster.start()
    isReady = true
    await announce(context, cluster, options)
    if (options.isEmpty) await ended
    else await Promise.race([ended, live(cluster, { directory, scenarios, speed: options.speed }, ended)])
  } finally {
    if (!isJson) context.out(context.style('dim', '\nstopping …'))
    const client = await cluster.client()
    if (client) await stopAll(client)
    await cluster.stop()
  }
  return EXIT.ok
}

function printChange(
  { out, json, style }: CommandContext,
  part: ClusterProcess,
  what: 'started' | 'ended',
  isJson: boolean,
): void {
  if (isJson) return json({ part: part.name, is: what, pid: part.pid })
  out(what === 'ended' ? style('red', `${part.name} is gone`) : style('green', `${part.name} is back, pid ${part.pid}`))
}

async function announce(
  { out, json, style }: CommandContext,
  cluster: Cluster,
  { directory, isJson, engine }: ClusterDemoOptions,
): Promise<void> {
  const links: string[] = []
  for (const { context } of cluster.servers) {
    const { DaemonClient } = await import('../daemon-client.js')
    const client = await DaemonClient.running(context)
    if (client) links.push((await client.post<LoginLink>('/auth/links', {})).url)
  }
  const parts = [...cluster.parts.map(({ name, pid }) => ({ name, pid })), ...cluster.nodes()]
  const homes = Object.fromEntries(
    [...cluster.servers, ...cluster.workers].map(({ part, home }) => [part.name, home] as const),
  )
  if (isJson) return json({ directory, engine, parts, homes, links, pid: process.pid })
  out(style('bold', 'A cluster on this machine') + style('dim', `  engine: ${engine}; scripted agents; no key`))
  out('')
  for (const [at, link] of links.entries()) out(`  server-${at + 1}  ${style('bold', link)}`)
  out('')
  out('Every server shows everything. Kill any part and watch the dashboard of another server:')
  for (const { name, pid } of parts) out(`  kill -9 ${String(pid).padEnd(8)} ${style('dim', name)}`)
  out('')
  out(style('dim', 'Each comes back after 3 s. Commands of a server, for example:'))
  out(style('dim', `  SIGNALBOX_HOME=${cluster.servers[0]!.home} signalbox workers`))
  out(style('dim', `Logs: ${directory}/*.log. Ctrl-C stops everything.`))
}

/** The sessions of the demo on the first server, and runs on the workers that never run out. */
async function live(
  cluster: Cluster,
  { directory, scenarios, speed }: { directory: string; scenarios(name: string): string; speed: number },
  ended: Promise<void>,
): Promise<void> {
  const projects = {
    shop: await createSampleProject(directory, 'shop'),
    timetable: await createSampleProject(directory, 'timetable'),
  }
  const ending = new AbortController()
  void ended.then(() => ending.abort())
  const [first] = cluster.servers
  const client = await cluster.client()
  if (first && client) await seed(client, first.context, { scenarios, projects, speed }, ending.signal)
  const notes = join(directory, 'notes')
  for (let round = 1; !ending.signal.aborted; ) {
    const at = await cluster.client()
    if (at && (await liveRuns(at)) < LIVE_RUNS) await startRun(at, roundTrip(round++, notes), projects.shop, {})
    await Promise.race([delay(systemClock, REFILL_MS), ended])
  }
}

async function liveRuns(client: DaemonClient): Promise<number> {
  const path = '/runs?limit=200&status=running&status=queued'
  const page = await client.get<Page<Run>>(path).catch(() => null)
  return page?.items.length ?? LIVE_RUNS
}

/** A run of short steps, each of which writes a line: one that is done twice would be seen. */
function roundTrip(round: number, notes: string): string {
  writeFileSync(notes, '', { flag: 'a' })
  const steps = Array.from({ length: 20 }, (_, at) => `s${at + 1}`)
  const nodes = steps.map(
    step =>
      `${step} [shape=parallelogram, label="Stop ${step.slice(1)}", tool_command="echo ${round} ${step} >> ${notes}; sleep 2"]`,
  )
  return `digraph round { graph [goal="Round trip ${round}"] start [shape=Mdiamond] done [shape=Msquare]
  ${nodes.join('\n  ')}
  start -> ${steps.join(' -> ')} -> done
}
`
}
