import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { newId, systemClock } from '../../clock/index.js'
import {
  type Checkpoint,
  createRun,
  type GraphInput,
  graphOf,
  graphWorkflow,
  isLiveNode,
  MAIN,
  type RunRecord,
  readCheckpoint,
  readRun,
  resumeRun,
} from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { type Graph, printDot } from '../../graph/index.js'
import type { Home } from '../../host/home/index.js'
import { isPipelineRun } from '../../pipelines/index.js'
import { titleOf, withPromptFiles } from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import { refuseErrors } from '../commands/run.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { resumePipeline } from '../pipelines/resume-pipeline.js'
import { findRunFor, withStore } from '../runs/open-runs.js'
import type { CommandInput } from '../specs/command-spec.js'
import { driveGraph, followGraph } from './drive-graph.js'
import { newWorkspace } from './new-workspace.js'
import { readGraph } from './read-graph.js'
import { requireTrust } from './require-trust.js'

/** Goes on with a run, whatever its kind, or with the checkpoint of one that another machine exported. */
export async function resumeRunOrCheckpoint(
  context: CommandContext,
  word: string,
  { options, rest }: CommandInput,
): Promise<number> {
  if (word.endsWith('.json')) return resumeCheckpoint(context, word, options)
  const kind = await withStore(context, async store => (await findRunFor(context, store, word)).kind)
  if (kind === 'oneshot') {
    const { run } = await import('../commands/oneshot.js')
    return run(context, { args: {}, options: { ...options, resume: word }, rest })
  }
  return withStore(context, async (store, home) => {
    const record = await findRunFor(context, store, word)
    if (isPipelineRun(record)) return resumePipeline(context, store, home, record, options)
    const isLive = await hasTerminals(store, record)
    if (isLive) await DaemonClient.connect(context)
    await prepareGraph(context, store, home, record, options)
    return (isLive ? followGraph : driveGraph)(context, store, home, record.id, options)
  })
}

/** Agents of it work in terminals, which the daemon keeps. */
async function hasTerminals(store: EventStore, record: RunRecord): Promise<boolean> {
  if (record.labels.host !== 'daemon') return false
  const { work } = (await readRun(store, record.id, graphWorkflow)).run
  return work.input.dryRun === null && [...work.graph.nodes.values()].some(isLiveNode)
}

async function prepareGraph(
  context: CommandContext,
  store: EventStore,
  home: Home,
  record: RunRecord,
  options: Record<string, unknown>,
): Promise<void> {
  if (['completed', 'rejected', 'cancelled'].includes(record.status))
    throw new SignalboxError('E_INPUT', `run ${record.id} is ${record.status}: there is nothing to resume`, {
      next: `signalbox fork ${record.id} --at <node> makes a new run from one of its checkpoints`,
    })
  const { work } = (await readRun(store, record.id, graphWorkflow)).run
  if (!existsSync(work.input.workspace.path))
    throw new SignalboxError('E_CONFIG', `the directory of run ${record.id} is gone: ${work.input.workspace.path}`, {
      next: 'bring it back, or start a new run',
    })
  const changes = options.graph === undefined ? null : await newGraph(context, store, home, options)
  if (changes) {
    const next = work.cursors.get(MAIN)!.node
    if (!changes.graph.nodes.has(next))
      throw new SignalboxError('E_GRAPH', `the run stands at "${next}", and ${String(options.graph)} has no such node`)
  } else refuseChanged(record, work.input)
  await resumeRun(store, record.id, {
    by: 'local',
    ...(changes && {
      changes: {
        dot: changes.dot,
        hash: changes.hash,
        file: changes.file,
        ...(changes.trusted && { trusted: changes.trusted }),
      },
    }),
  })
}

/** The file is not what the run began with: going on with either is a person's decision. */
function refuseChanged(record: RunRecord, input: GraphInput): void {
  if (input.file === null || !existsSync(input.file)) return
  const text = readFileSync(input.file, 'utf8')
  if (createHash('sha256').update(text).digest('hex') === input.hash) return
  const now = graphOf({ ...input, dot: text })
  const before = graphOf(input)
  throw new SignalboxError(
    'E_GRAPH',
    `${input.file} has changed since run ${record.id} began: ${difference(before, now)}`,
    {
      next: `signalbox resume ${record.id} --graph ${input.file} goes on with the file as it is now`,
    },
  )
}

