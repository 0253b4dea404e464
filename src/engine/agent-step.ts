import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Activity, type ActivityBody, readSegment, SegmentWriter, segmentPath } from '../activity/index.js'
import {
  type AgentAdapter,
  type AgentEnvironment,
  type HeadlessEnd,
  loadAgent,
  type PermissionAnswer,
  type PermissionLevel,
  runStep,
  StepProgress,
} from '../agents/index.js'
import type { Clock } from '../clock/index.js'
import { newEvent } from '../events/index.js'
import { Git } from '../git/index.js'
import { killTree, processesWithMark } from '../process/index.js'
import type { Redactor } from '../text/index.js'
import { AgentSlots } from './agent-slots.js'
import { type LiveListener, type LiveStart, type LiveTurns, saidKey } from './live-turn.js'
import { type Prices, priced } from './prices.js'
import { TranscriptGrowth } from './transcript-growth.js'
import type { Recovery, StepCall } from './workflow.js'

export interface AgentStepsOptions {
  clock: Clock
  redactor: Redactor
  /** Where the files of a run live. */
  runDirectory(run: string): string
  /** The environment of a step in this directory. */
  environment(cwd: string): Record<string, string>
  /** Asks a person for an agent that asks; rejects or denies when the step is stopped. Left out: nobody is there. */
  ask?(call: StepCall, turn: AgentTurn, request: Extract<Activity, { type: 'approval' }>): Promise<PermissionAnswer>
  /** A step is over in an unknown way: what it asked is asked no more. */
  withdraw?(step: string): Promise<void>
  onActivity?(run: string, activity: Activity): void
  /** What models cost whose agents do not tell. */
  prices?: Prices
  /** Steps of an agent at once, by its name; without an entry there is no limit. */
  maxParallel?: Readonly<Record<string, number | null>>
  /** Where programs of agents are, by their names, where the settings say so. */
  commands?: Readonly<Record<string, string>>
  /** Terminals for turns that are to be held in one; left out: there are none here. */
  live?: LiveTurns
}

const KILL_GRACE_MS = 5_000

/** What a workflow itself has to say about what an agent does in one step. */
export interface TurnHooks {
  /** Judges a request before a person is asked; null leaves it to them. */
  judge?(request: Extract<Activity, { type: 'approval' }>): PermissionAnswer | null
  /** Sees everything that the agent does. */
  onActivity?(activity: Activity): void
}

/** One turn of an agent without a terminal, as a workflow wants it. */
export interface AgentTurn {
  agent: string
  model: string | null
  effort?: string | null
  permissions: PermissionLevel
  cwd: string
  prompt: string
  /** The agent's own session to go on with. */
  resume: string | null
  /** With a copy of that session: it itself is somebody else's. */
  isFork?: boolean
  schema: object | null
  maxCostUsd: number | null
  /** Variables for this step beside those of the host. */
  env?: Record<string, string>
  /** In a terminal that people can attach to. */
  isLive?: boolean
  /** Files that are written while it works, and not by it. */
  notItsOwn?: readonly string[]
  /** For a model behind an address. */
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

/** What was so when a step began, kept beside it: recovery compares. */
interface StepStart {
  agent: string
  cwd: string
  tree: string | null
  notItsOwn?: readonly string[]
  head: string | null
  startedAt: number
  sessionId: string | null
  pid: number | null
  processStart: string | null
}

interface Voice extends Omit<LiveListener, 'onStarted'> {
  /** The end of the turn, with what it has spent. */
  account(end: HeadlessEnd): HeadlessEnd
  close(): Promise<void>
}

/** Agents' turns as steps of runs: their files, their activities, and what they leave behind when they die. */
export class AgentSteps {
  readonly #options: AgentStepsOptions
  readonly #slots: AgentSlots

  constructor(options: AgentStepsOptions) {
    this.#options = options
    this.#slots = new AgentSlots(options.maxParallel)
  }

