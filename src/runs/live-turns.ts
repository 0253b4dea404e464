import type { HeadlessEnd } from '../agents/index.js'
import type { Clock } from '../clock/index.js'
import {
  type AgentTurn,
  getRun,
  isEnded,
  type LiveListener,
  type LiveTurns,
  type StepAbort,
  type StepCall,
} from '../engine/index.js'
import { type EventData, isEvent } from '../events/index.js'
import type { StartRequest } from '../host/index.js'
import { processStart } from '../process/index.js'
import { type SessionPort, type SessionRecord, sessionStream } from '../sessions/index.js'
import type { EventStore } from '../store/index.js'
import { followTranscript } from './live-stream.js'
import type { StepSandboxes } from './step-sandboxes.js'

/** The part of a host that runs sessions. */
export interface SessionHost {
  readonly store: EventStore
  startSession(request: StartRequest): Promise<SessionRecord>
  record(id: string): Promise<SessionRecord>
  records(): Promise<SessionRecord[]>
  live(id: string): SessionPort | null
  /** Waits while the session catches up after a restart. */
  whenLive(id: string): Promise<SessionPort | null>
  /** It is live, or will be when it has caught up. */
  isRunning(id: string): boolean
}

/** How often silence is measured; the end of a turn is noticed at once. */
const POLL_MS = 1_000

/** How long to wait for the answer after its turn has closed. */
const ANSWER_MS = 5_000

type Thresholds = AgentTurn['thresholds']

/**
 * Runs steps as sessions in terminals. The label of a session is the name of its step, by which a
 * later host finds it. `turn.closed` ends the step, and the answer is the session's message.
 */
export class SessionTurns implements LiveTurns {
  readonly #host: SessionHost
  readonly #clock: Clock
  readonly #sandboxOf: StepSandboxes['sandboxOf'] | undefined

  /** `sandboxOf`: what a run and its node ask for. If absent, as the settings define. */
  constructor(host: SessionHost, clock: Clock, sandboxOf?: StepSandboxes['sandboxOf']) {
    this.#host = host
    this.#clock = clock
    this.#sandboxOf = sandboxOf
  }

