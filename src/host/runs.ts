import { randomInt } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Activity } from '../activity/index.js'
import { Ledger } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import {
  AgentSteps,
  CodergenSteps,
  type DriveEnd,
  graphWorkflow,
  RunHost,
  simulatedSteps,
  ToolSteps,
} from '../engine/index.js'
import { OneshotSteps, oneshotWorkflow } from '../oneshot/index.js'
import { isAlive, processStart } from '../process/index.js'
import type { EventStore } from '../store/index.js'
import { createRedactor, secretsFromEnvironment } from '../text/index.js'
import { gateAnswer } from './gate-answers.js'
import { stepEnvironment } from './session-environment.js'
import { StepApprovals } from './step-approvals.js'

export interface RunsOptions {
  store: EventStore
  clock: Clock
  dataDirectory: string
  envPass: readonly string[]
  /** The environment that steps inherit from: a person's terminal, or the daemon's. */
  env: NodeJS.ProcessEnv
  /** Started by a person at a terminal: then all of its environment reaches the agents. */
  isPersonal: boolean
  maxRuns: number
  /** The one of this process, where it has one. */
  ledger?: Ledger
  onActivity?(run: string, activity: Activity): void
  onDriven?(run: string, end: DriveEnd): void
  onError(error: unknown): void
}

/** Everything that drives runs in this process, wired: workflows, those who carry out their steps, and where their files are. */
export function openRuns(options: RunsOptions): RunHost {
  const { store, clock, env, envPass, isPersonal, onError } = options
  const redactor = createRedactor({ secretValues: secretsFromEnvironment(env) })
  const environment = () => stepEnvironment({ env, pass: envPass, isPersonal })
  const ledger =
    options.ledger ??
    new Ledger(store, { clock, redactor, alongside: (record, decision) => gateAnswer(record, decision, clock.now()) })
  const approvals = new StepApprovals({ store, ledger, clock })
  const agents = new AgentSteps({
    clock,
    redactor,
    runDirectory: run => runDirectory(options.dataDirectory, run),
    environment,
    ask: (call, turn, request) => approvals.ask(call, turn, request),
    withdraw: step => approvals.withdraw(step),
    ...(options.onActivity && { onActivity: options.onActivity }),
  })
  return new RunHost({
    store,
    clock,
    owner: ownName(),
    isGone,
    workflows: [oneshotWorkflow, graphWorkflow] as never,
    performers: {
      'oneshot.agent': new OneshotSteps({ agents, redactor, environment }),
      'graph.codergen': new CodergenSteps(agents),
      'graph.prompt': new CodergenSteps(agents),
      'graph.tool': new ToolSteps({ clock, environment, stepDirectory: call => agents.directory(call) }),
      'graph.simulated': simulatedSteps,
    },
    maxRuns: options.maxRuns,
    random: () => randomInt(2 ** 32) / 2 ** 32,
    onError,
    ...(options.onDriven && { onDriven: options.onDriven }),
  })
}

/** The files of a run: prompts, activities, exports. */
export function runDirectory(dataDirectory: string, run: string): string {
  const directory = join(dataDirectory, 'runs', run)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return directory
}

/** This process, so that others on this machine can tell whether it still lives. */
function ownName(): string {
  return `${hostname()}:${process.pid}:${processStart(process.pid) ?? ''}`
}

/** Only what is certain counts: a process of this machine that has ended. Others let their lease run out. */
function isGone(owner: string): boolean {
  const [host, pid, start] = owner.split(':')
  if (host !== hostname()) return false
  if (!isAlive(Number(pid))) return true
  return start !== '' && processStart(Number(pid)) !== start
}
