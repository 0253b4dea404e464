import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { type Activity, readSegment, segmentPath } from '../activity/index.js'
import type { Ledger } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import {
  AgentSteps,
  ChildObserveSteps,
  ChildSteerSteps,
  ChildStopSteps,
  CodergenSteps,
  type CustomHandler,
  childSourceSteps,
  codeSteps,
  customSteps,
  FanInSteps,
  graphStep,
  graphWorkflow,
  mergeSteps,
  NodeSteps,
  type OpenEngine,
  type Performer,
  type Prices,
  RunHost,
  type RunPlacer,
  type RunRecord,
  type SandboxOfStep,
  type Servers,
  StallDetector,
  type StepCall,
  StepOutput,
  StoreEngine,
  simulatedSteps,
  ToolSteps,
  type Workflow,
} from '../engine/index.js'
import { Git } from '../git/index.js'
import { printDot, textOf } from '../graph/index.js'
import { openHome } from '../host/home/index.js'
import { type SandboxSettings, stepEnvironment } from '../host/index.js'
import { OneshotFileWriter, OneshotSteps, oneshotWorkflow } from '../oneshot/index.js'
import { builtInPipelines, PipelineSteps, pipelineFunctions, type ReadProfile } from '../pipelines/index.js'
import { isOwnerGone, ownName } from '../process/index.js'
import type { EventStore } from '../store/index.js'
import { createRedactor, secretsFromEnvironment } from '../text/index.js'
import { AutomaticGates } from './automatic-gates.js'
import { endStepProcesses } from './leftovers.js'
import { endSessionsOfEndedRuns, type SessionHost, SessionTurns, sessionSteps } from './live-turns.js'
import { projectPipeline } from './pipelines/project-pipelines.js'
import { profileReader } from './pipelines/read-profile.js'
import { runDirectory } from './run-directory.js'
import { StepApprovals } from './step-approvals.js'
import { StepSandboxes } from './step-sandboxes.js'

/** What performers of steps need, on a server and on a worker alike. */
export interface PerformerOptions {
  /** A worker's store reads the events of its own runs and nothing else. */
  store: EventStore
  clock: Clock
  dataDirectory: string
  envPass: readonly string[]
  /** The environment that steps inherit: of a person's terminal, or of the daemon. */
  env: NodeJS.ProcessEnv
  /** A person at a terminal drives the runs: agents get the whole environment. */
  isInteractive: boolean
  /** The model of the agent `direct`, for turns that name none. */
  endpoint?: { url: string; apiKeyEnv: string | null }
  /** Prices of models whose agents report no cost. */
  prices?: Prices
  /** Programs of agents, by name, as set in the settings. */
  commands?: Readonly<Record<string, string>>
  /** Concurrent steps of an agent, by name. */
  maxParallel?: Readonly<Record<string, number | null>>
  /** Node handlers of the user's own module, by type. */
  handlers?: Readonly<Record<string, CustomHandler>>
  /** Functions that `code` nodes may call, by the name in their attribute `fn`. */
  functions?: Readonly<Record<string, CustomHandler>>
  /** Reads profiles, for pipelines that run as graphs; from the settings of the home by default. */
  readProfile?: ReadProfile
  /** Where agents ask for permissions. */
  approvals: Pick<StepApprovals, 'ask' | 'withdraw'>
  /** Where hosts are that a person allowed for a project; a worker has none. */
  ledger?: Ledger
  /** The settings of sandboxes. If absent, steps have none. */
  sandboxes?: SandboxSettings
  /** Keeps sessions, for agents in terminals. */
  sessions?: SessionHost
  onActivity?(run: string, activity: Activity): void
}