  /** Waits while as many steps of the agent are at work as may be. */
  async run(call: StepCall, turn: AgentTurn, hooks: TurnHooks = {}): Promise<HeadlessEnd> {
    if (this.#slots.isFull(turn.agent))
      call.notice(
        'info',
        `waits: as many steps of ${turn.agent} are at work as agents.${turn.agent}.max_parallel allows`,
      )
    const giveBack = await this.#slots.take(turn.agent, call.signal)
    try {
      return await this.#run(call, turn, hooks)
    } finally {
      giveBack()
    }
  }

  async #run(call: StepCall, turn: AgentTurn, hooks: TurnHooks): Promise<HeadlessEnd> {
    const { clock, redactor } = this.#options
    const adapter = await loadAgent(turn.agent)
    const env = { ...this.#options.environment(turn.cwd), ...turn.env }
    const configuredCommand = this.#options.commands?.[adapter.name] ?? null
    const located = locate(adapter, { env, cwd: turn.cwd, configuredCommand })
    if ('problem' in located) return notThere(located.problem)
    const directory = this.directory(call)
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const promptFile = join(directory, 'prompt.md')
    writeFileSync(promptFile, turn.prompt, { mode: 0o600 })
    const schemaFile = join(directory, 'schema.json')
    if (turn.schema) writeFileSync(schemaFile, JSON.stringify(turn.schema), { mode: 0o600 })
    const start = await this.#startOf(turn)
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
          endpoint: turn.endpoint ?? null,
          apiKeyEnv: turn.apiKeyEnv ?? null,
        },
        clock,
        redactor,
        thresholds: turn.thresholds,
        signal: call.signal,
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
          growth.heard(progress.sessionId)
          model = progress.model ?? model
          if (activity.type === 'usage' && progress.usage) call.spent(priced(progress.usage, model, prices))
          hooks.onActivity?.(activity)
          this.#options.onActivity?.(call.run, activity)
        },
      })
      writeFileSync(join(directory, 'response.md'), redactor.redact(end.text), { mode: 0o600 })
      return end.usage ? ({ ...end, usage: priced(end.usage, model, prices) } as HeadlessEnd) : end
    } finally {
      await segment.close()
    }
  }

  /** After a take-over: goes on with a turn in a terminal that is still there; null for all others. */
  async adopt(
    call: StepCall,
    turn: Pick<AgentTurn, 'thresholds' | 'agent'>,
  ): Promise<{ end: Promise<HeadlessEnd> } | null> {
    const { live } = this.#options
    const start = readStart(this.directory(call))
    if (!live || !start) return null
    const voice = await this.#voice(call, turn.agent)
    const listener = { ...voice, onStarted: () => undefined }
    const adopted = await live.adopt(call, turn, listener)
    if (!adopted) await voice.close()
    return adopted && { end: adopted.end.then(end => voice.account(end)).finally(() => voice.close()) }
  }

  async #runLive(call: StepCall, turn: AgentTurn, start: StepStart): Promise<HeadlessEnd> {
    const { live } = this.#options
    if (!live) return notThere('a worker in a terminal needs the daemon: it keeps the sessions')
    const voice = await this.#voice(call, turn.agent)
    const onStarted = ({ session, pid, processStart, agentSessionId }: LiveStart) => {
      writeStart(this.directory(call), { ...start, pid, processStart, sessionId: agentSessionId })
      const agentSession = agentSessionId !== null && { agentSession: agentSessionId }
      call.record(newEvent('step.spawned', { step: call.step, pid, processStart, session, ...agentSession }))
      if (agentSessionId !== null) voice.say({ type: 'session', sessionId: agentSessionId })
    }
    try {
      return voice.account(await live.run(call, turn, { ...voice, onStarted }))
    } finally {
      await voice.close()
    }
  }

  /** What a turn in a terminal says, into the log of its step, and what it spends, into its account. */
  async #voice(call: StepCall, agent: string): Promise<Voice> {
    const { clock, redactor, onActivity, prices = {} } = this.#options
    const { seq: last, said, progress } = await this.#lastWords(call)
    const segment = new SegmentWriter(this.#segment(call.run, call.step), clock)
    let seq = last
    const spent = () => progress.usage && priced(progress.usage, progress.model, prices)
    const say = (body: ActivityBody) => {
      const key = saidKey(body)
      if (key !== null && said.has(key)) return
      if (key !== null) said.add(key)
      const redacted = redactor.redactValue(body) as ActivityBody
      const activity: Activity = { step: call.name, seq: ++seq, at: clock.now(), agent, ...redacted }
      segment.append(activity)
      progress.take(activity)
      const usage = activity.type === 'usage' ? spent() : null
      if (usage) call.spent(usage)
      onActivity?.(call.run, activity)
    }
    const account = (end: HeadlessEnd): HeadlessEnd => ({ ...end, usage: spent() ?? end.usage })
    return { said, say, account, close: () => segment.close() }
  }

  /** Ends what is left of a step whose host is gone: its processes, and what it asked. */
  async abandon(call: Pick<StepCall, 'run' | 'step' | 'name'>): Promise<void> {
    await this.#options.live?.abandon(call.name)
    const start = readStart(this.directory(call))
    const left = { pid: start?.pid ?? 0, processStart: start?.processStart ?? null, mark: call.name }
    if (left.pid > 0 || processesWithMark(call.name).length > 0)
      await killTree(left, { graceMs: KILL_GRACE_MS, clock: this.#options.clock })
    await this.#options.withdraw?.(call.name)
  }

  /** What a step that died or was cut off left behind: our own log first, then the agent's files, then the working tree. */
  async recover(call: StepCall): Promise<Recovery> {
    const directory = this.directory(call)
    const start = readStart(directory)
    // It is ended before anybody looks: it would go on changing what is looked at.
    await this.abandon(call)
    const log = await this.#lastWords(call)
    const { progress } = log
    const { prices = {} } = this.#options
    const usage = progress.usage && { usage: priced(progress.usage, progress.model, prices) }
    if (progress.result?.ok) {
      const evidence = [{ source: 'log', at: log.at, says: 'the final record of the agent had arrived' }]
      const { sessionId, text } = progress
      return { verdict: 'success', evidence, text, ...(sessionId !== null && { sessionId }), ...usage }
    }
    if (!start) return { verdict: 'nothing', evidence: [{ source: 'step', says: 'the agent was never started' }] }
    const adapter = await loadAgent(start.agent)
    const found = await adapter.headless?.examine({
      env: this.#options.environment(start.cwd),
      cwd: start.cwd,
      directory,
      sessionId: progress.sessionId ?? start.sessionId,
      startedAt: start.startedAt,
      pid: start.pid,
      prompt: readText(join(directory, 'prompt.md')),
      openCalls: progress.openCalls,
    })
    const changed = await changesSince(start)
    const evidence: Recovery['evidence'] = [
      ...(found?.evidence ?? []),
      ...(changed ? [{ source: 'working tree', says: changed }] : []),
    ]
    const sessionId = found?.sessionId ?? progress.sessionId ?? start.sessionId
    const text = found?.text ?? (progress.said || null)
    // What an agent says that is not signed in is no work.
    const hasSaid = progress.errorClass !== 'auth' && (found?.hasWork || progress.said !== '')
    const hasWork = hasSaid || changed !== null
    const verdict = found?.isComplete ? 'success' : hasWork ? 'partial' : 'nothing'
    if (verdict === 'success' && text !== null && !log.isReplayed)
      await this.#replay(call, { agent: start.agent, text, sessionId, seq: log.seq + 1 })
    return { verdict, evidence, ...(text !== null && { text }), ...(sessionId !== null && { sessionId }), ...usage }
  }

  /** Calls of tools with how they ended, one a line, the newest last. */
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

  async #startOf({ agent, cwd, notItsOwn }: AgentTurn): Promise<StepStart> {
    const git = new Git(cwd)
    const tree = (await git.root()) === null ? null : await git.treeHash(notItsOwn)
    return {
      agent,
      cwd,
      tree,
      ...(notItsOwn && { notItsOwn }),
      head: await git.head(),
      startedAt: this.#options.clock.now(),
      sessionId: null,
      pid: null,
      processStart: null,
    }
  }

  /** What our own log has of a step. */
  async #lastWords(call: StepCall) {
    const progress = new StepProgress()
    const log = { progress, seq: 0, at: 0, isReplayed: false, said: new Set<string>() }
    for await (const activity of readSegment(this.#segment(call.run, call.step))) {
      log.seq = activity.seq
      log.at = activity.at
      log.isReplayed ||= activity.recovered === true
      const key = saidKey(activity)
      if (key !== null) log.said.add(key)
      progress.sessionId ??= activity.sessionId ?? null
      progress.take(activity)
    }
    return log
  }

  /** The answer that was found goes where it would have gone: into the log, marked. */
  async #replay(
    call: StepCall,
    { agent, text, sessionId, seq }: { agent: string; text: string; sessionId: string | null; seq: number },
  ): Promise<void> {
    const { clock, redactor, onActivity } = this.#options
    const activity: Activity = {
      step: call.name,
      seq,
      at: clock.now(),
      agent,
      ...(sessionId !== null && { sessionId }),
      recovered: true,
      type: 'text',
      text: redactor.redact(text),
      delta: false,
    }
    const segment = new SegmentWriter(this.#segment(call.run, call.step), clock)
    segment.append(activity)
    await segment.close()
    onActivity?.(call.run, activity)
  }
}

