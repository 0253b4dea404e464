import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { newId } from '../../clock/index.js'
import { createRun, type GraphInput, isLiveNode, type Limits } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import {
  type Attribute,
  AttributeReader,
  applyStylesheet,
  GRAPH_ATTRIBUTES,
  type Graph,
  handlerOf,
  printDot,
} from '../../graph/index.js'
import { closestMatch, plural } from '../../text/index.js'
import { type ExecutableFiles, executableText } from '../../trust/index.js'
import { createWorkspace } from '../../worktrees/index.js'
import { enterProject, requireGraphTrust, withProjectSettings } from '../project-trust.js'
import {
  driverLabel,
  onWorker,
  type RunOptions,
  type StartContext,
  type StartedRun,
  sandboxOf,
} from '../start-context.js'
import { shareWorkspace } from '../workspaces/workspace-source.js'
import { type LoadedGraph, refuseErrors } from './load-graph.js'

export interface GraphOptions extends RunOptions {
  /** Values that the graph declares as inputs. */
  inputs?: Record<string, string> | undefined
  /** Replaces the graph's own goal. */
  goal?: string | undefined
  /** Agent, model and permissions of nodes that name none. */
  agent?: string | undefined
  model?: string | undefined
  permissions?: GraphInput['permissions'] | undefined
  /** The URL of the model, and the variable with its key, for the agent `direct`. */
  endpoint?: string | undefined
  apiKeyEnv?: string | undefined
  /** Takes the first option at every gate. */
  isAutoApproved?: boolean | undefined
  /**
   * Simulates the run: no agent, no command. Outcomes by `node@visit`; success where none is given.
   */
  dryRun?: GraphInput['dryRun'] | undefined
  /** The directory for which trust in a text is recorded; the project by default. */
  trustDirectory?: string | undefined
}

/**
 * Creates a run of a graph.
 * @throws SignalboxError `E_GRAPH`, `E_AGENT_MISSING` for a graph with errors; `E_UNTRUSTED`;
 * `E_INPUT` for missing inputs and options that exclude each other.
 */
export async function startGraph(
  context: StartContext,
  loaded: LoadedGraph,
  options: GraphOptions = {},
): Promise<StartedRun> {
  refuseErrors(loaded)
  const { store, cwd, person } = context
  const { id = newId('run'), dryRun = null, trust } = options
  const driver = driverOf(loaded, options)
  if (driver === 'daemon') await context.requireDaemon()
  const trusted =
    dryRun === null ? await requireGraphTrust(context, loaded, { trust, directory: options.trustDirectory }) : null
  const home =
    dryRun !== null
      ? context.home
      : trusted
        ? await withProjectSettings(context)
        : await enterProject(context, { trust, isApart: options.placement !== undefined })
  const graph = transformGraph(loaded.parsed.graph, loaded.directory, loaded.module?.transforms)
  const inputs = checkInputs(graph, options.inputs ?? {})
  if (loaded.module === null) refuseUnusedInputs(graph, inputs)
  const workspace = await createWorkspace(home.settings.dataDirectory, {
    cwd,
    id,
    worktree: wantsWorktree(graph) && dryRun === null ? 'if-possible' : 'none',
  })
  if (options.placement && workspace.branch === null && !wantsWorktree(graph))
    throw new SignalboxError('E_INPUT', 'a graph with worktree=none cannot run on a worker', {
      next: 'leave worktree=none out, or leave --on, --pool and --needs out',
    })
  if (options.placement && workspace.branch !== null) await shareWorkspace(context, id, workspace.path)
  const dot = printDot(withGoal(graph, options.goal))
  const executed = options.placement && trusted ? await executedThere(dot, workspace, trusted) : []
  const labels = { ...options.labels, ...driverLabel(context, driver) }
  const input: GraphInput = {
    dot,
    file: loaded.path,
    hash: hashOfText(loaded.text),
    inputs,
    agent: options.agent ?? home.loaded.config.oneshot.agent,
    model: options.model ?? null,
    permissions: options.permissions ?? null,
    isAutoApproved: options.isAutoApproved ?? false,
    dryRun,
    workspace,
    from: null,
    ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
    ...(options.apiKeyEnv !== undefined && { apiKeyEnv: options.apiKeyEnv }),
    ...(loaded.module && {
      handlers: {
        file: loaded.module.file,
        types: Object.keys(loaded.module.handlers),
        functions: Object.keys(loaded.module.functions),
      },
    }),
    ...(trusted && { trusted: Object.values(trusted.files) }),
  }
  await createRun(
    store,
    {
      kind: 'graph',
      title: titleOf(graph, loaded.path === null ? 'graph' : basename(loaded.path)),
      project: (await new Git(cwd).root()) ?? cwd,
      cwd: workspace.path,
      person,
      input,
      limits: limitsOf(graph, options.limits),
      ...onWorker(options.placement, workspace.path, executed),
      ...sandboxOf(home, options.sandbox),
      ...(Object.keys(labels).length > 0 && { labels }),
    },
    store.clock.now(),
    id,
  )
  return { id, home, driver, notices: await uncommittedNotice(cwd, workspace) }
}

