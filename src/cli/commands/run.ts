import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { newId, systemClock } from '../../clock/index.js'
import { createRun, type GraphInput, getRun, type RunRecord } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { type Attribute, AttributeReader, GRAPH_ATTRIBUTES, type Graph, printDot } from '../../graph/index.js'
import type { EventStore } from '../../store/index.js'
import { formatDuration } from '../../text/index.js'
import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import { describeDiagnostic, readGraph } from '../graphs/read-graph.js'
import type { Home } from '../home.js'
import { driveHere } from '../runs/drive-here.js'
import { GraphProgress } from '../runs/graph-progress.js'
import { durationMs, wholeNumber } from '../runs/oneshot-options.js'
import { withStore } from '../runs/open-runs.js'
import { runExit } from '../runs/run-exit.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const read = await readGraph(context, String(args.file))
  const errors = read.diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) {
    for (const error of errors) for (const line of describeDiagnostic(context, error, read.text)) context.note(line)
    throw new SignalboxError('E_GRAPH', `${String(args.file)} has ${errors.length} errors; nothing was started`, {
      next: `signalbox validate ${String(args.file)}`,
    })
  }
  return withStore(context, async (store, home) => {
    const id = newId('run')
    const graph = withFiles(read.parsed.graph, dirname(read.path))
    const input = await inputOf(context, home, id, graph, read.text, options)
    const limits = limitsOf(graph, options)
    await createRun(
      store,
      {
        kind: 'graph',
        title:
          graph.attributes.get('label')?.value ||
          graph.attributes.get('goal')?.value ||
          graph.name ||
          basename(read.path),
        project: (await new Git(context.cwd).root()) ?? context.cwd,
        cwd: input.workspace.path,
        person: 'local',
        input,
        limits,
      },
      systemClock.now(),
      id,
    )
    return drive(context, store, home, id, options)
  })
}

async function drive(
  context: CommandContext,
  store: EventStore,
  home: Home,
  id: string,
  options: Record<string, unknown>,
): Promise<number> {
  const record = await getRun(store, id)
  const progress = options.json ? null : new GraphProgress(context)
  if (progress) context.out(`${context.style('bold', id)}  ${record.title}`)
  const final = await driveHere(context, store, home, id, {
    event: event => (progress ? progress.event(event) : context.json(event)),
    activity: activity => progress?.activity(activity),
  })
  conclude(context, final, options)
  return runExit(final)
}

function conclude(context: CommandContext, record: RunRecord, options: Record<string, unknown>): void {
  if (options.json) {
    context.json({ type: 'outcome', run: record.id, status: record.status, reason: record.reason, usage: record.usage })
    return
  }
  const colour = record.status === 'completed' ? 'green' : record.status === 'failed' ? 'red' : 'yellow'
  const why = record.reason && record.status !== 'completed' ? ` (${record.reason})` : ''
  const took = formatDuration((record.endedAt ?? record.updatedAt) - record.createdAt)
  context.out('')
  context.out(`${context.style(colour, context.style('bold', record.status))}${why} · ${record.steps} steps · ${took}`)
  if (record.status === 'waiting')
    for (const approval of Object.values(record.gates)) context.note(`answer with: signalbox answer ${approval} …`)
  if (record.status === 'paused' || record.status === 'failed')
    context.note(`go on with: signalbox resume ${record.id}`)
}

/** Prompt files are read once, now: the run keeps their text. */
function withFiles(graph: Graph, directory: string): Graph {
  const nodes = new Map(
    [...graph.nodes].map(([id, node]) => {
      const prompt = node.attributes.get('prompt') ?? node.attributes.get('llm_prompt')
      if (!prompt?.value.startsWith('@')) return [id, node]
      const value = readFileSync(resolve(directory, prompt.value.slice(1)), 'utf8')
      const attributes = new Map<string, Attribute>(node.attributes)
      attributes.set('prompt', { value, isQuoted: true, place: prompt.place, origin: 'transform' })
      return [id, { ...node, attributes }]
    }),
  )
  return { ...graph, nodes }
}