function locate(adapter: AgentAdapter, environment: AgentEnvironment) {
  const location = adapter.locate(environment)
  if (!location.found)
    return { problem: `${adapter.title} was not found (looked for ${location.looked}); ${adapter.install}` }
  if (!adapter.headless) return { problem: `${adapter.title} cannot work without a terminal` }
  return { location, headless: adapter.headless }
}

function notThere(problem: string): HeadlessEnd {
  return { status: 'failed', reason: problem, class: 'spawn', text: '', sessionId: null, usage: null }
}

async function changesSince(start: StepStart): Promise<string | null> {
  if (start.tree === null) return null
  const git = new Git(start.cwd)
  const [tree, head] = [await git.treeHash(start.notItsOwn), await git.head()]
  const commits = head !== start.head && head !== null ? 'there are new commits' : null
  const files = tree === start.tree ? null : `${(await git.status()).length} files differ from the last commit`
  return commits || files ? ['it changed while the step ran', commits, files].filter(Boolean).join('; ') : null
}

function writeStart(directory: string, start: StepStart): void {
  writeFileSync(join(directory, 'start.json'), JSON.stringify(start), { mode: 0o600 })
}

function readStart(directory: string): StepStart | null {
  try {
    return JSON.parse(readFileSync(join(directory, 'start.json'), 'utf8')) as StepStart
  } catch {
    return null
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function short(input: unknown): string {
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? '')
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
