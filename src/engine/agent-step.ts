import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Activity, type ActivityBody, readSegment, SegmentWriter, segmentPath } from '../activity/index.js'
import {
  type AgentAdapter,
  type AgentEnvironment,
  type HeadlessEnd,
  loadAgent,
  type PermissionAnswer,
  type PermissionLevel,
  readToolHookLog,
  runStep,
  type TurnTuning,
} from '../agents/index.js'
import type { Clock } from '../clock/index.js'
import { type EventData, newEvent } from '../events/index.js'
import { endProcesses, isOfStep, type MarkedProcess, type ProgramSandbox, type StepProgram } from '../process/index.js'
import type { Redactor } from '../text/index.js'
import { AgentSlots } from './agent-slots.js'
import { readStepLog, recoverStep } from './agent-step-recovery.js'
import { type LiveListener, type LiveStart, type LiveTurns, onceKey } from './live-turn.js'
import { readStart, type StepStart, stateAtStart, writeStart } from './step-start.js'
import { TranscriptGrowth } from './transcript-growth.js'
import { type Prices, withEstimatedCost } from './usage.js'
import type { Recovery, StepCall } from './workflow.js'

export interface AgentStepsOptions {
  clock: Clock
  redactor: Redactor
  /** The directory that holds a run's files. */
  runDirectory(run: string): string
  /** The environment variables for a step in this directory. */
  environment(cwd: string): Record<string, string>
  /**
   * Forwards an agent's permission request to a person; rejects or denies when the step is stopped.
   * Absent when no person can be asked.
   */
  ask?(call: StepCall, turn: AgentTurn, request: Extract<Activity, { type: 'approval' }>): Promise<PermissionAnswer>
  /** Withdraws a step's open requests, after it ended in an unknown way. */
  withdraw?(step: string): Promise<void>
  onActivity?(run: string, activity: Activity): void
  /** Prices of models whose agents do not report a cost. */
  prices?: Prices
  /** How many steps of an agent may run at once, by agent name; no entry means no limit. */
  maxParallel?: Readonly<Record<string, number | null>>
  /** Configured paths of agent programs, by agent name. */
  commands?: Readonly<Record<string, string>>
  /** The model of agents that call one directly, for turns that name none. */
  endpoint?: { url: string; apiKeyEnv: string | null } | null
  /** Puts a program of a step into the sandbox of its run, or of the turn. */
  inSandbox?(
    call: StepCall,
    step: { agent: string; directory: string; sandbox?: TurnSandbox | undefined },
    program: StepProgram,
  ): ReturnType<ProgramSandbox>
  /** Runs turns in terminals; absent when this process keeps no sessions. */
  live?: LiveTurns
}

/** What a node or a run asks for: `use` is `off` or a backend. */
type TurnSandbox = NonNullable<EventData<'run.created'>['sandbox']>

const KILL_GRACE_MS = 5_000

/** Lets a workflow observe and judge what an agent does in one step. */
export interface TurnHooks {
  /** Judges a request before a person is asked; null passes it on to a person. */
  judge?(request: Extract<Activity, { type: 'approval' }>): PermissionAnswer | null
  /** Receives every activity of the agent. */
  onActivity?(activity: Activity): void
}

/** One agent turn, as a workflow requests it. */
export interface AgentTurn {
  agent: string
  model: string | null
  effort?: string | null
  permissions: PermissionLevel
  cwd: string
  prompt: string
  /** The agent's own session to continue. */
  resume: string | null
  /** Continue a copy of that session, because another turn owns the original. */
  isFork?: boolean
  schema: object | null
  maxCostUsd: number | null
  /** Variables for this step, in addition to the host's. */
  env?: Record<string, string>
  /** Run it in a terminal that people can attach to. */
  isLive?: boolean
  /** The sandbox that the node asks for, if the run has none. */
  sandbox?: TurnSandbox
  /** Files that something other than the agent writes during the turn; recovery ignores them. */
  foreignFiles?: readonly string[]
  /** Settings that only some programs offer. */
  tuning?: TurnTuning
  /** Base URL of the model, for agents that call a model directly. */
  endpoint?: string
  apiKeyEnv?: string
  thresholds: {
    inactivityMs: number
    toolInactivityMs: number
    exitGraceMs: number
    killGraceMs: number
    timeoutMs: number
  }
}

interface ActivityWriter extends Omit<LiveListener, 'onStarted'> {
  /** Adds the usage counted so far to the end of the turn. */
  account(end: HeadlessEnd): HeadlessEnd
  close(): Promise<void>
}

/**
 * Runs agent turns as steps of runs: keeps their files, logs their activities, and recovers what
 * they left behind when they died.
 */
export class AgentSteps {
  readonly #options: AgentStepsOptions
  readonly #slots: AgentSlots

  constructor(options: AgentStepsOptions) {
    this.#options = options
    this.#slots = new AgentSlots(options.maxParallel)
  }

