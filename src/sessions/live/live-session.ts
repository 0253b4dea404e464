import type { AgentReport } from '../../agents/index.js'
import type { ApprovalRecord } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { EventData, EventType } from '../../events/index.js'
import type { KeptExit, RecordingFailure } from '../../keeper/index.js'
import { hasNews, type ScreenView } from '../../panes/index.js'
import { LocalReader } from '../../panes/reader/index.js'
import type { Block, Observation, Pack } from '../../screen/index.js'
import type { Frame } from '../../terminal/index.js'
import { firstRowNeeded, type MessageRef, MessageWriter } from '../conversation/index.js'
import { Effects, Waiters } from '../effects.js'
import { AgentAllowances, liveMenu, SessionRequests } from '../requests/index.js'
import { AgentReportReader } from './agent-report-reader.js'
import { type InterruptResult, interruptAgent } from './interrupt-agent.js'
import { type Holder, Keyboard, type Person } from './keyboard.js'
import type { HeldPrompt } from './logged-prompts.js'
import type { Phase } from './phase-table.js'
import { PromptQueue, type SendOptions } from './prompt-queue.js'
import { PromptReceipts } from './prompt-receipts.js'
import { type SendPort, type SendResult, sendPrompt } from './send-prompt.js'
import { SessionEnding, stopSession } from './session-ending.js'
import { SessionNotices } from './session-notices.js'
import {
  type AgentTraits,
  DEFAULT_TIMES,
  type LiveSessionOptions,
  type SessionObserver,
  type SessionPorts,
  type SessionSnapshot,
  type SessionTimes,
  SILENT_AGENT,
  type Viewer,
} from './session-options.js'
import { SessionPhase } from './session-phase.js'
import type { LocalSession } from './session-port.js'
import { SessionTerminal } from './session-terminal.js'

/** How long an agent may take to show its first screen; then `sendPrompt` decides. */
const FIRST_SCREEN_MAX_MS = 30_000
/** How long work on a prompt may take to show; a command of the agent's own may begin none. */
const WORK_START_MAX_MS = 3_000
/** Reason recorded when a session is ended because no one signed in. */
const ABANDONED = 'no person signed in'

/**
 * One live agent: its terminal, the reading of its screen, the phase, the open turn and message,
 * its requests and its prompts. The PTY belongs to the keeper, decisions to the ledger.
 *
 * Bytes that were printed while no host was there are read first (catch-up): they lead through the
 * same phases to the same turns, but the session answers no query in them, raises no request and
 * emits nothing. `goLive` ends the catch-up.
 *
 * The parts are built in the order of the fields. Each gets only the ports that it needs; a port
 * that calls a part further down is called after the constructor has returned.
 */
export class LiveSession implements LocalSession {
  readonly id: string
  readonly #options: LiveSessionOptions
  readonly #agent: AgentTraits
  readonly #times: SessionTimes
  readonly #ports: SessionPorts
  readonly #waiters: Waiters
  readonly #effects: Effects
  readonly #keyboard: Keyboard
  readonly #receipts: PromptReceipts
  readonly #terminal: SessionTerminal
  readonly #notices: SessionNotices
  #lastFrame: Frame | null = null
  readonly #ending: SessionEnding
  readonly #messages: MessageWriter
  readonly #requests: SessionRequests
  readonly #prompts: PromptQueue
  readonly #phase: SessionPhase
  readonly #reports: AgentReportReader
  readonly #viewers = new Set<Viewer>()
  #observer: SessionObserver | null = null
  #lastViewerAt = Number.NEGATIVE_INFINITY
  /** Another object reads the session now. */
  #isReplaced = false