/**
 * The files that a graph executes on a worker, which gets what is committed.
 * @throws SignalboxError `E_UNTRUSTED` if a file is committed with another content than the trusted
 * one.
 */
async function executedThere(
  dot: string,
  { path, base }: GraphInput['workspace'],
  trusted: ExecutableFiles,
): Promise<string[]> {
  const { files } = await executableText(dot, path)
  // The graph itself is part of the run.
  const names = Object.keys(files).filter(name => !name.startsWith('graph:'))
  const known = new Set(Object.values(trusted.files))
  const different = names.filter(name => !known.has(files[name]!))
  if (different.length === 0) return names
  throw new SignalboxError(
    'E_UNTRUSTED',
    `a worker gets ${base?.slice(0, 12) ?? path}, where files differ from the trusted ones (${different.slice(0, 5).join(', ')})`,
    { next: 'commit what you have trusted, then start it again' },
  )
}

/**
 * The daemon keeps the terminals, so it drives a graph whose agents work in them. It runs no code
 * of the user.
 */
function driverOf(
  { parsed, module }: LoadedGraph,
  { isDetached, dryRun, placement }: GraphOptions,
): StartedRun['driver'] {
  const isSimulated = dryRun !== undefined && dryRun !== null
  if ((isDetached || placement) && (module || isSimulated))
    throw new SignalboxError('E_INPUT', '--detach and --on cannot be combined with --handlers or --dry-run', {
      next: 'leave them out: the daemon does not run your code',
    })
  const isLive = !isSimulated && [...parsed.graph.nodes.values()].some(isLiveNode)
  if (isLive && placement)
    throw new SignalboxError('E_INPUT', 'live=true cannot be combined with --on, --pool or --needs', {
      next: 'remove live=true: terminals are on the server',
    })
  if (isLive && module)
    throw new SignalboxError('E_INPUT', 'live=true cannot be combined with --handlers', {
      next: 'remove live=true: the daemon keeps the terminals and does not run your code',
    })
  return isDetached || isLive || placement ? 'daemon' : 'caller'
}

export function hashOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function withGoal(graph: Graph, goal: string | undefined): Graph {
  if (goal === undefined) return graph
  const own: Attribute = { value: goal, isQuoted: true, position: null, origin: 'transform' }
  return { ...graph, attributes: new Map(graph.attributes).set('goal', own) }
}

export function wantsWorktree(graph: Graph): boolean {
  return graph.attributes.get('worktree')?.value !== 'none'
}

async function uncommittedNotice(cwd: string, { branch, base }: GraphInput['workspace']): Promise<string[]> {
  const count = branch === null ? 0 : (await new Git(cwd).status()).length
  return count === 0 ? [] : [uncommittedText(count, base!)]
}