export interface RunsOptions extends Omit<PerformerOptions, 'approvals'> {
  maxRuns: number
  /** Where agents ask for permissions, and gates are answered. */
  ledger: Ledger
  /** Places runs on workers. If absent, this process drives every run. */
  placer?: RunPlacer
  /** The servers of a shared store, which divide the runs among them. */
  servers?: Servers
  /** Wakes the runs; by default the servers themselves. */
  engine?: OpenEngine
  /** Called after this process stops driving a run. */
  onDriven?(run: string): Promise<void>
  /** Which runs to drive; all by default. */
  isWanted?(run: RunRecord): boolean
  /** A gate that was to be answered automatically waits for a person. */
  onGateWaits?(approval: string): void
  onError(error: unknown): void
}

/** Wires everything that drives runs in this process: workflows, performers of steps, files. */
export function createRunHost(options: RunsOptions): RunHost {
  const { store, clock, onError, servers } = options
  const approvals = new StepApprovals({ store, ledger: options.ledger, clock })
  const files = oneshotFiles(options)
  const performers = openPerformers({
    ...options,
    approvals,
    onActivity: (run, activity) => {
      files.activity(run, activity)
      options.onActivity?.(run, activity)
    },
  })
  if (options.sessions) void endSessionsOfEndedRuns(options.sessions).catch(onError)
  return new RunHost({
    store,
    // Any server may take the next turn: they agree on what is due.
    clock: store.clock,
    owner: servers ? servers.owner : ownName(),
    isGone: owner => servers?.isGone(owner) ?? isOwnerGone(owner),
    engine: options.engine ?? (port => new StoreEngine({ ...port, ...(servers && { servers }) })),
    workflows: WORKFLOWS,
    performers,
    maxRuns: options.maxRuns,
    random: () => randomInt(2 ** 32) / 2 ** 32,
    gates: new AutomaticGates(options.ledger, options.onGateWaits),
    onError,
    onDriving: async run => {
      const keep = options.sessions ? await sessionSteps(options.sessions) : new Set<string>()
      // Processes that a placed run left behind are on its worker.
      if (!run.placement) await endStepProcesses({ store, clock }, run.id, { keep })
      await files.begin(run)
    },
    onDriven: async run => {
      await files.end(run)
      await options.onDriven?.(run)
    },
    onClosed: () => files.close(),
    ...(options.isWanted && { isWanted: options.isWanted }),
    ...(options.placer && { placer: options.placer }),
  })
}

/** The profile of commands in a sandbox: no agent's. */
const COMMANDS = 'commands'

export const WORKFLOWS: readonly Workflow<never>[] = [oneshotWorkflow, graphWorkflow] as never