  constructor(options: LiveSessionOptions) {
    const { clock, onError } = options
    this.id = options.record.id
    this.#options = options
    this.#agent = options.agent ?? SILENT_AGENT
    this.#times = { ...DEFAULT_TIMES, ...options.times }
    this.#ports = {
      session: this.id,
      clock,
      isExited: () => this.exit !== null,
      isCatchingUp: () => this.#isReplaced || this.#terminal.isCatchingUp,
      record: (type, data) => this.#record(type, data),
      onError,
    }
    this.#waiters = new Waiters(clock)
    this.#effects = new Effects(onError, () => this.#changed())
    this.#keyboard = new Keyboard(clock)
    this.#receipts = new PromptReceipts(clock)
    this.#terminal = this.#createTerminal()
    this.#notices = this.#createNotices()
    this.#ending = this.#createEnding()
    this.#messages = this.#createMessages()
    this.#requests = this.#createRequests()
    this.#prompts = this.#createPrompts()
    this.#phase = this.#createPhase()
    this.#reports = this.#createReports()
  }

  // — what surfaces read —

  get offset(): number {
    return this.#terminal.offset
  }

  get lastTurn(): string | null {
    return this.#phase.lastTurn
  }

  get phase(): Phase {
    return this.#phase.phase
  }

  get exit(): KeptExit | null {
    return this.#ending.exit
  }

  get frame(): Frame | null {
    return this.#terminal.last?.frame ?? null
  }

  get observation(): Observation | null {
    return this.#terminal.last?.observation ?? null
  }

  get question(): string | null {
    return liveMenu(this.observation)?.question ?? null
  }

  get isApplicationCursor(): boolean {
    return this.screen.modes.isApplicationCursor
  }

  async currentFrame(): Promise<Frame | null> {
    await this.settled()
    return this.frame
  }

  get screen(): ScreenView {
    return this.#terminal.screen
  }

  get pack(): Pack {
    return this.#options.pack
  }

  /** The command that makes the agent compact its conversation; null if it has none. */
  get compactCommand(): string | null {
    return this.#agent.compact ?? null
  }

  get approval(): ApprovalRecord | null {
    return this.#requests.open.first?.record ?? null
  }

  get blocks(): readonly Block[] {
    return this.#phase.blocks
  }

  get openMessage(): MessageRef | null {
    return this.#phase.openMessage
  }

  get holder(): Holder {
    return this.#keyboard.holder
  }

  get heldPrompts(): readonly HeldPrompt[] {
    return this.#prompts.held
  }

  get viewers(): number {
    return this.#viewers.size
  }

  /** The agent is idle, which has settled, and all its messages are in the log. */
  get isIdle(): boolean {
    const look = this.#terminal.last
    if (this.phase !== 'dormant' || !look?.isSettled) return false
    if (look.observation.busy !== false || look.observation.awaiting !== null) return false
    return !this.#isResuming && !this.#messages.isClosing
  }

  /** Its state when everything that was printed so far has been read. */
  snapshot(then: (snapshot: SessionSnapshot) => void, failed: (why: Error) => void): void {
    this.#terminal.save(saved => then({ ...saved, phase: this.#phase.state }), failed)
  }

  get terminal(): Pick<SessionTerminal, 'picture' | 'isRead' | 'packChanged'> {
    return this.#terminal
  }

  // — from the keeper —

  output(bytes: Uint8Array, t: number, offset: number): void {
    this.#terminal.feed(bytes, t, offset)
    for (const viewer of this.#viewers) viewer.output(bytes, offset)
  }

  resized(cols: number, rows: number, t: number): void {
    this.#terminal.resize(cols, rows, t)
    for (const viewer of this.#viewers) viewer.resized(cols, rows)
  }

  /** Keys that went to the program while no host was there, or from an earlier host. */
  typed(bytes: Uint8Array): void {
    this.#phase.recordInput(bytes)
  }

  exited(exit: KeptExit): void {
    this.#terminal.finish(exit.t, () => this.#exited(exit))
  }

  lagging(): void {
    this.#terminal.fallBehind()
    this.#options.onLagging?.()
  }

  unrecorded({ code, message }: RecordingFailure): void {
    const { recording } = this.#options.record
    this.#record('recording.failed', { session: this.id, recording, code, message })
  }

  /**
   * All old bytes are sent to be read: from here on queries are answered. Resolves when they are
   * read: then requests are raised and messages emitted.
   */
  goLive(): Promise<void> {
    const isAdopted = this.offset > 0
    return new Promise((resolve, reject) =>
      this.#terminal.goLive(() => {
        this.#wentLive(isAdopted)
        resolve()
      }, reject),
    )
  }

  /** The host closes and the agent continues: the session sets no further timers by itself. */
  detach(): void {
    this.#messages.stop()
  }

  /** The reader of its terminal has failed for good: people must look after the agent. */
  unreadable(why: string): void {
    this.#notices.unreadable(why)
  }

  /** The session has ended: its terminal is no longer read. */
  close(): void {
    this.#terminal.close()
  }

  /**
   * Its terminal can no longer be read, and another object takes the session over: this one
   * presses no key, records nothing and raises no request from now on.
   */
  replace(): void {
    this.#isReplaced = true
    this.detach()
    this.close()
    this.#notices.stop()
    this.#reports.stop()
    for (const viewer of this.#viewers) viewer.replaced?.()
    this.#waiters.wake()
  }

  // — from the agent, besides its screen —

  /** Takes a report of the agent: from a hook, its transcript or its event stream. */
  report(report: AgentReport): void {
    this.#reports.read(report)
    this.#effects.later(() => this.#requests.reported.take(report))
    this.#waiters.wake()
  }

  // — from people —

  observe(observer: SessionObserver): void {
    this.#observer = observer
    this.#terminal.observe(observer)
  }

  watch(viewer: Viewer): () => void {
    this.#viewers.add(viewer)
    return () => {
      this.#viewers.delete(viewer)
      this.#lastViewerAt = this.#options.clock.monotonic()
    }
  }

  /** A person attaches and wants to type; returns how they leave. */
  join(person: Person): () => void {
    this.#keyboard.join(person)
    return () => this.#keyboard.leave(person.id)
  }

  takeKeyboard(id: string): boolean {
    return this.#keyboard.take(id)
  }

  /**
   * Keys of a person. Refused while another person holds the keyboard, and while Signalbox types.
   */
  async type(bytes: Uint8Array, person: string | null = null): Promise<boolean> {
    if (this.exit || !this.#keyboard.mayType(person)) return false
    this.#keyboard.noteKeys()
    this.#requests.open.noteKeys(bytes)
    await this.press(bytes)
    return true
  }

  /** Signalbox's own keys. */
  async press(keys: string | Uint8Array): Promise<void> {
    if (this.#isReplaced)
      throw new SignalboxError('E_BUSY', 'The session is being read again.', { next: 'Try again in a moment.' })
    const bytes = typeof keys === 'string' ? new TextEncoder().encode(keys) : keys
    this.#terminal.recordInput(bytes)
    this.#phase.recordInput(bytes)
    await this.#options.keeper.write(this.id, bytes)
  }

  /** Resizes the terminal; while a person holds the keyboard, only to their size. */
  async resize(cols: number, rows: number, person: string | null = null): Promise<void> {
    const { holder } = this.#keyboard
    if (holder.kind === 'person' && holder.id !== person) return
    await this.#options.keeper.resize(this.id, cols, rows)
  }

  /** Delivers a decision to the agent. The host calls it when the ledger has recorded one. */
  async apply(record: ApprovalRecord): Promise<void> {
    await this.#requests.delivery.apply(record)
    this.#waiters.wake()
  }

  /** Types a prompt and verifies that the agent took it; or holds it until the agent is idle. */
  async send(text: string, options: SendOptions = {}): Promise<SendResult> {
    // A shell command may never show an input box or a menu.
    const isShown = () => this.#phase.isReady || this.exit !== null || this.pack.agent === 'generic'
    await this.#waiters.until(FIRST_SCREEN_MAX_MS, () => isShown() && !this.#isResuming)
    return this.#prompts.send(text, options)
  }

  async dropPrompt(id: string): Promise<boolean> {
    return this.#prompts.drop(id)
  }

  /** Stops the agent's work and verifies that it stopped. */
  interrupt(): Promise<InterruptResult> {
    const port = {
      isExited: this.#ports.isExited,
      observation: () => this.observation,
      isAtWork: () => this.#phase.isAtWork,
      press: (keys: string) => this.press(keys),
      until: (ms: number, holds: () => boolean) => this.#waiters.until(ms, holds),
    }
    return this.#keyboard.alone(async () => {
      const result = await interruptAgent(port, this.#options)
      if (result.result === 'interrupted' && !this.exit) this.#phase.interrupted()
      return result
    })
  }

  /** Ends the session: first by the agent's own exit keys, then by signals. */
  stop(reason = 'stopped', graceMs?: number): Promise<void> {
    const { clock, keeper } = this.#options
    return stopSession(this, { clock, keeper, reason, ...(graceMs !== undefined && { graceMs }) })
  }

  /** An end is expected: it is not a crash, whatever the exit code. */
  willEnd(reason: string): void {
    this.#ending.expect(reason)
  }

  /** Resolves at the next change of the session, or after `ms`. */
  changed(ms: number): Promise<void> {
    return this.#waiters.changed(ms)
  }

  /** Resolves when all effects so far are done. */
  settled(): Promise<void> {
    return this.#effects.settled()
  }

  // — inside —

  #wentLive(isAdopted: boolean): void {
    if (isAdopted) this.#phase.takeOverRequests()
    this.#prompts.resolveUnfinished()
    if (!this.exit) this.#notices.start({ isReady: this.#phase.isReady || this.pack.agent === 'generic' })
    this.#terminal.schedule()
    this.releasePrompts()
  }

  #exited(exit: KeptExit): void {
    this.#ending.exited(exit)
    this.#observer?.exited(exit, this.#ending.isExpected)
    this.#phase.dispatch('process-exit', this.#terminal.last)
    this.#notices.stop()
    this.#reports.stop()
    for (const viewer of this.#viewers) viewer.exited(exit)
    this.#waiters.wake()
  }

  /** The agent resumes an earlier conversation and has not shown it yet. */
  get #isResuming(): boolean {
    return this.#options.record.resumedFrom !== undefined && !this.#phase.isReady && this.exit === null
  }

  #record<T extends EventType>(type: T, data: EventData<T>): void {
    if (this.#isReplaced) return
    this.#effects.later(async () => void (await this.#options.journal.write(type, data)))
  }

  #changed(): void {
    this.#waiters.wake()
    this.releasePrompts()
  }

  releasePrompts(): void {
    if (this.#terminal.isCatchingUp || this.#prompts.held.length === 0) return
    void this.#prompts.releaseNext().catch(this.#options.onError)
  }

  #createTerminal(): SessionTerminal {
    const { record, pack, emulator, keeper, restored, onError, clock, onRuleOff } = this.#options
    return new SessionTerminal({
      ...this.#ports,
      reader: this.#options.reader ?? new LocalReader(() => clock.monotonic()),
      ...(onRuleOff && { onRuleOff }),
      pack,
      emulator,
      startedAt: record.startedAt,
      restored: restored ? { ...restored, firstRow: firstRowNeeded(restored.phase.conversation) } : null,
      reply: bytes => void keeper.write(record.id, bytes).catch(onError),
      onLook: look => {
        // A spinner that spins is not progress.
        if (hasNews(this.#lastFrame, look.frame)) this.#notices.changed()
        this.#lastFrame = look.frame
        this.#ending.observe(look)
        this.#phase.see(look)
      },
      onEvidence: evidence => this.#receipts.noteEvidence(evidence, pack),
      onTime: t => this.#phase.tick(t),
      nextDeadline: () => this.#phase.nextDeadline(),
      onOutputs: outputs => {
        if (outputs.length > 0) this.#waiters.wake()
        this.releasePrompts()
      },
    })
  }

  #createNotices(): SessionNotices {
    const { record, clock, onError } = this.#options
    return new SessionNotices({
      session: record,
      clock,
      times: this.#times,
      lastRows: count => this.#terminal.lastRows(count),
      unattendedMs: () => (this.#viewers.size > 0 ? 0 : clock.monotonic() - this.#lastViewerAt),
      notify: notice => this.#record('session.noticed', { session: record.id, ...notice }),
      onSilence: () => this.#phase.dispatch('silence', this.#terminal.last),
      onAbandoned: () => void this.stop(ABANDONED).catch(onError),
    })
  }

  #createEnding(): SessionEnding {
    return new SessionEnding({
      ...this.#ports,
      agent: this.#agent,
      agentSessionId: this.#options.record.agentSessionId ?? null,
      notices: this.#notices,
      lastLook: () => this.#terminal.screen.last,
    })
  }

  #createMessages(): MessageWriter {
    const { journal, emit } = this.#options
    return new MessageWriter({
      ...this.#ports,
      typingRepeatMs: this.#times.typingRepeatMs,
      transcriptWaitMs: this.#times.transcriptWaitMs,
      effects: this.#effects,
      waiters: this.#waiters,
      emit,
      write: (type, data) => journal.write(type, data),
    })
  }

  #createRequests(): SessionRequests {
    const { record, ledger, hostName, answers } = this.#options
    const { id: session, agent, project, cwd } = record
    const allowances = new AgentAllowances({
      known: record.allows,
      onAllowed: allowed => this.#record('session.allows', { session, ...allowed }),
      onAsksAgain: label => this.#record('session.asks', { session, label }),
    })
    return new SessionRequests({
      ...this.#ports,
      subject: { agent, session, project, cwd, hostName },
      ledger,
      ...(answers && { answers }),
      onAsked: asked => allowances.asked(asked),
      onEnded: ended => allowances.ended(ended),
      menu: {
        menu: () => liveMenu(this.observation),
        press: keys => this.press(keys),
        nextFrame: ms => this.#waiters.changed(ms),
        instance: () => this.#phase.menuInstance,
        age: () => this.#terminal.menuAge(),
        picture: () => this.frame?.lines.map(row => row.text).join('\n') ?? '',
      },
      alone: work => this.#keyboard.alone(work),
      isSteady: () => this.#terminal.isSteady,
      say: async text => void (await this.#prompts.send(text, { whenBusy: 'hold' })),
      interrupt: () => this.interrupt(),
    })
  }

  #createPrompts(): PromptQueue {
    const { pack, journal, absence, clock, pause } = this.#options
    const { isExited } = this.#ports
    const port: SendPort = {
      observation: () => this.observation,
      isExited,
      isBracketedPaste: () => this.screen.modes.isBracketedPaste,
      press: keys => this.press(keys),
      changed: ms => this.#waiters.changed(ms),
      absence: () => absence?.() ?? null,
      quietMs: () => this.#keyboard.quietMs,
      proof: (text, since, wasBusy) => this.#receipts.proofOf(text, since, wasBusy),
      lastRow: () => this.#phase.lastRow,
      hasHooks: () => this.#agent.hasHooks,
    }
    return new PromptQueue({
      ...this.#ports,
      journal,
      deliver: (text, { onStarted, ...how }) => {
        this.#phase.notePrompt(text)
        const press = (keys: string) => onStarted().then(() => port.press(keys))
        return sendPrompt({ ...port, press }, text, { pack, clock, readyWaitMs: this.#times.readyWaitMs, ...how })
      },
      alone: work => this.#keyboard.alone(work),
      changed: port.changed,
      isIdle: () => this.isIdle,
      ...(pause && { pause }),
      lastTurn: () => this.#phase.lastTurn,
      onDelivered: sent => this.#phase.noteSent(sent),
      untilStarted: turn => this.#waiters.until(WORK_START_MAX_MS, () => isExited() || this.#phase.hasStarted(turn)),
      settled: () => this.settled(),
      onFailed: detail => this.#notices.undelivered(detail),
    })
  }

  #createPhase(): SessionPhase {
    const { record, pack, restored, keeper, onEnded } = this.#options
    return new SessionPhase({
      ...this.#ports,
      pack,
      rows: this.screen,
      effects: this.#effects,
      messages: this.#messages,
      notices: this.#notices,
      requests: this.#requests.screen,
      isResumed: record.resumedFrom !== undefined,
      hasTranscript: this.#agent.hasTranscript,
      restored: restored?.phase ?? null,
      typing: isOn => this.#messages.typing(isOn),
      onEnd: () => {
        this.#ending.write()
        this.#effects.later(() => keeper.forget(record.id))
        this.#effects.later(async () => onEnded?.())
      },
    })
  }

  #createReports(): AgentReportReader {
    return new AgentReportReader({
      clock: this.#options.clock,
      startedAt: this.#options.record.startedAt,
      receipts: this.#receipts,
      lastTurn: () => this.lastTurn,
      onIdentified: (agentSession, source, version) => this.#ending.identify(agentSession, source, version),
      onText: text => this.#phase.takeReported(text, this.#terminal.time.now()),
      onTurnEnded: outcome => this.#phase.turnEnded(outcome),
    })
  }
}
