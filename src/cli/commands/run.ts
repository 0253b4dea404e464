import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { newId, systemClock } from '../../clock/index.js'
import { createRun, type GraphInput, isLiveNode, type Limits } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { type Attribute, type Graph, printDot } from '../../graph/index.js'
import { type Home, openHome } from '../../host/home/index.js'
import { budgetOf, checkInputs, titleOf, transformGraph } from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import { plural } from '../../text/index.js'
import type { ExecutableFiles } from '../../trust/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { driveGraph, followGraph } from '../graphs/drive-graph.js'
import { newWorkspace } from '../graphs/new-workspace.js'
import { describeDiagnostic, type ReadGraph, readGraph } from '../graphs/read-graph.js'
import { requireTrust } from '../graphs/require-trust.js'
import { enterProject, withProjectSettings } from '../project-settings.js'
import { durationMs, wholeNumber } from '../runs/oneshot-options.js'
import { withStore } from '../runs/open-runs.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const handlers = options.handlers as string | undefined
  const agent = (options.agent as string | undefined) ?? openHome(context).loaded.config.oneshot.agent
  const read = await readGraph(context, String(args.file), {
    ...(handlers !== undefined && { handlers }),
    ...(options.dryRun === undefined && { agent }),
  })
  refuseErrors(context, read, String(args.file))
  if (options.detach && (handlers !== undefined || options.dryRun !== undefined))
    throw new SignalboxError('E_INPUT', '--detach goes with neither --handlers nor --dry-run', {
      next: 'the daemon runs no code of yours; run it here',
    })
  // Terminals are kept by the daemon, so a graph with agents in them is driven there.
  const isLive = options.dryRun === undefined && [...read.parsed.graph.nodes.values()].some(isLiveNode)
  if (isLive && handlers !== undefined)
    throw new SignalboxError('E_INPUT', 'a node with live=true does not go with --handlers', {
      next: 'the daemon keeps the terminals, and runs no code of yours; take live=true out',
    })
  const isKept = options.detach === true || isLive
  if (isKept) await DaemonClient.connect(context)
  return withStore(context, async (store, own) => {
    const id = newId('run')
    const trusted =
      options.dryRun === undefined
        ? await requireTrust(context, store, own, read, {
            trust: options.trust as string | undefined,
            mayAsk: context.isInteractive && options.ask !== false && !options.json,
          })
        : null
    const home = options.dryRun === undefined ? await settingsHere(context, store, own, trusted, options) : own
    const graph = transformGraph(read.parsed.graph, dirname(read.path), read.module?.transforms)
    const input = await inputOf(context, home, id, graph, read, options, trusted)
    const labels = {
      ...readLabels(options.label as string[] | undefined),
      ...(isKept && { host: 'daemon' }),
    }
    await createRun(
      store,
      {
        kind: 'graph',
        title: titleOf(graph, basename(read.path)),
        project: (await new Git(context.cwd).root()) ?? context.cwd,
        cwd: input.workspace.path,
        person: 'local',
        input,
        limits: budgetOf(graph, limitsOf(options)),
        ...(Object.keys(labels).length > 0 && { labels }),
      },
      systemClock.now(),
      id,
    )
    if (!isKept) return driveGraph(context, store, home, id, options)
    if (!options.detach) return followGraph(context, store, home, id, options)
    if (options.json) context.json({ run: id, status: 'queued' })
    else {
      context.out(id)
      context.note(`the daemon drives it; signalbox logs -f ${id} follows, signalbox cancel ${id} ends it`)
    }
    return EXIT.ok
  })
}

/** What comes with the program needs no asking, but the project that its agents work in does. */
async function settingsHere(
  context: CommandContext,
  store: EventStore,
  own: Home,
  trusted: ExecutableFiles | null,
  options: Record<string, unknown>,
): Promise<Home> {
  if (trusted) return withProjectSettings(context, store, own)
  return enterProject(context, store, own, {
    trust: options.trust as string | undefined,
    mayAsk: context.isInteractive && options.ask !== false && !options.json,
    isApart: false,
  })
}

/** A graph with errors is not run. */
export function refuseErrors(context: CommandContext, read: ReadGraph, name: string): void {
  const errors = read.diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return
  for (const error of errors) for (const line of describeDiagnostic(context, error, read.text)) context.note(line)
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  const code = errors.every(({ rule }) => rule === 'agent_known') ? 'E_AGENT_MISSING' : 'E_GRAPH'
  throw new SignalboxError(code, `${name} has ${count}; nothing was started`, {
    next: code === 'E_AGENT_MISSING' ? 'signalbox doctor shows the agents that are here' : `signalbox validate ${name}`,
  })
}

function readLabels(given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(given.map(pair => readPair('--label', pair)))
}

function readPair(flag: string, pair: string): [string, string] {
  const at = pair.indexOf('=')
  if (at < 1) throw new SignalboxError('E_INPUT', `${flag} takes key=value, not "${pair}"`)
  return [pair.slice(0, at), pair.slice(at + 1)]
}

async function inputOf(
  context: CommandContext,
  home: Home,
  id: string,
  graph: Graph,
  { text, module, path }: ReadGraph,
  options: Record<string, unknown>,
  trusted: ExecutableFiles | null,
): Promise<GraphInput> {
  const goal = options.goal as string | undefined
  const attributes = new Map<string, Attribute>(graph.attributes)
  if (goal !== undefined) attributes.set('goal', { value: goal, isQuoted: true, place: null, origin: 'transform' })
  return {
    dot: printDot({ ...graph, attributes }),
    file: path === '-' ? null : path,
    hash: createHash('sha256').update(text).digest('hex'),
    inputs: checkInputs(graph, readInputs(options.input as string[] | undefined)),
    agent: (options.agent as string | undefined) ?? home.loaded.config.oneshot.agent,
    model: (options.model as string | undefined) ?? null,
    permissions: (options.permissions as GraphInput['permissions']) ?? null,
    isAutoApproved: options.autoApprove === true,
    dryRun: options.dryRun === undefined ? null : readScript(context, options.dryRun),
    workspace: await workspaceOf(context, home, id, graph, options),
    from: null,
    ...(module && { handlers: { file: module.file, types: Object.keys(module.handlers) } }),
    ...(trusted && { trusted: Object.values(trusted.files) }),
  }
}

function readInputs(given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(given.map(pair => readPair('--input', pair)))
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
  const isWanted = graph.attributes.get('worktree')?.value !== 'none' && options.dryRun === undefined
  const workspace = await newWorkspace(home, { cwd: context.cwd, id, isWanted })
  const dirty = workspace.branch === null ? 0 : (await new Git(context.cwd).status()).length
  if (dirty > 0 && !options.json)
    context.note(
      `${plural(dirty, 'uncommitted change')} left where you made them; the run works on ${workspace.base!.slice(0, 12)}`,
    )
  return workspace
}

function limitsOf({ maxCost, maxTokens, maxTime }: Record<string, unknown>): Limits {
  return {
    ...(maxCost !== undefined && { costUsd: Number(maxCost) }),
    ...(maxTokens !== undefined && { tokens: wholeNumber('--max-tokens', maxTokens, 0, 1) }),
    ...(maxTime !== undefined && { timeMs: durationMs('--max-time', maxTime, 0) }),
  }
}