/** Performs the steps of every kind of run; of a server, or of a worker. */
export function openPerformers(options: PerformerOptions): Readonly<Record<string, Performer>> {
  const { store, clock, env, envPass, isInteractive, approvals } = options
  const redactor = createRedactor({ secretValues: secretsFromEnvironment(env) })
  const environment = () => stepEnvironment({ env, pass: envPass, isInteractive })
  const stallDetector = new StallDetector(clock)
  const { ledger } = options
  const sandboxes = options.sandboxes && new StepSandboxes({ settings: options.sandboxes, store, approvals, ledger })
  const inSandbox: SandboxOfStep | undefined =
    sandboxes &&
    ((call, program) => sandboxes.prepare(call, { agent: COMMANDS, directory: agents.directory(call) }, program))
  const agents: AgentSteps = new AgentSteps({
    clock,
    redactor,
    runDirectory: run => runDirectory(options.dataDirectory, run),
    environment,
    ask: (call, turn, request) => approvals.ask(call, turn, request),
    withdraw: step => approvals.withdraw(step),
    ...(options.endpoint && { endpoint: options.endpoint }),
    ...(options.prices && { prices: options.prices }),
    ...(options.maxParallel && { maxParallel: options.maxParallel }),
    ...(options.commands && { commands: options.commands }),
    ...(sandboxes && { inSandbox: (call, step, program) => sandboxes.prepare(call, step, program) }),
    ...(options.sessions && {
      live: new SessionTurns(options.sessions, clock, sandboxes && ((run, ofNode) => sandboxes.sandboxOf(run, ofNode))),
    }),
    onActivity: (run, activity) => {
      stallDetector.noteProgress(run)
      options.onActivity?.(run, activity)
    },
  })
  const node = (handler: Performer) =>
    new NodeSteps(handler, { clock, runDirectory: run => runDirectory(options.dataDirectory, run) }, stallDetector)
  const codergen = new CodergenSteps(agents)
  const custom = Object.entries(options.handlers ?? {}).map(([type, handler]) => {
    const steps = customSteps(handler, call => createDirectory(agents.directory(call)))
    return [`graph.${type}`, node(steps)] as const
  })
  const pipelines = new PipelineSteps(
    {
      agents,
      store,
      clock,
      redactor,
      environment,
      inSandbox,
      runDirectory: run => runDirectory(options.dataDirectory, run),
      readProfile:
        options.readProfile ?? ((cwd, wanted) => profileReader({ home: openHome({ env }), env })(cwd, wanted)),
    },
    builtInPipelines(),
  )
  const { functions = {} } = options
  const own = codeSteps(functions, call => createDirectory(agents.directory(call)))
  const isOwn = (fn: string) => Object.hasOwn(functions, fn)
  return {
    'oneshot.agent': new OneshotSteps({ agents, clock, redactor, environment, inSandbox }),
    'graph.codergen': node(codergen),
    'graph.prompt': node(codergen),
    'graph.tool': node(
      new ToolSteps({
        clock,
        environment,
        inSandbox,
        stepDirectory: call => agents.directory(call),
        output: call =>
          new StepOutput(call, {
            path: segmentPath(runDirectory(options.dataDirectory, call.run), call.step),
            clock,
            redactor,
          }),
      }),
    ),
    'graph.parallel.fan_in': node(new FanInSteps(codergen)),
    'graph.code': node(codePerformer(pipelines, own, isOwn)),
    'graph.merge': mergeSteps,
    'graph.child_source': childSourceSteps({ find: childGraph, functions: pipelineFunctions }),
    'graph.child_look': new ChildObserveSteps(store),
    'graph.child_steer': new ChildSteerSteps(store),
    'graph.child_stop': new ChildStopSteps(store),
    'graph.simulated': simulatedSteps,
    ...Object.fromEntries(custom),
  }
}

/** The graph of a pipeline that a node names: one that ships, or one that the project registers. */
async function childGraph(name: string, project: string): Promise<{ text: string; isShipped: boolean } | null> {
  const shipped = builtInPipelines()
  if (shipped.has(name)) return { text: printDot(shipped.getPipeline(name).createGraph()), isShipped: true }
  const own = projectPipeline((await new Git(project).root()) ?? project, name)
  return own && { text: readFileSync(own.file, 'utf8'), isShipped: false }
}

/** Performs `type=code` nodes: by the user's functions, else by those of the graph's pipeline. */
function codePerformer(pipelines: Performer, own: Performer, isOwn: (fn: string) => boolean): Performer {
  const chosen = (call: StepCall): Performer => {
    const { graph, node } = graphStep(call)
    const isPipeline = textOf(graph.attributes, 'pipeline_type') !== null
    return isPipeline && !isOwn(textOf(node.attributes, 'fn') ?? '') ? pipelines : own
  }
  return {
    run: call => chosen(call).run(call),
    recover: async call =>
      (await chosen(call).recover?.(call)) ?? {
        verdict: 'nothing',
        evidence: [{ source: 'step', says: 'a code node leaves no traces' }],
      },
    takeOver: async call => (await chosen(call).takeOver?.(call)) ?? null,
    abandon: async call => chosen(call).abandon?.(call),
  }
}

/** Writes `oneshot.json` and `oneshot-log.json`. */
export function oneshotFiles({
  store,
  dataDirectory,
  onError,
}: Pick<RunsOptions, 'store' | 'dataDirectory' | 'onError'>): OneshotFileWriter {
  return new OneshotFileWriter({
    store,
    runDirectory: run => runDirectory(dataDirectory, run),
    activities: (run, step) => readSegment(segmentPath(runDirectory(dataDirectory, run), step)),
    onError,
  })
}

function createDirectory(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return path
}
