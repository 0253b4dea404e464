import { closeSync, openSync, readFileSync } from 'node:fs'
import { type Activity, mergePipes, readActivities, SilenceTimeout, withSilenceTimeout } from '../../activity/index.js'
import { type Clock, delay } from '../../clock/index.js'
import {
  type ChildGroup,
  type GroupExit,
  graceAfter,
  onAbort,
  type ProgramSandbox,
  type SandboxObserver,
  type StepProgram,
  spawnGroup,
} from '../../process/index.js'
import type { Redactor } from '../../text/index.js'
import type { FoundAgent } from '../adapter.js'
import type { HeadlessAgent, HeadlessEnd, HeadlessStep, PermissionAnswer, StdinProtocol } from './headless.js'
import { StepProgress } from './step-progress.js'

export interface RunStepOptions {
  agent: { name: string; location: FoundAgent; headless: HeadlessAgent }
  step: HeadlessStep
  clock: Clock
  redactor: Redactor
  thresholds: {
    inactivityMs: number
    toolInactivityMs: number
    exitGraceMs: number
    killGraceMs: number
    timeoutMs: number
  }
  signal: AbortSignal
  /** Forwards a permission request to a person; absent: every request is denied. */
  onRequest?(request: ApprovalActivity): Promise<PermissionAnswer>
  /** Whether the agent's own files have grown since the last call. */
  hasGrown?(): Promise<boolean>
  /** Puts the agent into the sandbox of its run. */
  inSandbox?: ProgramSandbox | undefined
  onSpawned(process: { pid: number; processStart: string | null; agentSessionId: string | null }): void
  /** Called before anything else happens with the activity; a throw ends the step. */
  log(activity: Activity): void
  /** Waits until the log has caught up, if it is slower than the agent. */
  caughtUp?(): Promise<void> | null
  onActivity(activity: Activity, progress: StepProgress): void
}

type ApprovalActivity = Extract<Activity, { type: 'approval' }>

/** After the exit, pipes may hold a last line; children must not delay us longer. */
const DRAIN_MS = 2_000

/**
 * Runs an agent with one prompt: starts it in its own process group, parses its output, and decides
 * how it ended from its final record first and its exit code second. In every case, no process is
 * left running.
 */
export async function runStep(options: RunStepOptions): Promise<HeadlessEnd> {
  const { agent, step, clock, thresholds, signal } = options
  const command = agent.headless.command(agent.location, step)
  const file = command.stdin === 'prompt' ? openSync(step.promptFile, 'r') : null
  let group: ChildGroup
  let sandboxed: Awaited<ReturnType<ProgramSandbox>> = null
  const plain: StepProgram = {
    file: agent.location.file,
    args: [...agent.location.prefix, ...command.args],
    env: { ...step.env, ...command.env },
    cwd: step.cwd,
  }
  try {
    sandboxed = (await options.inSandbox?.(plain)) ?? null
    const program = sandboxed ?? plain
    group = await spawnGroup(program.file, program.args, {
      cwd: step.cwd,
      env: program.env,
      stdin: command.stdin === 'protocol' ? 'pipe' : file,
      mark: step.name,
      clock,
    })
  } catch (error) {
    sandboxed?.close()
    return failed('spawn', `${agent.name} could not be started: ${(error as Error).message}`, new StepProgress())
  } finally {
    if (file !== null) closeSync(file)
  }
  options.onSpawned({ pid: group.pid, processStart: group.processStart, agentSessionId: command.agentSessionId })
  const progress = new StepProgress()
  progress.sessionId = command.agentSessionId
  const stop = () => void group.kill(graceAfter(signal, thresholds.killGraceMs))
  const unlisten = onAbort(signal, stop)
  const timeout = thresholds.timeoutMs > 0 ? clock.setTimer(thresholds.timeoutMs, stop) : null
  const startedAt = clock.monotonic()
  const protocol =
    command.stdin === 'protocol' && agent.headless.protocol
      ? new ProtocolClient(group, agent.headless.protocol, options)
      : null
  protocol?.begin(readFileSync(step.promptFile, 'utf8'))
  try {
    const silence = await listen(group, progress, protocol, { ...options, observer: sandboxed?.observe?.(group.pid) })
    if (silence) {
      await group.kill(thresholds.killGraceMs)
      return { ...failed('timeout', 'inactivity_timeout', progress), status: 'silent', class: null }
    }
    const exit = await group.exit
    const isTimedOut = timeout !== null && clock.monotonic() - startedAt >= thresholds.timeoutMs
    if (isTimedOut) return { ...failed('timeout', 'step_timeout', progress), status: 'silent' }
    return endOf(exit, progress, agent.headless)
  } finally {
    timeout?.cancel()
    unlisten()
    await group.kill(thresholds.killGraceMs)
    sandboxed?.close()
  }
}