  /** Waits while the agent has as many running steps as its limit allows. */
  async run(call: StepCall, turn: AgentTurn, hooks: TurnHooks = {}): Promise<HeadlessEnd> {
    if (this.#slots.isFull(turn.agent))
      call.notice(
        'info',
        `waiting: ${turn.agent} already runs as many steps as agents.${turn.agent}.max_parallel allows`,
      )
    const release = await this.#slots.acquire(turn.agent, call.signal)
    try {
      return await this.#run(call, turn, hooks)
    } finally {
      release()
    }
  }

  async #run(call: StepCall, turn: AgentTurn, hooks: TurnHooks): Promise<HeadlessEnd> {
    const { clock, redactor } = this.#options
    const adapter = await loadAgent(turn.agent)
    const env = { ...this.#options.environment(turn.cwd), ...turn.env }
    const configuredCommand = this.#options.commands?.[adapter.name] ?? null
    const located = locate(adapter, { env, cwd: turn.cwd, configuredCommand })
    if ('problem' in located) return unavailable(located.problem)
    const directory = this.directory(call)
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const promptFile = join(directory, 'prompt.md')
    writeFileSync(promptFile, turn.prompt, { mode: 0o600 })
    const schemaFile = join(directory, 'schema.json')
    if (turn.schema) writeFileSync(schemaFile, JSON.stringify(turn.schema), { mode: 0o600 })
    const start = await stateAtStart(turn, clock.now())
    writeStart(directory, start)
    if (turn.isLive) return this.#runLive(call, turn, start)
    const segment = new SegmentWriter(this.#segment(call.run, call.step), clock)
    const { ask, prices = {} } = this.#options
    let { model } = turn
    const growth = new TranscriptGrowth(adapter, { env, cwd: turn.cwd, startedAt: start.startedAt }, clock)
    try {
      const end = await runStep({
        agent: { name: adapter.name, location: located.location, headless: located.headless },
        step: {
          name: call.name,
          cwd: turn.cwd,
          env,
          permissions: turn.permissions,
          model: turn.model,
          effort: turn.effort ?? null,
          resume: turn.resume,
          isFork: turn.isFork === true,
          newSessionId: randomUUID(),
          directory,
          promptFile,
          schema: turn.schema && { json: turn.schema, file: schemaFile },
          maxCostUsd: turn.maxCostUsd,
          ...(turn.tuning && { tuning: turn.tuning }),
          endpoint: turn.endpoint ?? this.#options.endpoint?.url ?? null,
          apiKeyEnv: turn.apiKeyEnv ?? this.#options.endpoint?.apiKeyEnv ?? null,
        },
        clock,
        redactor,
        thresholds: turn.thresholds,
        signal: call.signal,
        ...(this.#options.inSandbox && {
          inSandbox: (program: StepProgram) =>
            this.#options.inSandbox!(call, { agent: adapter.name, directory, sandbox: turn.sandbox }, program),
        }),
        hasGrown: () => growth.hasGrown(),
        ...(ask && { onRequest: async request => hooks.judge?.(request) ?? ask(call, turn, request) }),
        onSpawned: ({ pid, processStart, agentSessionId }) => {
          writeStart(directory, { ...start, pid, processStart, sessionId: agentSessionId })
          const agentSession = agentSessionId !== null && { agentSession: agentSessionId }
          call.record(newEvent('step.spawned', { step: call.step, pid, processStart, ...agentSession }))
        },
        log: activity => segment.append(activity),
        caughtUp: () => segment.caughtUp(),
        onActivity: (activity, progress) => {
          growth.noteRecord(progress.sessionId)
          model = progress.model ?? model
          if (activity.type === 'usage' && progress.usage) call.spent(withEstimatedCost(progress.usage, model, prices))
          hooks.onActivity?.(activity)
          this.#options.onActivity?.(call.run, activity)
        },
      })
      for (const text of readToolHookLog(directory)) call.notice('warning', redactor.redact(text))
      writeFileSync(join(directory, 'response.md'), redactor.redact(end.text), { mode: 0o600 })
      return end.usage ? ({ ...end, usage: withEstimatedCost(end.usage, model, prices) } as HeadlessEnd) : end
    } finally {
      await segment.close()
    }
  }

  /** After a take-over: continues a turn whose terminal session still runs; null for all others. */
  async takeOver(
    call: StepCall,
    turn: Pick<AgentTurn, 'thresholds' | 'agent'>,
  ): Promise<{ end: Promise<HeadlessEnd> } | null> {
    const { live } = this.#options
    const start = readStart(this.directory(call))
    if (!live || !start) return null
    const writer = await this.#activityWriter(call, turn.agent)
    const listener = { ...writer, onStarted: () => undefined }
    const taken = await live.takeOver(call, turn, listener)
    if (!taken) await writer.close()
    return taken && { end: taken.end.then(end => writer.account(end)).finally(() => writer.close()) }
  }

  async #runLive(call: StepCall, turn: AgentTurn, start: StepStart): Promise<HeadlessEnd> {
    const { live } = this.#options
    if (!live) return unavailable('an agent in a terminal needs the daemon, which keeps the sessions')
    const writer = await this.#activityWriter(call, turn.agent)
    const onStarted = ({ session, pid, processStart, agentSessionId }: LiveStart) => {
      writeStart(this.directory(call), { ...start, pid, processStart, sessionId: agentSessionId })
      const agentSession = agentSessionId !== null && { agentSession: agentSessionId }
      call.record(newEvent('step.spawned', { step: call.step, pid, processStart, session, ...agentSession }))
      if (agentSessionId !== null) writer.log({ type: 'session', sessionId: agentSessionId })
    }
    try {
      return writer.account(await live.run(call, turn, { ...writer, onStarted }))
    } finally {
      await writer.close()
    }
  }

