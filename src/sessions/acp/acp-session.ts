import type { AgentReport } from '../../agents/index.js'
import type { ApprovalRecord } from '../../approvals/index.js'
import type { EventData, EventType } from '../../events/index.js'
import type { KeptExit, RecordingFailure } from '../../keeper/index.js'
import type { ScreenView } from '../../panes/index.js'
import type { Block } from '../../screen/index.js'
import { type MessageRef, MessageWriter } from '../conversation/index.js'
import { Effects, Waiters } from '../effects.js'
import type { InterruptResult } from '../live/interrupt-agent.js'
import type { Holder } from '../live/keyboard.js'
import type { HeldPrompt } from '../live/logged-prompts.js'
import type { Phase } from '../live/phase-table.js'
import { type Delivery, PromptQueue, type SendOptions } from '../live/prompt-queue.js'
import type { SendResult } from '../live/send-gate.js'
import { cleanText } from '../live/send-text.js'
import { endProcess, SessionEnding } from '../live/session-ending.js'
import { SessionNotices } from '../live/session-notices.js'
import {
  DEFAULT_TIMES,
  type LiveSessionOptions,
  type SessionObserver,
  type SessionTimes,
  SILENT_AGENT,
} from '../live/session-options.js'
import type { LocalSession, SessionState } from '../live/session-port.js'
import { AcpConversation, type AcpEvent, type PermissionAsk } from './acp-conversation.js'
import { AcpHandshake } from './acp-handshake.js'
import { AcpRequests } from './acp-requests.js'
import { ERROR, encodeMessage, LineSplitter, METHOD, parseMessage, type RpcMessage } from './wire.js'
import { NO_SCREEN, observationOf } from './without-screen.js'

export interface AcpSessionOptions
  extends Pick<
    LiveSessionOptions,
    | 'record'
    | 'keeper'
    | 'journal'
    | 'ledger'
    | 'clock'
    | 'hostName'
    | 'agent'
    | 'times'
    | 'pause'
    | 'emit'
    | 'onError'
    | 'onEnded'
    | 'onLagging'
  > {
  version: string
  /** What the agent says about itself, for the status of its pane and its usage. */
  onReport(report: AgentReport): void
}

/** How long the agent may take to stop its turn. */
const CANCEL_MS = 10_000
/** How long a prompt waits for the agent's conversation to be open. */
const READY_MS = 60_000
const STOP_GRACE_MS = 10_000
/** Lines of the agent that are not messages of the protocol: the newest say why it ended. */
const COMPLAINTS_KEPT = 50

/**
 * An agent that speaks the Agent Client Protocol, without a terminal. The keeper owns its process
 * and records both directions of the conversation; `AcpConversation` folds them, old messages and
 * new ones alike. What surfaces see and the log contains is the same as for a session in a
 * terminal: turns, messages, requests, prompts.
 *
 * Signalbox offers the agent neither files nor terminals of its own: the agent has both itself, in
 * its sandbox, and what it may do there is a request in the ledger.
 */
export class AcpSession implements LocalSession {
  readonly id: string
  readonly screen: ScreenView = NO_SCREEN
  readonly frame = null
  readonly terminal = { isRead: () => Promise.resolve() }
  readonly #options: AcpSessionOptions
  readonly #times: SessionTimes
  readonly #waiters: Waiters
  readonly #effects: Effects
  readonly #conversation: AcpConversation
  readonly #received = new LineSplitter()
  readonly #sent = new LineSplitter()
  readonly #notices: SessionNotices
  readonly #ending: SessionEnding
  readonly #messages: MessageWriter
  readonly #requests: AcpRequests
  readonly #handshake: AcpHandshake
  readonly #prompts: PromptQueue
  #observer: SessionObserver | null = null
  #offset = 0
  /** The time of the newest message, in seconds since the start. */
  #t = 0
  #isLive = false
  #isClosed = false
  #reports = 0
  #phase: Phase = 'dormant'
  #complaints: string[] = []
  #work: Promise<unknown> = Promise.resolve()

