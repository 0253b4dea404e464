import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { newId } from '../../clock/index.js'
import {
  type Checkpoint,
  checkpointsOf,
  createRun,
  type GraphInput,
  getRun,
  graphOf,
  graphWorkflow,
  plainInput,
  type RunRecord,
  readCheckpoint,
  readRun,
  runStream,
} from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { newEvent } from '../../events/index.js'
import { Git } from '../../git/index.js'
import { type Graph, printDot } from '../../graph/index.js'
import type { EventStore } from '../../store/index.js'
import { createWorkspace } from '../../worktrees/index.js'
import { requireGraphTrust } from '../project-trust.js'
import { driverLabel, type StartContext, type StartedRun, sandboxOf } from '../start-context.js'
import { type LoadedGraph, refuseErrors } from './load-graph.js'
import { hashOfText, titleOf, wantsWorktree, withPromptFiles } from './start-graph.js'

export interface ForkOptions {
  /**
   * The node after which the new run continues: `review` is its last visit, `review@2` the second.
   */
  at: string
  /** Archives the old run. */
  isRewind?: boolean | undefined
  isDetached?: boolean | undefined
}

/**
 * Creates a run that continues after a checkpoint of another run.
 * @throws SignalboxError `E_INPUT`, `E_STATE` for rewinding a run that is running, `E_GRAPH`
 */
export async function forkRun(
  context: StartContext,
  record: RunRecord,
  { at, isRewind = false, isDetached = false }: ForkOptions,
): Promise<StartedRun & { next: string | null }> {
  const { store } = context
  if (record.kind !== 'graph') throw new SignalboxError('E_INPUT', `run ${record.id} is not a graph run`)
  if (isRewind && record.status === 'running')
    throw new SignalboxError('E_STATE', `run ${record.id} is running`, { next: `signalbox cancel ${record.id} first` })
  const { checkpoint } = await findCheckpoint(store, record, at)
  const { workspace, from: _, ...input } = (await readRun(store, record.id, graphWorkflow)).run.work.input
  const { host: _driver, ...labels } = record.labels
  const started = await startAtCheckpoint({ ...context, cwd: record.project }, checkpoint, {
    graph: graphOf({ ...input, workspace, from: null }),
    title: record.title,
    input,
    from: { run: record.id, as: isRewind ? 'rewind' : 'fork' },
    labels,
    driver: isDetached ? 'daemon' : 'caller',
  })
  if (isRewind)
    await store.append(runStream(record.id), 'any', [newEvent('run.archived', { reason: `rewound as ${started.id}` })])
  return { ...started, next: checkpoint.next_node }
}

async function findCheckpoint(store: EventStore, record: RunRecord, at: string): Promise<{ checkpoint: Checkpoint }> {
  const match = /^(\w+)(?:@(\d+))?$/.exec(at)
  if (!match) throw new SignalboxError('E_INPUT', `--at takes node or node@visit, not "${at}"`)
  const [, node, visit] = match
  const found = checkpointsOf(await store.readStream(runStream(record.id)))
  const chosen = found.findLast(entry => entry.node === node && (visit === undefined || entry.visit === Number(visit)))
  if (chosen) return chosen
  throw new SignalboxError('E_INPUT', `run ${record.id} has no checkpoint after "${at}"`, {
    next: `it has: ${found.map(entry => `${entry.node}@${entry.visit}`).join(', ') || 'none'}`,
  })
}

/**
 * Creates a run from an exported checkpoint file and its graph.
 * @throws SignalboxError `E_INPUT`, `E_GRAPH`, `E_UNTRUSTED`
 */
export async function startFromCheckpointFile(
  context: StartContext,
  path: string,
  loaded: LoadedGraph,
  { agent, trust }: { agent?: string | undefined; trust?: string | undefined } = {},
): Promise<StartedRun> {
  if (!existsSync(path)) throw new SignalboxError('E_INPUT', `${path} does not exist`)
  const checkpoint = readCheckpoint(readFileSync(path, 'utf8'), path)
  const { graph, dot, hash, file, trusted } = await trustedGraph(context, loaded, trust)
  return startAtCheckpoint(context, checkpoint, {
    graph,
    title: titleOf(graph, basename(file ?? path)),
    input: {
      ...plainInput(dot, ''),
      file,
      hash,
      agent: agent ?? context.home.loaded.config.oneshot.agent,
      ...(trusted && { trusted }),
    },
    from: null,
    labels: {},
    driver: 'caller',
  })
}

/** A graph without errors, trusted, with its prompt files: what a run keeps of it. */
export async function trustedGraph(context: StartContext, loaded: LoadedGraph, trust: string | undefined) {
  refuseErrors(loaded)
  const trusted = await requireGraphTrust(context, loaded, { trust })
  const graph = withPromptFiles(loaded.parsed.graph, loaded.directory)
  return {
    graph,
    dot: printDot(graph),
    hash: hashOfText(loaded.text),
    file: loaded.path,
    trusted: trusted && Object.values(trusted.files),
  }
}

interface CheckpointRun {
  graph: Graph
  title: string
  input: Omit<GraphInput, 'workspace' | 'from'>
  from: { run: string; as: 'fork' | 'rewind' } | null
  labels: Readonly<Record<string, string>>
  driver: StartedRun['driver']
}

/** The new run takes over the checkpoint's context, outcomes and commit. */
async function startAtCheckpoint(
  { store, home, cwd, person }: StartContext,
  checkpoint: Checkpoint,
  { graph, title, input, from, labels, driver }: CheckpointRun,
): Promise<StartedRun> {
  const { next_node: node, commit } = checkpoint
  if (node === null || !graph.nodes.has(node))
    throw new SignalboxError('E_GRAPH', `the checkpoint continues at "${node ?? 'nothing'}", which the graph lacks`)
  const id = newId('run')
  const git = new Git(cwd)
  const hasCommit = commit !== undefined && (await git.try(['cat-file', '-e', `${commit}^{commit}`])).code === 0
  const workspace = await createWorkspace(home.settings.dataDirectory, {
    cwd,
    id,
    commit: hasCommit ? commit : undefined,
    worktree: wantsWorktree(graph) && input.dryRun === null ? 'if-possible' : 'none',
  })
  const sandbox = from && (await getRun(store, from.run)).sandbox
  const ownLabels = { ...labels, ...driverLabel({ store, home }, driver) }
  await createRun(
    store,
    {
      kind: 'graph',
      title,
      project: (await git.root()) ?? cwd,
      cwd: workspace.path,
      person,
      input: {
        ...input,
        workspace,
        from: {
          node,
          context: checkpoint.context,
          signatures: checkpoint.failure_signatures,
          outcomes: checkpoint.node_outcomes,
          visits: checkpoint.node_visits,
          finished: checkpoint.completed_nodes.map(done => ({
            node: done,
            visit: checkpoint.node_visits[done] ?? 1,
            status: checkpoint.node_outcomes[done] ?? 'success',
            notes: null,
          })),
          threads: checkpoint.threads,
        },
      },
      ...(from && { from }),
      // A copy of a run is not less confined than the run.
      ...(sandbox ? { sandbox } : sandboxOf(home, undefined)),
      ...(Object.keys(ownLabels).length > 0 && { labels: ownLabels }),
    },
    store.clock.now(),
    id,
  )
  const isLost = commit !== undefined && !hasCommit
  const notices = isLost
    ? [`commit ${commit.slice(0, 12)} of the checkpoint is not in this repository; the run starts from HEAD`]
    : []
  return { id, home, driver, notices }
}