  /** Writes the activities of a turn in a terminal to the log of its step, and counts its usage. */
  async #activityWriter(call: StepCall, agent: string): Promise<ActivityWriter> {
    const { clock, redactor, onActivity, prices = {} } = this.#options
    const { seq: last, logged, progress } = await readStepLog(this.#segment(call.run, call.step))
    const segment = new SegmentWriter(this.#segment(call.run, call.step), clock)
    let seq = last
    const spent = () => progress.usage && withEstimatedCost(progress.usage, progress.model, prices)
    const log = (body: ActivityBody) => {
      const key = onceKey(body)
      if (key !== null && logged.has(key)) return
      if (key !== null) logged.add(key)
      const redacted = redactor.redactValue(body) as ActivityBody
      const activity: Activity = { step: call.name, seq: ++seq, at: clock.now(), agent, ...redacted }
      segment.append(activity)
      progress.addActivity(activity)
      const usage = activity.type === 'usage' ? spent() : null
      if (usage) call.spent(usage)
      onActivity?.(call.run, activity)
    }
    const account = (end: HeadlessEnd): HeadlessEnd => ({ ...end, usage: spent() ?? end.usage })
    return { logged, log, account, close: () => segment.close() }
  }

  /** Cleans up after a step whose host is gone: ends its processes and withdraws its requests. */
  async abandon(call: Pick<StepCall, 'run' | 'step' | 'name'>): Promise<void> {
    await this.#options.live?.abandon(call.name)
    const start = readStart(this.directory(call))
    const leader = { pid: start?.pid ?? 0, processStart: start?.processStart ?? null }
    const isWanted = (found: MarkedProcess) => isOfStep(found, call.name)
    await endProcesses({ leaders: [leader], isWanted, graceMs: KILL_GRACE_MS, clock: this.#options.clock })
    await this.#options.withdraw?.(call.name)
  }

  /** Finds what a step left behind when it died or was cut off. */
  async recover(call: StepCall): Promise<Recovery> {
    const directory = this.directory(call)
    const start = readStart(directory)
    // End the agent first: it would keep changing what is examined.
    await this.abandon(call)
    return recoverStep(this.#options, call, { start, directory, segment: this.#segment(call.run, call.step) })
  }

  /** One line for each tool call with its result, newest last. */
  async toolDigest(run: string, step: string, max = 200): Promise<string[]> {
    const calls = new Map<string, string>()
    const lines: string[] = []
    for await (const activity of readSegment(this.#segment(run, step))) {
      if (activity.type === 'tool_call') calls.set(activity.callId, `${activity.tool} ${short(activity.input)}`)
      if (activity.type !== 'tool_result') continue
      const how = activity.exitCode === undefined ? (activity.ok ? 'ok' : 'failed') : `exit ${activity.exitCode}`
      lines.push(`${calls.get(activity.callId) ?? activity.callId}: ${how}`)
    }
    return lines.slice(-max)
  }

  /** The files of one step. */
  directory({ run, step }: Pick<StepCall, 'run' | 'step'>): string {
    return join(this.#options.runDirectory(run), 'steps', step.replaceAll('/', '~'))
  }

  #segment(run: string, step: string): string {
    return segmentPath(this.#options.runDirectory(run), step)
  }
}

function locate(adapter: AgentAdapter, environment: AgentEnvironment) {
  const location = adapter.locate(environment)
  if (!location.found)
    return { problem: `${adapter.title} was not found (looked for ${location.looked}); ${adapter.install}` }
  if (!adapter.headless) return { problem: `${adapter.title} cannot work without a terminal` }
  return { location, headless: adapter.headless }
}

function unavailable(problem: string): HeadlessEnd {
  return { status: 'failed', reason: problem, class: 'spawn', text: '', sessionId: null, usage: null }
}

function short(input: unknown): string {
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? '')
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