function difference(before: Graph, now: Graph): string {
  const gone = [...before.nodes.keys()].filter(id => !now.nodes.has(id))
  const added = [...now.nodes.keys()].filter(id => !before.nodes.has(id))
  const text = (graph: Graph, id: string) =>
    JSON.stringify([...graph.nodes.get(id)!.attributes].map(([key, { value }]) => [key, value]).sort())
  const changed = [...now.nodes.keys()].filter(id => before.nodes.has(id) && text(before, id) !== text(now, id))
  const parts = [...added.map(id => `+${id}`), ...gone.map(id => `-${id}`), ...changed.map(id => `~${id}`)]
  return parts.length === 0 ? 'the same nodes, other edges or words' : parts.slice(0, 20).join(' ')
}

async function newGraph(context: CommandContext, store: EventStore, home: Home, options: Record<string, unknown>) {
  const file = String(options.graph)
  const read = await readGraph(context, file)
  refuseErrors(context, read, file)
  const trusted = await requireTrust(context, store, home, read, {
    trust: options.trust as string | undefined,
    mayAsk: context.isInteractive && options.ask !== false && !options.json,
  })
  const graph = withPromptFiles(read.parsed.graph, dirname(read.path))
  return {
    graph,
    dot: printDot(graph),
    hash: createHash('sha256').update(read.text).digest('hex'),
    file: read.path,
    ...(trusted && { trusted: Object.values(trusted.files) }),
  }
}

async function resumeCheckpoint(
  context: CommandContext,
  file: string,
  options: Record<string, unknown>,
): Promise<number> {
  const path = resolve(context.cwd, file)
  if (!existsSync(path)) throw new SignalboxError('E_INPUT', `${file} does not exist`)
  if (options.graph === undefined)
    throw new SignalboxError('E_INPUT', 'a checkpoint needs the graph it belongs to', { next: '--graph flow.dot' })
  const checkpoint = readCheckpoint(readFileSync(path, 'utf8'), file)
  return withStore(context, async (store, home) => {
    const made = await newGraph(context, store, home, options)
    const id = await runFromCheckpoint(context, store, home, checkpoint, {
      graph: made.graph,
      title: titleOf(made.graph, basename(made.file)),
      input: {
        dot: made.dot,
        file: made.file,
        hash: made.hash,
        ...(made.trusted && { trusted: made.trusted }),
        inputs: {},
        agent: (options.agent as string | undefined) ?? home.loaded.config.oneshot.agent,
        model: null,
        permissions: null,
        isAutoApproved: false,
        dryRun: null,
      },
      from: null,
    })
    return driveGraph(context, store, home, id, options)
  })
}

export interface CheckpointRun {
  graph: Graph
  title: string
  input: Omit<GraphInput, 'workspace' | 'from'>
  from: { run: string; as: 'fork' | 'rewind' } | null
  labels?: Record<string, string>
}

/** A new run that goes on where a checkpoint stands: its context, its outcomes, its commit. */
export async function runFromCheckpoint(
  context: CommandContext,
  store: EventStore,
  home: Home,
  checkpoint: Checkpoint,
  { graph, title, input, from, labels }: CheckpointRun,
): Promise<string> {
  const node = checkpoint.next_node
  if (node === null || !graph.nodes.has(node))
    throw new SignalboxError(
      'E_GRAPH',
      `the checkpoint goes on at "${node ?? 'nothing'}", and the graph has no such node`,
    )
  const id = newId('run')
  const git = new Git(context.cwd)
  const isKnown =
    checkpoint.commit !== undefined && (await git.try(['cat-file', '-e', `${checkpoint.commit}^{commit}`])).code === 0
  const workspace = await newWorkspace(home, {
    cwd: context.cwd,
    id,
    commit: isKnown ? checkpoint.commit : undefined,
    isWanted: graph.attributes.get('worktree')?.value !== 'none' && input.dryRun === null,
  })
  if (checkpoint.commit !== undefined && !isKnown)
    context.note(`commit ${checkpoint.commit.slice(0, 12)} of the checkpoint is not here; the run begins at what is`)
  await createRun(
    store,
    {
      kind: 'graph',
      title,
      project: (await git.root()) ?? context.cwd,
      cwd: workspace.path,
      person: 'local',
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
      ...(labels && { labels }),
    },
    systemClock.now(),
    id,
  )
  return id
}
