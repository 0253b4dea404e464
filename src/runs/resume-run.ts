import { existsSync, readFileSync } from 'node:fs'
import {
  type GraphInput,
  type GraphWork,
  graphOf,
  graphWorkflow,
  isLiveNode,
  type Limits,
  MAIN,
  RunDrivers,
  type RunRecord,
  readRun,
  recordResume,
  runStream,
} from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import { Git } from '../git/index.js'
import type { Graph } from '../graph/index.js'
import { canResume, oneshotWorkflow } from '../oneshot/index.js'
import { isPipelineRun } from '../pipelines/index.js'
import { trustedGraph } from './graphs/checkpoints.js'
import type { LoadedGraph } from './graphs/load-graph.js'
import { hashOfText } from './graphs/start-graph.js'
import { resumeChildren } from './pause-run.js'
import { readPipeline } from './pipelines/pipeline-runs.js'
import type { StartContext, StartedRun } from './start-context.js'
import { requireDirectory, requireTakeOver, takeOver } from './take-over.js'

export interface ResumeOptions {
  /** A graph run continues with this graph instead of its own. */
  graph?: LoadedGraph | undefined
  trust?: string | undefined
  /** A graph run continues with its own graph even if the DOT file has changed since. */
  keepsGraph?: boolean | undefined
  /** A oneshot: how many iterations it may have in total. */
  maxIterations?: number | undefined
  /** A oneshot: new limits. */
  limits?: Limits | undefined
  /** Who resumes it, for the journal. */
  by?: string | undefined
}

/**
 * Makes a paused or failed run ready to continue where it stopped. A queued run needs nothing.
 * @throws SignalboxError `E_INPUT` if there is nothing to resume, `E_CONFIG` if its directory is
 * gone or moved, `E_GRAPH` if its DOT file has changed.
 */
export async function resumeRun(
  context: StartContext,
  record: RunRecord,
  options: ResumeOptions = {},
): Promise<StartedRun> {
  const driver =
    record.kind === 'oneshot'
      ? await resumeOneshot(context, record, options)
      : isPipelineRun(record)
        ? await resumePipeline(context, record, options)
        : await resumeGraph(context, record, options)
  await resumeChildren(context.store, record.id, options.by ?? 'local')
  // The daemon may have picked it up already; without a daemon the caller drives it.
  const isPickedUp = await new RunDrivers(context.store, context.clock).isPickedUp(record)
  return { id: record.id, home: context.home, driver: isPickedUp ? 'daemon' : driver, notices: [] }
}

/**
 * Resumes a run in the daemon, also one that was started in a terminal if its process has ended.
 * @throws SignalboxError `E_STATE` if a terminal still drives it, only a terminal can, or it has
 * ended.
 */
export async function resumeInDaemon(context: StartContext, record: RunRecord, by: string): Promise<void> {
  const isTerminals = record.labels.host !== 'daemon'
  if (isTerminals && (await new RunDrivers(context.store, context.clock).isHeld(record.id)))
    throw new SignalboxError('E_STATE', 'a process in a terminal is still running it', {
      next: 'continue there, or end that process and resume the run here',
    })
  if (['completed', 'rejected', 'cancelled'].includes(record.status))
    throw new SignalboxError('E_STATE', `run ${record.id} is ${record.status}: there is nothing to resume`, {
      next: 'start a new run',
    })
  if (isTerminals) await requireTakeOver(context.store, record)
  await resumeRun(context, record, { keepsGraph: true, by })
  if (isTerminals) await takeOver(context, record, by)
}

async function resumePipeline(
  { store, home }: StartContext,
  record: RunRecord,
  { by = 'local' }: ResumeOptions,
): Promise<StartedRun['driver']> {
  refuseEnded(record, 'start a new one')
  // Reads the run before anything is written: a run that cannot be read stays as it is.
  await readPipeline(store, home.settings.dataDirectory, record)
  await recordResume(store, record.id, { by })
  return 'caller'
}

async function resumeGraph(
  context: StartContext,
  record: RunRecord,
  { graph, trust, keepsGraph = false, by = 'local' }: ResumeOptions,
): Promise<StartedRun['driver']> {
  const { store } = context
  refuseEnded(record, `signalbox fork ${record.id} --at <node> creates a new run from one of its checkpoints`)
  const { work } = (await readRun(store, record.id, graphWorkflow)).run
  requireDirectory(record)
  const isLive = record.labels.host === 'daemon' && hasLiveNode(work)
  if (isLive) await context.requireDaemon()
  if (!graph && !keepsGraph) refuseChanged(record, work.input)
  const changes = graph ? await changesOf(context, work, graph, trust) : undefined
  await recordResume(store, record.id, { by, ...(changes && { changes }) })
  return isLive ? 'daemon' : 'caller'
}