  constructor(options: AcpSessionOptions) {
    const { clock, onError, record, journal, ledger, hostName, emit } = options
    this.id = record.id
    this.#options = options
    this.#times = { ...DEFAULT_TIMES, ...options.times }
    this.#conversation = new AcpConversation(this.id)
    this.#handshake = new AcpHandshake({
      record,
      version: options.version,
      conversation: this.#conversation,
      call: (method, params) => this.#call(method, params),
    })
    this.#waiters = new Waiters(clock)
    this.#effects = new Effects(onError, () => this.#changed())
    const ports = {
      session: this.id,
      clock,
      isExited: () => this.exit !== null,
      isCatchingUp: () => !this.#isLive,
      record: <T extends EventType>(type: T, data: EventData<T>) => this.#record(type, data),
      onError,
    }
    this.#notices = new SessionNotices({
      session: record,
      clock,
      times: this.#times,
      lastRows: count => this.#complaints.slice(-count),
      unattendedMs: () => 0,
      notify: notice => this.#record('session.noticed', { session: this.id, ...notice }),
      onSilence: () => this.#notices.silent(),
      onAbandoned: () => undefined,
    })
    this.#ending = new SessionEnding({
      ...ports,
      agent: options.agent ?? SILENT_AGENT,
      agentSessionId: record.agentSessionId ?? null,
      notices: this.#notices,
      lastLook: () => null,
    })
    this.#messages = new MessageWriter({
      ...ports,
      typingRepeatMs: this.#times.typingRepeatMs,
      transcriptWaitMs: 0,
      effects: this.#effects,
      waiters: this.#waiters,
      emit,
      write: (type, data) => journal.write(type, data),
    })
    const { agent, project, cwd } = record
    this.#requests = new AcpRequests({
      subject: { agent, session: this.id, project, cwd, hostName },
      ledger,
      clock,
      answer: (ask, option) => this.#answer(ask, option),
      say: async text => void (await this.#prompts.send(text, { whenBusy: 'hold' })),
      interrupt: () => this.interrupt(),
      onError,
    })
    this.#prompts = new PromptQueue({
      ...ports,
      journal,
      deliver: (text, how) => this.#deliver(text, how),
      alone: work => this.#alone(work),
      changed: ms => this.#waiters.changed(ms),
      isIdle: () => this.isIdle,
      ...(options.pause && { pause: options.pause }),
      lastTurn: () => this.lastTurn,
      onDelivered: () => this.lastTurn,
      untilBegun: async () => undefined,
      settled: () => this.settled(),
      onFailed: detail => this.#notices.undelivered(detail),
    })
  }

  // — what surfaces read —

  get offset(): number {
    return this.#offset
  }

  get phase(): Phase {
    return this.#phase
  }

  get lastTurn(): string | null {
    return this.#conversation.lastTurn
  }

  get exit(): KeptExit | null {
    return this.#ending.exit
  }

  get observation(): SessionState['observation'] {
    if (this.#conversation.isReady) return observationOf(this.#phase, 'open')
    return observationOf(this.#phase, this.#handshake.needsSignIn ? 'needs sign-in' : 'opening')
  }

  get question(): string | null {
    return this.approval?.display.title ?? null
  }

  get compactCommand(): string | null {
    const found = ['compact', 'compress', 'summarize'].find(name => this.#conversation.commands.includes(name))
    return found === undefined ? null : `/${found}`
  }

  get approval(): ApprovalRecord | null {
    return this.#requests.first
  }

  get openMessage(): MessageRef | null {
    return this.#conversation.openMessage
  }

  get blocks(): readonly Block[] {
    return this.#conversation.blocks
  }

  get holder(): Holder {
    return { kind: 'none' }
  }

  get heldPrompts(): readonly HeldPrompt[] {
    return this.#prompts.held
  }

  get viewers(): number {
    return 0
  }

  get isIdle(): boolean {
    return this.#conversation.isReady && this.#phase === 'dormant' && !this.#messages.isClosing && this.exit === null
  }

  get isApplicationCursor(): boolean {
    return false
  }

  async currentFrame(): Promise<null> {
    return null
  }

  // — from the keeper —

  output(bytes: Uint8Array, t: number, offset: number): void {
    this.#offset = offset + bytes.length
    this.#t = t
    for (const line of this.#received.push(bytes)) {
      const message = parseMessage(line)
      if (message) this.#take(this.#conversation.received(message, t))
      else if (line !== '') this.#complaints = [...this.#complaints, line].slice(-COMPLAINTS_KEPT)
    }
    this.#notices.changed()
    this.#observer?.outputs([], t, this.#isLive)
    this.#changed()
  }

  resized(): void {}

  typed(bytes: Uint8Array, t: number): void {
    this.#t = t
    for (const line of this.#sent.push(bytes)) {
      const message = parseMessage(line)
      if (message) this.#take(this.#conversation.sent(message, t))
    }
  }

  exited(exit: KeptExit): void {
    this.#ending.exited(exit)
    this.#take(this.#conversation.exited(exit.t))
    this.#observer?.exited(exit, this.#ending.isExpected)
    this.#notices.stop()
    this.#effects.later(() => this.#requests.withdrawAll('session ended'))
    this.#setPhase('process-exit')
    this.#ending.write()
    this.#effects.later(() => this.#options.keeper.forget(this.id))
    this.#effects.later(async () => this.#options.onEnded?.())
    this.#waiters.wake()
  }

  lagging(): void {
    this.#isLive = false
    this.#options.onLagging?.()
  }

  unrecorded({ code, message }: RecordingFailure): void {
    const { recording } = this.#options.record
    this.#record('recording.failed', { session: this.id, recording, code, message })
  }

  async goLive(): Promise<void> {
    this.#isLive = true
    if (this.exit) return
    this.#notices.start({ isReady: this.#conversation.isReady })
    this.#notices.atWork(this.#phase !== 'dormant')
    if (this.#offset > 0) this.#effects.later(() => this.#requests.takeOver(this.#conversation.asks))
    this.#prompts.resolveUnfinished()
    this.#effects.later(() => this.#continueHandshake())
    this.#changed()
  }

  observe(observer: SessionObserver): void {
    this.#observer = observer
  }

  detach(): void {
    this.#messages.stop()
  }

  close(): void {
    this.#isClosed = true
    this.#notices.stop()
  }

  // — from people —

  /** There is no terminal to type into. */
  async type(): Promise<boolean> {
    return false
  }

  async send(text: string, options: SendOptions = {}): Promise<SendResult> {
    await this.#waiters.until(READY_MS, () => this.#isSettled)
    return this.#prompts.send(text, options)
  }

  async dropPrompt(id: string): Promise<boolean> {
    return this.#prompts.drop(id)
  }

  async interrupt(): Promise<InterruptResult> {
    const { turn, agentSession: sessionId } = this.#conversation
    if (this.exit) return { result: 'refused', reason: 'gone', detail: 'the session has ended' }
    if (turn === null) return { result: 'idle' }
    await this.#write({ method: METHOD.cancel, params: { sessionId } })
    for (const ask of this.#conversation.asks) {
      await this.#requests.withdraw(ask, 'interrupted')
      await this.#answer(ask, null)
    }
    const isStopped = await this.#waiters.until(CANCEL_MS, () => this.exit !== null || this.#conversation.turn !== turn)
    await this.settled()
    return isStopped
      ? { result: 'interrupted' }
      : { result: 'unconfirmed', detail: 'the agent has not ended its turn yet' }
  }

  async stop(reason = 'stopped', graceMs = STOP_GRACE_MS): Promise<void> {
    if (this.exit) return
    this.#ending.expect(reason)
    const { clock, keeper } = this.#options
    if (graceMs > 0 && this.#conversation.turn !== null) await this.interrupt().catch(this.#options.onError)
    await endProcess(this, { clock, keeper, graceMs })
  }

  async apply(record: ApprovalRecord): Promise<void> {
    await this.#requests.apply(record)
    this.#changed()
  }

  changed(ms: number): Promise<void> {
    return this.#waiters.changed(ms)
  }

  settled(): Promise<void> {
    return this.#effects.settled()
  }

  // — inside —

  /** Its conversation is open, or never will be. */
  get #isSettled(): boolean {
    return this.#conversation.isReady || this.#handshake.failure !== null || this.exit !== null
  }

  async #continueHandshake(): Promise<void> {
    const failure = this.exit ? null : await this.#handshake.proceed()
    if (failure) this.#failHandshake(failure)
  }

  async #deliver(text: string, { onStarted }: Delivery): Promise<SendResult> {
    const { agentSession: sessionId } = this.#conversation
    if (this.exit) return { result: 'refused', reason: 'gone', detail: 'the session has ended' }
    if (!this.#conversation.isReady)
      return {
        result: 'refused',
        reason: 'no-agent',
        detail: this.#handshake.failure?.error.message ?? 'the agent has not opened its conversation yet',
      }
    const clean = cleanText(text)
    if (clean.trim() === '') return { result: 'refused', reason: 'text', detail: 'the prompt is empty' }
    if (this.#conversation.turn !== null)
      return { result: 'refused', reason: 'busy', detail: 'the agent works on another prompt' }
    await onStarted()
    await this.#call(METHOD.prompt, { sessionId, prompt: [{ type: 'text', text: clean }] })
    return { result: 'delivered' }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#work.then(work)
    this.#work = turn.catch(() => undefined)
    return turn
  }

  async #answer({ rpc }: PermissionAsk, option: string | null): Promise<void> {
    const outcome = option === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option }
    await this.#write({ id: rpc, result: { outcome } })
    this.#changed()
  }

  #call(method: string, params: unknown): Promise<void> {
    return this.#write({ id: this.#conversation.nextCall, method, params })
  }

  async #write(message: RpcMessage): Promise<void> {
    const { keeper } = this.#options
    this.#take(this.#conversation.sent(message, this.#t))
    await keeper.write(this.id, encodeMessage(message))
  }

  #take(events: readonly AcpEvent[]): void {
    for (const event of events) this.#perform(event)
  }

  #perform(event: AcpEvent): void {
    switch (event.is) {
      case 'initialized':
        this.#handshake.initialized(event)
        return this.#whenLive(() => this.#continueHandshake())
      case 'identified':
        this.#ending.identify(event.agentSession, 'acp', this.#handshake.agentVersion)
        this.#notices.ready()
        return this.#record('session.ready', {})
      case 'handshake-failed':
        return this.#failHandshake(event)
      case 'turn-opened':
        this.#record('turn.opened', { session: this.id, turn: event.turn, prompt: event.prompt })
        return this.#setPhase('prompt-sent')
      case 'said':
        this.#messages.update(this.openMessage, this.blocks)
        return this.#setPhase('response_content')
      case 'message-closed': {
        const hasError = event.closed.blocks.at(-1)?.kind === 'error'
        const isEnding = event.outcome === 'interrupted' || (event.outcome === 'failed' && !hasError)
        const ending = isEnding ? (event.outcome as 'interrupted' | 'failed') : null
        const isCrash = ending === 'failed' && this.exit !== null
        return this.#messages.close(event.closed, { ending: isCrash ? 'crashed' : ending, waits: false })
      }
      case 'turn-closed':
        if (event.error) this.#noticeError(event.error.message)
        this.#record('turn.closed', { session: this.id, turn: event.turn, outcome: event.outcome })
        this.#whenLive(() => this.#requests.withdrawAll('the turn has ended'))
        return this.#setPhase(event.outcome === 'interrupted' ? 'interrupted' : 'idle_prompt')
      case 'asked':
        this.#setPhase('tool_menu:new')
        return this.#whenLive(() => this.#requests.raise(event.ask))
      case 'answered':
        return this.#setPhase('tool_running')
      case 'unsupported':
        return this.#whenLive(() =>
          this.#write({
            id: event.rpc,
            error: { code: ERROR.methodNotFound, message: `${event.method} is not offered` },
          }),
        )
      case 'stated':
        return this.#report(event.statement)
      default:
        return event satisfies never
    }
  }

  #failHandshake(event: Extract<AcpEvent, { is: 'handshake-failed' }>): void {
    this.#handshake.failed(event)
    this.#notices.ready()
    const { complaint } = this.#handshake
    if (this.#isLive && complaint) this.#record('session.noticed', { session: this.id, ...complaint })
    this.#changed()
  }

  #noticeError(message: string): void {
    const { number } = this.#options.record
    const text = `Session ${number}: the agent ended its turn with an error: ${message}`
    if (this.#isLive) this.#record('session.noticed', { session: this.id, kind: 'error', text })
  }

  /** What acts on the agent or the ledger; old messages cause nothing. */
  #whenLive(work: () => Promise<void>): void {
    if (this.#isLive) this.#effects.later(work)
  }

  #setPhase(event: string): void {
    const { turn, asks, openMessage } = this.#conversation
    const from = this.#phase
    const isSpeaking = openMessage !== null && this.#conversation.blocks.length > 0
    const to: Phase =
      turn === null || this.exit ? 'dormant' : asks.length > 0 ? 'tool-pending' : isSpeaking ? 'streaming' : 'thinking'
    if (to === from) return
    this.#phase = to
    if (this.#isLive) this.#record('session.phase', { from, to, event })
    this.#notices.atWork(to === 'thinking' || to === 'streaming')
    this.#messages.typing(to === 'thinking' || to === 'streaming')
    this.#waiters.wake()
  }

  #report(statement: AgentReport['statement']): void {
    const { record, onReport } = this.#options
    const at = Math.round(record.startedAt + this.#t * 1000)
    onReport({ id: `${this.id}/acp/${++this.#reports}`, channel: 'acp', at, statement })
  }

  #record<T extends EventType>(type: T, data: EventData<T>): void {
    if (this.#isClosed) return
    this.#effects.later(async () => void (await this.#options.journal.write(type, data)))
  }

  #changed(): void {
    this.#waiters.wake()
    this.releasePrompts()
  }

  releasePrompts(): void {
    if (!this.#isLive || this.exit || this.#prompts.held.length === 0) return
    void this.#prompts.releaseNext().catch(this.#options.onError)
  }
}