  async run(call: StepCall, turn: AgentTurn, listener: LiveListener): Promise<HeadlessEnd> {
    const record = await this.#host.startSession({
      agent: turn.agent,
      args: turn.model === null ? [] : ['--model', turn.model],
      cwd: turn.cwd,
      terminal: null,
      size: null,
      person: 'local',
      label: call.name,
      step: call.name,
      resume: turn.resume,
      sandbox: await this.#sandboxOf?.(call.run, turn.sandbox),
    })
    const { id, pid } = record
    const agentSessionId = record.agentSessionId ?? null
    listener.onStarted({ session: id, pid, processStart: processStart(pid), agentSessionId })
    call.notice('info', `runs in a terminal: signalbox attach ${id}`)
    const refusal = await this.#sendPrompt(id, turn.prompt)
    if (refusal !== null) {
      await this.#host.live(id)?.stop('it did not accept its task')
      return end('failed', 'prompt_not_taken', refusal, agentSessionId)
    }
    return this.#wait(call, id, turn.thresholds, listener)
  }

  async takeOver(
    call: StepCall,
    { thresholds }: Pick<AgentTurn, 'thresholds'>,
    listener: LiveListener,
  ): Promise<{ end: Promise<HeadlessEnd> } | null> {
    const record = (await this.#sessionsOf(call.name)).at(-1)
    const session = record && (await this.#host.whenLive(record.id))
    if (!record || !session) return null
    // A prompt without a turn may have been typed or not: it is never typed twice.
    const { isOpened } = await this.#read(record.id)
    if (!isOpened && session.heldPrompts.length === 0) return null
    return { end: this.#wait(call, record.id, thresholds, listener) }
  }

  async abandon(step: string): Promise<void> {
    for (const { id } of await this.#sessionsOf(step)) await (await this.#host.whenLive(id))?.stop('its step has ended')
  }

  /** Null if the agent has its task, or will have it once a person has answered a dialog. */
  async #sendPrompt(id: string, prompt: string): Promise<string | null> {
    const session = this.#host.live(id)
    const sent = await session?.send(prompt, { meaning: 'text' })
    if (!session || !sent) return 'the session is gone'
    if (sent.result === 'unconfirmed') return sent.detail
    if (sent.result !== 'refused') return null
    if (sent.reason === 'gone') return sent.detail
    const held = await session.send(prompt, { meaning: 'text', whenBusy: 'hold' })
    return held.result === 'refused' ? held.detail : null
  }

  async #sessionsOf(name: string): Promise<SessionRecord[]> {
    return (await this.#host.records()).filter(
      ({ label, state }) => label === name && state !== 'ended' && state !== 'lost',
    )
  }

  /** The transcript gives the activities of the step, the session its outcome. */
  async #wait(call: StepCall, id: string, thresholds: Thresholds, listener: LiveListener): Promise<HeadlessEnd> {
    const record = await this.#host.record(id)
    let { agentSessionId = null } = record
    const stream = await followTranscript(record, () => agentSessionId, listener, this.#clock)
    const { closed, end } = await this.#untilClosed(call, id, thresholds, ({ agentSessionId: known }) => {
      agentSessionId = known ?? agentSessionId
    }).finally(() => stream.finish())
    if (closed === null) return end
    const { text } = end
    // The transcript may have reported the answer in pieces, of which the last one ends it.
    const isReported = stream.lastText !== '' && text.trim().endsWith(stream.lastText.trim())
    if (text !== '' && !isReported) listener.log({ type: 'text', text, delta: false })
    listener.log({ type: 'result', ok: closed === 'done', reason: closed, text })
    return end
  }

  /** `closed` is the outcome of the turn; null if the session ended or was stopped before. */
  async #untilClosed(
    call: StepCall,
    id: string,
    thresholds: Thresholds,
    onRecord: (record: SessionRecord) => void,
  ): Promise<{ closed: string | null; end: HeadlessEnd }> {
    const { signal } = call
    const startedAt = this.#clock.monotonic()
    let lastOutput = { offset: -1, at: startedAt }
    let closedAt: number | null = null
    for (;;) {
      const session = this.#host.live(id)
      await session?.effectsDone()
      const record = await this.#host.record(id)
      onRecord(record)
      const { closed, answer } = await this.#read(id)
      const agentSessionId = record.agentSessionId ?? null
      if (signal.aborted) {
        // After a release another host continues the session; else it ends with its step.
        const { why } = signal.reason as StepAbort
        if (why !== 'released' && why !== 'fenced') await session?.stop('its step was stopped')
        return { closed: null, end: end('failed', 'stopped', answer, agentSessionId) }
      }
      // The agent may write its answer to the transcript after the end of the turn.
      if (closed && answer === '' && session && !signal.aborted) {
        closedAt ??= this.#clock.monotonic()
        if (this.#clock.monotonic() - closedAt < ANSWER_MS) {
          await this.#change(session, signal)
          continue
        }
      }
      if (closed) {
        await session?.stop('its step is done')
        const isDone = closed === 'done'
        return { closed, end: end(isDone ? 'ok' : 'failed', isDone ? '' : `turn_${closed}`, answer, agentSessionId) }
      }
      if (!session || record.state === 'ended' || record.state === 'lost')
        return { closed: null, end: end('failed', exitOf(record), answer, agentSessionId) }
      const now = this.#clock.monotonic()
      if (session.offset !== lastOutput.offset || session.approval) lastOutput = { offset: session.offset, at: now }
      const { inactivityMs, timeoutMs } = thresholds
      const isSilent = inactivityMs > 0 && now - lastOutput.at >= inactivityMs
      if (isSilent || (timeoutMs > 0 && now - startedAt >= timeoutMs)) {
        await session.stop(isSilent ? 'no output for too long' : 'it took too long')
        return {
          closed: null,
          end: end('silent', isSilent ? 'inactivity_timeout' : 'step_timeout', answer, agentSessionId),
        }
      }
      await this.#change(session, signal)
    }
  }

  async #change(session: SessionPort, signal: AbortSignal): Promise<void> {
    let stop: () => void = () => undefined
    const aborted = new Promise<void>(resolve => {
      stop = resolve
      signal.addEventListener('abort', stop, { once: true })
    })
    await Promise.race([session.changed(POLL_MS), aborted])
    signal.removeEventListener('abort', stop)
  }

  /** The state of the session's first turn, which has the prompt. */
  async #read(id: string): Promise<{ isOpened: boolean; closed: string | null; answer: string }> {
    const events = await this.#host.store.readStream(sessionStream(id))
    const opened = events.find(({ type }) => type === 'turn.opened')
    const { turn } = (opened?.data ?? {}) as Partial<EventData<'turn.opened'>>
    let closed: string | null = null
    const messages = new Map<string, EventData<'message.final'>>()
    for (const event of events) {
      if (isEvent(event, 'turn.closed') && event.data.turn === turn) closed ??= event.data.outcome
      // A later event of the same message corrects it.
      if (isEvent(event, 'message.final') && event.data.turn === turn) messages.set(event.data.message, event.data)
    }
    return { isOpened: opened !== undefined, closed, answer: lastAnswer([...messages.values()]) }
  }
}

/** The last message, with the parts that it continues. */
function lastAnswer(messages: readonly EventData<'message.final'>[]): string {
  const before = messages.slice(0, -1).findLastIndex(({ continues }) => !continues)
  return messages
    .slice(before + 1)
    .map(({ markdown }) => markdown)
    .join('\n\n')
}

/** The steps that run in live sessions: `<run>/<step>`. */
export async function sessionSteps(host: Pick<SessionHost, 'records' | 'isRunning'>): Promise<ReadonlySet<string>> {
  return new Set((await host.records()).flatMap(({ id, label }) => (label && host.isRunning(id) ? [label] : [])))
}

/** Ends the sessions of runs that were cancelled while no host was running. */
export async function endSessionsOfEndedRuns(host: SessionHost): Promise<void> {
  for (const { id, label, state } of await host.records()) {
    const run = state === 'ended' || state === 'lost' ? null : /^(run_[a-z0-9]+)\//.exec(label ?? '')?.[1]
    if (!run) continue
    const record = await getRun(host.store, run).catch(() => null)
    if (record && isEnded(record.status)) await (await host.whenLive(id))?.stop('its run has ended')
  }
}

function exitOf({ exit }: SessionRecord): string {
  if (exit?.signal) return `signal_${exit.signal}`
  return exit?.code == null ? 'host_lost' : `exit_${exit.code}`
}

function end(status: HeadlessEnd['status'], reason: string, text: string, sessionId: string | null): HeadlessEnd {
  return { status, reason, class: null, text, sessionId, usage: null }
}