export function uncommittedText(count: number, base: string): string {
  return `${plural(count, 'uncommitted change')} not included; the run works on ${base.slice(0, 12)}`
}

/** Reads the prompt files now: the run keeps their text. */
export function withPromptFiles(graph: Graph, directory: string): Graph {
  const nodes = new Map(
    [...graph.nodes].map(([id, node]) => {
      const prompt = node.attributes.get('prompt') ?? node.attributes.get('llm_prompt')
      if (!prompt?.value.startsWith('@')) return [id, node]
      const value = readFileSync(resolve(directory, prompt.value.slice(1)), 'utf8')
      const attributes = new Map<string, Attribute>(node.attributes)
      attributes.set('prompt', { value, isQuoted: true, position: prompt.position, origin: 'transform' })
      return [id, { ...node, attributes }]
    }),
  )
  return { ...graph, nodes }
}

/**
 * A graph as it will run: prompt files, then the stylesheet, then the transforms of the user's
 * module in their order. Each step makes a new graph. Without transforms the run applies the
 * stylesheet, and so keeps where each value comes from.
 */
export function transformGraph(
  graph: Graph,
  directory: string,
  transforms: readonly ((graph: Graph) => Graph)[] = [],
): Graph {
  const whole = withPromptFiles(graph, directory)
  if (transforms.length === 0) return whole
  return transforms.reduce((made, transform) => transform(made), applyStylesheet(whole))
}

/** The title of a run of this graph. */
export function titleOf(graph: Graph, fallback: string): string {
  const { attributes, name } = graph
  return attributes.get('label')?.value || attributes.get('goal')?.value || name || fallback
}

/** Checks that every input that the graph declares is given. @throws SignalboxError `E_INPUT` */
export function checkInputs(graph: Graph, inputs: Record<string, string>): Record<string, string> {
  const missing = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES)
    .names('inputs')
    .filter(name => inputs[name] === undefined)
  if (missing.length > 0)
    throw new SignalboxError('E_INPUT', `the graph needs ${missing.join(', ')}`, { next: `--input ${missing[0]}=…` })
  return inputs
}

/** Inputs that the functions of a pipeline read. */
const PIPELINE_INPUTS = ['issue', 'design', 'plan', 'profile', 'range', 'fix']

/**
 * An input that the graph neither declares nor mentions is a typing error. The graph of a child run
 * may use any input.
 * @throws SignalboxError `E_INPUT`
 */
function refuseUnusedInputs(graph: Graph, inputs: Record<string, string>): void {
  if ([...graph.nodes.values()].some(node => ['pipeline', 'stack.manager_loop'].includes(handlerOf(node)))) return
  const declared = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES).names('inputs')
  const isPipeline = graph.attributes.has('pipeline_type')
  const words = new Set(
    printDot(graph)
      .toLowerCase()
      .split(/[^a-z0-9_.-]+|signalbox_ctx_/),
  )
  const known = [...declared, ...(isPipeline ? PIPELINE_INPUTS : [])]
  const unused = Object.keys(inputs).find(name => !known.includes(name) && !words.has(name.toLowerCase()))
  if (unused === undefined) return
  const close = closestMatch(unused, known)
  throw new SignalboxError('E_INPUT', `the graph has no input "${unused}"`, {
    next: close ? `did you mean "${close}"?` : known.length > 0 ? `it has: ${known.join(', ')}` : 'leave it out',
  })
}

/** The limits of a run: those given, else those that the graph declares. */
export function limitsOf(graph: Graph, given: Limits = {}): Limits {
  const read = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES)
  const costUsd = given.costUsd ?? read.number('max_cost')
  const tokens = given.tokens ?? read.number('max_tokens')
  const timeMs = given.timeMs ?? read.durationMs('max_time')
  return {
    ...(costUsd !== null && { costUsd }),
    ...(tokens !== null && { tokens }),
    ...(timeMs !== null && timeMs > 0 && { timeMs }),
  }
}