/** Reads until the program and its pipes have ended; returns the silence that ended it early. */
async function listen(
  group: ChildGroup,
  progress: StepProgress,
  protocol: ProtocolClient | null,
  options: RunStepOptions & { observer: SandboxObserver | undefined },
): Promise<SilenceTimeout | null> {
  const { agent, step, clock, redactor, log, onActivity } = options
  const chunks = mergePipes(group.stdout, group.stderr)
  const watched = withSilenceTimeout(untilDrained(chunks, group.exit, clock), {
    clock,
    threshold: () => (protocol?.isWaiting ? null : thresholdOf(progress, options)),
    ...(options.hasGrown && { isAliveElsewhere: options.hasGrown }),
  })
  const stream = readActivities(watched, {
    step: step.name,
    agent: agent.name,
    clock,
    redactor,
    parser: agent.headless.parser(step),
    log,
    ...(options.caughtUp && { caughtUp: options.caughtUp }),
  })
  try {
    for await (const activity of stream) {
      progress.addActivity(activity)
      protocol?.respond(activity)
      options.observer?.activity(activity)
      onActivity(activity, progress)
    }
    return null
  } catch (error) {
    if (error instanceof SilenceTimeout) return error
    throw error
  }
}

function thresholdOf(progress: StepProgress, { agent, thresholds }: RunStepOptions): number | null {
  if (progress.result) return thresholds.exitGraceMs
  const isInTool = progress.isToolOpen || agent.headless.reportsToolsLate === true
  const limit = isInTool ? thresholds.toolInactivityMs : thresholds.inactivityMs
  return limit === 0 ? null : limit + progress.retryMs
}

/** The other side of the protocol with a program: sends the prompt, and answers to its requests. */
class ProtocolClient {
  readonly #group: ChildGroup
  readonly #protocol: StdinProtocol
  readonly #onRequest: RunStepOptions['onRequest']
  #open = 0

  constructor(group: ChildGroup, protocol: StdinProtocol, { onRequest }: RunStepOptions) {
    this.#group = group
    this.#protocol = protocol
    this.#onRequest = onRequest
  }

  /** Whether a person is being asked: silence is then expected. */
  get isWaiting(): boolean {
    return this.#open > 0
  }

  begin(prompt: string): void {
    this.#group.write(this.#protocol.prompt(prompt))
  }

  respond(activity: Activity): void {
    // After its final record it asks nothing more; it exits when its input ends.
    if (activity.type === 'result') this.#group.endInput()
    if (activity.type !== 'approval') return
    this.#open++
    void this.#answer(activity)
      .then(answer => this.#group.write(this.#protocol.answer(activity, answer)))
      .finally(() => {
        this.#open--
      })
  }

  /** Any error while asking a person counts as a denial. */
  async #answer(request: ApprovalActivity): Promise<PermissionAnswer> {
    try {
      return (await this.#onRequest?.(request)) ?? { isAllowed: false, message: 'No person is available to answer.' }
    } catch (error) {
      return { isAllowed: false, message: (error as Error).message }
    }
  }
}

/** Reads the pipes for a moment after the exit only: children may hold them open. */
async function* untilDrained<T>(source: AsyncGenerator<T>, exit: Promise<unknown>, clock: Clock): AsyncGenerator<T> {
  let isOver = false
  let end: () => void = () => undefined
  void exit
    .then(() => delay(clock, DRAIN_MS))
    .then(() => {
      isOver = true
      end()
    })
  // Not a race with the exit promise: that would keep everything read before in memory.
  const nextOrOver = () =>
    new Promise<IteratorResult<T> | typeof OVER>((resolve, reject) => {
      end = () => resolve(OVER)
      if (isOver) end()
      else source.next().then(resolve, reject)
    })
  try {
    for (;;) {
      const next = await nextOrOver()
      if (next === OVER || next.done) return
      yield next.value
    }
  } finally {
    void source.return(undefined)
  }
}

const OVER: unique symbol = Symbol('over')

/**
 * The final record counts if the exit does not contradict it; an exit without one is not a success.
 */
function endOf(exit: GroupExit, progress: StepProgress, { endsByExit }: HeadlessAgent): HeadlessEnd {
  const result = progress.result ?? (endsByExit && exit.code === 0 ? { ok: progress.errorClass === null } : null)
  const how = exit.signal ? `signal_${exit.signal}` : `exit_${exit.code}`
  if (result?.ok && exit.code === 0) {
    return {
      status: 'ok',
      reason: 'ok',
      class: null,
      text: progress.text,
      sessionId: progress.sessionId,
      usage: progress.usage,
      ...(progress.result?.structured !== undefined && { structured: progress.result.structured }),
    }
  }
  if (result && !result.ok)
    return failed(
      progress.errorClass ?? 'unknown',
      `error_${progress.errorClass ?? progress.result?.reason ?? 'unknown'}`,
      progress,
    )
  if (exit.code === 0) return failed('interrupted', 'no_final_record', progress)
  return failed(progress.errorClass ?? 'unknown', progress.errorClass ? `error_${progress.errorClass}` : how, progress)
}

function failed(kind: NonNullable<HeadlessEnd['class']>, reason: string, progress: StepProgress): HeadlessEnd {
  return {
    status: 'failed',
    reason,
    class: kind,
    text: progress.errorText ?? progress.text,
    sessionId: progress.sessionId,
    usage: progress.usage,
  }
}