/** Agents in terminals need the daemon, which keeps the terminals. */
function hasLiveNode({ input, graph }: GraphWork): boolean {
  return input.dryRun === null && [...graph.nodes.values()].some(isLiveNode)
}

async function changesOf(
  context: StartContext,
  work: GraphWork,
  loaded: LoadedGraph,
  trust: string | undefined,
): Promise<Record<string, unknown>> {
  const { graph, dot, hash, file, trusted } = await trustedGraph(context, loaded, trust)
  const { node } = work.cursors.get(MAIN)!
  if (!graph.nodes.has(node))
    throw new SignalboxError('E_GRAPH', `the run is at "${node}", and ${loaded.name} has no such node`)
  return { dot, hash, file, ...(trusted && { trusted }) }
}

/** The person decides whether to continue with the changed file. */
function refuseChanged(record: RunRecord, input: GraphInput): void {
  if (input.file === null || !existsSync(input.file)) return
  const text = readFileSync(input.file, 'utf8')
  if (hashOfText(text) === input.hash) return
  const change = describeChange(graphOf(input), graphOf({ ...input, dot: text }))
  throw new SignalboxError('E_GRAPH', `${input.file} has changed since run ${record.id} started: ${change}`, {
    next: `signalbox resume ${record.id} --graph ${input.file} continues with the changed file`,
  })
}

/** Added, removed and changed nodes: `+b -a ~c`. */
function describeChange(before: Graph, now: Graph): string {
  const attributes = (graph: Graph, id: string) =>
    JSON.stringify([...graph.nodes.get(id)!.attributes].map(([key, { value }]) => [key, value]).sort())
  const added = [...now.nodes.keys()].filter(id => !before.nodes.has(id))
  const removed = [...before.nodes.keys()].filter(id => !now.nodes.has(id))
  const changed = [...now.nodes.keys()].filter(
    id => before.nodes.has(id) && attributes(before, id) !== attributes(now, id),
  )
  const parts = [...added.map(id => `+${id}`), ...removed.map(id => `-${id}`), ...changed.map(id => `~${id}`)]
  return parts.length === 0 ? 'the same nodes, but other edges or attributes' : parts.slice(0, 20).join(' ')
}

async function resumeOneshot(
  context: StartContext,
  record: RunRecord,
  { maxIterations, limits = {}, by = 'local' }: ResumeOptions,
): Promise<StartedRun['driver']> {
  const { store } = context
  const { work } = (await readRun(store, record.id, oneshotWorkflow)).run
  requireDirectory(record)
  await checkHead(context, record, work.input.base)
  const isLive = record.labels.host === 'daemon' && work.input.isLive
  if (isLive) await context.requireDaemon()
  if (work.state === 'REJECTED')
    throw new SignalboxError('E_REJECTED', `the auditor judged this task impossible: ${work.reason ?? ''}`, {
      next: 'start a new run with a changed task',
    })
  if (work.state === 'COMPLETED' || record.status === 'cancelled') refuseEnded(record, 'start a new run')
  const most = maxIterations ?? work.input.maxIterations
  const allowed = { ...work, input: { ...work.input, maxIterations: most } }
  if ((work.state === 'FAILED' || work.state === 'INTERRUPTED') && !canResume(allowed))
    throw new SignalboxError('E_INPUT', `all ${most} iterations are used up`, {
      next: `allow more: signalbox oneshot --resume ${record.id} --max-iterations ${work.iteration + 1}`,
    })
  if (Object.keys(limits).length > 0)
    await store.append(runStream(record.id), 'any', [newEvent('budget.raised', { limits, by })])
  await recordResume(store, record.id, { by, changes: { maxIterations: most } })
  return isLive ? 'daemon' : 'caller'
}

/**
 * A oneshot continues on commits that descend from the one it started at, unless the person agrees.
 */
async function checkHead({ asker }: StartContext, { id, cwd }: RunRecord, base: string | null): Promise<void> {
  const git = new Git(cwd)
  const head = await git.head()
  if (base === null || head === null || head === base || (await git.isAncestor(base, head))) return
  const moved = `${cwd} is at ${head.slice(0, 12)}, which does not descend from ${base.slice(0, 12)}, where run ${id} started`
  if (await asker?.confirm(`${moved}. Continue anyway?`)) return
  throw new SignalboxError('E_CONFIG', moved, {
    next: `git switch to a commit that descends from ${base.slice(0, 12)}`,
  })
}

function refuseEnded({ id, status }: RunRecord, next: string): void {
  if (['completed', 'rejected', 'cancelled'].includes(status))
    throw new SignalboxError('E_INPUT', `run ${id} is ${status}: there is nothing to resume`, { next })
}