async function inputOf(
  context: CommandContext,
  home: Home,
  id: string,
  graph: Graph,
  text: string,
  options: Record<string, unknown>,
): Promise<GraphInput> {
  const goal = options.goal as string | undefined
  const attributes = new Map<string, Attribute>(graph.attributes)
  if (goal !== undefined) attributes.set('goal', { value: goal, isQuoted: true, place: null, origin: 'transform' })
  return {
    dot: printDot({ ...graph, attributes }),
    file: graph.file,
    hash: createHash('sha256').update(text).digest('hex'),
    inputs: readInputs(graph, options.input as string[] | undefined),
    agent: (options.agent as string | undefined) ?? home.loaded.config.oneshot.agent,
    model: (options.model as string | undefined) ?? null,
    permissions: (options.permissions as GraphInput['permissions']) ?? null,
    isAutoApproved: options.autoApprove === true,
    dryRun: options.dryRun === undefined ? null : readScript(context, options.dryRun),
    workspace: await workspaceOf(context, home, id, graph, options),
    from: null,
  }
}

function readInputs(graph: Graph, given: readonly string[] = []): Record<string, string> {
  const inputs: Record<string, string> = {}
  for (const pair of given) {
    const at = pair.indexOf('=')
    if (at < 1) throw new SignalboxError('E_INPUT', `--input takes key=value, not "${pair}"`)
    inputs[pair.slice(0, at)] = pair.slice(at + 1)
  }
  const missing = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES)
    .names('inputs')
    .filter(name => inputs[name] === undefined)
  if (missing.length > 0)
    throw new SignalboxError('E_INPUT', `the graph needs ${missing.join(', ')}`, { next: `--input ${missing[0]}=…` })
  return inputs
}

function readScript(context: CommandContext, given: unknown): Record<string, Record<string, unknown>> {
  if (given === true) return {}
  try {
    return JSON.parse(readFileSync(resolve(context.cwd, String(given)), 'utf8')) as Record<
      string,
      Record<string, unknown>
    >
  } catch (error) {
    throw new SignalboxError('E_INPUT', `the script ${String(given)} cannot be read: ${(error as Error).message}`)
  }
}

/** In a git repository a run works in a worktree and on a branch of its own. */
async function workspaceOf(
  context: CommandContext,
  home: Home,
  id: string,
  graph: Graph,
  options: Record<string, unknown>,
): Promise<GraphInput['workspace']> {
  const here = { path: realpathSync(context.cwd), branch: null, base: null }
  const git = new Git(context.cwd)
  const [root, head] = [await git.root(), await git.head()]
  const wish = graph.attributes.get('worktree')?.value
  if (root === null || head === null || wish === 'none' || options.dryRun !== undefined) return here
  const path = join(home.settings.dataDirectory, 'worktrees', basename(root), id)
  const branch = `signalbox/run/${id}`
  await git.run(['worktree', 'add', '--quiet', '-b', branch, path, head])
  const dirty = (await git.status()).length
  if (dirty > 0 && !options.json)
    context.note(`${dirty} uncommitted changes stay where they are; the run works on ${head.slice(0, 12)}`)
  return { path, branch, base: head }
}

function limitsOf(graph: Graph, options: Record<string, unknown>) {
  const read = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES)
  const costUsd = options.maxCost === undefined ? read.number('max_cost') : Number(options.maxCost)
  const tokens =
    options.maxTokens === undefined ? read.number('max_tokens') : wholeNumber('--max-tokens', options.maxTokens, 0, 1)
  const timeMs =
    options.maxTime === undefined ? read.durationMs('max_time') : durationMs('--max-time', options.maxTime, 0)
  return {
    ...(costUsd !== null && { costUsd }),
    ...(tokens !== null && { tokens }),
    ...(timeMs !== null && timeMs > 0 && { timeMs }),
  }
}
