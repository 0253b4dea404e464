import type { AgentReport } from '../../agents/index.js'
import type { ApprovalRecord } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { EventData, EventType } from '../../events/index.js'
import type { KeptExit, RecordingFailure } from '../../keeper/index.js'
import type { ScreenView } from '../../panes/index.js'
import type { Block, Observation, Pack } from '../../screen/index.js'
import type { Frame } from '../../terminal/index.js'
import type { MessageRef } from '../conversation/index.js'
import { liveMenu } from '../requests/index.js'
import { type InterruptResult, interruptAgent } from './interrupt-agent.js'
import type { Holder, KeyboardUser } from './keyboard.js'
import { type LiveSessionParts, liveSessionParts } from './live-session-parts.js'
import type { HeldPrompt } from './logged-prompts.js'
import type { Phase } from './phase-table.js'
import type { SendOptions } from './prompt-queue.js'
import type { SendResult } from './send-prompt.js'
import { stopSession } from './session-ending.js'
import type { LiveSessionOptions, SessionObserver, SessionSnapshot, Viewer } from './session-options.js'
import type { LocalSession } from './session-port.js'
import type { SessionTerminal } from './session-terminal.js'

/** How long an agent may take to show its first screen; then `sendPrompt` decides. */
const FIRST_SCREEN_MAX_MS = 30_000

/**
 * One live agent: its terminal, the reading of its screen, the phase, the open turn and message,
 * its requests and its prompts. The PTY belongs to the keeper, decisions to the ledger.
 *
 * Bytes that were printed while no host was there are read first (catch-up): they lead through the
 * same phases to the same turns, but the session answers no query in them, raises no request and
 * emits nothing. `goLive` ends the catch-up.
 */
export class LiveSession implements LocalSession {
  readonly id: string
  readonly #options: LiveSessionOptions
  readonly #parts: LiveSessionParts
  readonly #viewers = new Set<Viewer>()
  #observer: SessionObserver | null = null
  #lastViewerAt = Number.NEGATIVE_INFINITY
  /** Another object reads the session now. */
  #isReplaced = false

  constructor(options: LiveSessionOptions) {
    this.id = options.record.id
    this.#options = options
    this.#parts = liveSessionParts(options, {
      isReplaced: () => this.#isReplaced,
      isIdle: () => this.isIdle,
      unattendedMs: () => (this.#viewers.size > 0 ? 0 : options.clock.monotonic() - this.#lastViewerAt),
      record: (type, data) => this.#record(type, data),
      press: keys => this.press(keys),
      interruptAnswered: () => this.#interrupt({ isAnswered: true }),
      stop: reason => this.stop(reason),
      changed: () => this.#changed(),
      releasePrompts: () => this.releasePrompts(),
    })
  }

  get offset(): number {
    return this.#parts.terminal.offset
  }

  get lastTurn(): string | null {
    return this.#parts.phase.lastTurn
  }

  get phase(): Phase {
    return this.#parts.phase.phase
  }

  get exit(): KeptExit | null {
    return this.#parts.ending.exit
  }

  get frame(): Frame | null {
    return this.#parts.terminal.last?.frame ?? null
  }

  get observation(): Observation | null {
    return this.#parts.terminal.last?.observation ?? null
  }

  get question(): string | null {
    return liveMenu(this.observation)?.question ?? null
  }

  get isApplicationCursor(): boolean {
    return this.screen.modes.isApplicationCursor
  }

  async currentFrame(): Promise<Frame | null> {
    await this.effectsDone()
    return this.frame
  }

  get screen(): ScreenView {
    return this.#parts.terminal.screen
  }

  get pack(): Pack {
    return this.#options.pack
  }

  /** The command that makes the agent compact its conversation; null if it has none. */
  get compactCommand(): string | null {
    return this.#parts.agent.compact ?? null
  }

  get approval(): ApprovalRecord | null {
    return this.#parts.requests.open.first?.record ?? null
  }

  get blocks(): readonly Block[] {
    return this.#parts.phase.blocks
  }

  get openMessage(): MessageRef | null {
    return this.#parts.phase.openMessage
  }

  get holder(): Holder {
    return this.#parts.keyboard.holder
  }

  get heldPrompts(): readonly HeldPrompt[] {
    return this.#parts.prompts.held
  }

  get viewers(): number {
    return this.#viewers.size
  }

  /** The agent is idle, which has settled, and all its messages are in the log. */
  get isIdle(): boolean {
    const look = this.#parts.terminal.last
    if (this.phase !== 'dormant' || !look?.isSettled) return false
    if (look.observation.busy !== false || look.observation.awaiting !== null) return false
    return !this.#isResuming && !this.#parts.messages.isClosing
  }

  /** Its state when everything that was printed so far has been read. */
  snapshot(then: (snapshot: SessionSnapshot) => void, failed: (why: Error) => void): void {
    this.#parts.terminal.save(saved => then({ ...saved, phase: this.#parts.phase.state }), failed)
  }

  get terminal(): Pick<SessionTerminal, 'picture' | 'untilRead' | 'packChanged'> {
    return this.#parts.terminal
  }

  // Called by the keeper.

  output(bytes: Uint8Array, t: number, offset: number): void {
    this.#parts.terminal.feed(bytes, t, offset)
    for (const viewer of this.#viewers) viewer.output(bytes, offset)
  }

  resized(cols: number, rows: number, t: number): void {
    this.#parts.terminal.resize(cols, rows, t)
    for (const viewer of this.#viewers) viewer.resized(cols, rows)
  }

  /** Keys that went to the program while no host was there, or from an earlier host. */
  typed(bytes: Uint8Array): void {
    this.#parts.phase.recordInput(bytes)
  }

  exited(exit: KeptExit): void {
    this.#parts.terminal.finish(exit.t, () => this.#exited(exit))
  }

  lagging(): void {
    this.#parts.terminal.fallBehind()
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
      this.#parts.terminal.goLive(() => {
        this.#wentLive(isAdopted)
        resolve()
      }, reject),
    )
  }

  /** The host closes and the agent continues: the session sets no further timers by itself. */
  detach(): void {
    this.#parts.messages.stop()
  }

  /** The reader of its terminal has failed for good: people must look after the agent. */
  unreadable(why: string): void {
    this.#parts.notices.unreadable(why)
  }

  /** The session has ended: its terminal is no longer read. */
  close(): void {
    this.#parts.terminal.close()
  }

  /**
   * Its terminal can no longer be read, and another object takes the session over: this one
   * presses no key, records nothing and raises no request from now on.
   */
  replace(): void {
    this.#isReplaced = true
    this.detach()
    this.close()
    this.#parts.notices.stop()
    this.#parts.reports.stop()
    for (const viewer of this.#viewers) viewer.replaced?.()
    this.#parts.waiters.wake()
  }

  /** Takes a report of the agent: from a hook, its transcript or its event stream. */
  report(report: AgentReport): void {
    this.#parts.reports.read(report)
    this.#parts.effects.enqueue(() => this.#parts.requests.reported.handleReport(report))
    this.#parts.waiters.wake()
  }

  // Called for people and their surfaces.

  observe(observer: SessionObserver): void {
    this.#observer = observer
    this.#parts.terminal.observe(observer)
  }

  watch(viewer: Viewer): () => void {
    this.#viewers.add(viewer)
    return () => {
      this.#viewers.delete(viewer)
      this.#lastViewerAt = this.#options.clock.monotonic()
    }
  }

  /** A person attaches and wants to type; returns how they leave. */
  join(person: KeyboardUser): () => void {
    this.#parts.keyboard.join(person)
    return () => this.#parts.keyboard.detach(person.id)
  }

  takeKeyboard(id: string): boolean {
    return this.#parts.keyboard.takeOver(id)
  }

  /**
   * Keys of a person. Refused while another person holds the keyboard, and while Signalbox types.
   */
  async type(bytes: Uint8Array, person: string | null = null): Promise<boolean> {
    if (this.exit || !this.#parts.keyboard.mayType(person)) return false
    this.#parts.keyboard.noteKeys()
    this.#parts.requests.open.noteKeys(bytes)
    await this.press(bytes)
    return true
  }

  /** Signalbox's own keys. */
  async press(keys: string | Uint8Array): Promise<void> {
    if (this.#isReplaced)
      throw new SignalboxError('E_BUSY', 'the session is being read again', { next: 'try again in a moment' })
    const bytes = typeof keys === 'string' ? new TextEncoder().encode(keys) : keys
    this.#parts.terminal.recordInput(bytes)
    this.#parts.phase.recordInput(bytes)
    await this.#options.keeper.write(this.id, bytes)
  }

  /** Resizes the terminal; while a person holds the keyboard, only to their size. */
  async resize(cols: number, rows: number, person: string | null = null): Promise<void> {
    const { holder } = this.#parts.keyboard
    if (holder.kind === 'person' && holder.id !== person) return
    await this.#options.keeper.resize(this.id, cols, rows)
  }

  /** Delivers a decision to the agent. The host calls it when the ledger has recorded one. */
  async apply(record: ApprovalRecord): Promise<void> {
    await this.#parts.requests.delivery.apply(record)
    this.#parts.waiters.wake()
  }

  /** Types a prompt and verifies that the agent took it; or holds it until the agent is idle. */
  async send(text: string, options: SendOptions = {}): Promise<SendResult> {
    // A shell command may never show an input box or a menu.
    const isShown = () => this.#parts.phase.isReady || this.exit !== null || this.pack.agent === 'generic'
    await this.#parts.waiters.until(FIRST_SCREEN_MAX_MS, () => isShown() && !this.#isResuming)
    return this.#parts.prompts.send(text, options)
  }

  async dropPrompt(id: string): Promise<boolean> {
    return this.#parts.prompts.drop(id)
  }

  /** Stops the agent's work and verifies that it stopped. */
  interrupt(): Promise<InterruptResult> {
    return this.#interrupt()
  }

  #interrupt(options: { isAnswered?: boolean } = {}): Promise<InterruptResult> {
    const port = {
      isExited: this.#parts.ports.isExited,
      observation: () => this.observation,
      isAtWork: () => this.#parts.phase.isAtWork,
      press: (keys: string) => this.press(keys),
      until: (ms: number, holds: () => boolean) => this.#parts.waiters.until(ms, holds),
    }
    return this.#parts.keyboard.alone(async () => {
      const result = await interruptAgent(port, this.#options, options)
      if (result.result === 'interrupted' && !this.exit) this.#parts.phase.interrupted()
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
    this.#parts.ending.expect(reason)
  }

  /** Resolves at the next change of the session, or after `ms`. */
  changed(ms: number): Promise<void> {
    return this.#parts.waiters.changed(ms)
  }

  /** Resolves when all effects so far are done. */
  effectsDone(): Promise<void> {
    return this.#parts.effects.done()
  }

  #wentLive(isAdopted: boolean): void {
    if (isAdopted) this.#parts.phase.takeOverRequests()
    this.#parts.prompts.resolveUnfinished()
    if (!this.exit) this.#parts.notices.start({ isReady: this.#parts.phase.isReady || this.pack.agent === 'generic' })
    this.#parts.terminal.schedule()
    this.releasePrompts()
  }

  #exited(exit: KeptExit): void {
    this.#parts.ending.exited(exit)
    this.#observer?.exited(exit, this.#parts.ending.isExpected)
    this.#parts.phase.dispatch('process-exit', this.#parts.terminal.last)
    this.#parts.notices.stop()
    this.#parts.reports.stop()
    for (const viewer of this.#viewers) viewer.exited(exit)
    this.#parts.waiters.wake()
  }

  /** The agent resumes an earlier conversation and has not shown it yet. */
  get #isResuming(): boolean {
    return this.#options.record.resumedFrom !== undefined && !this.#parts.phase.isReady && this.exit === null
  }

  #record<T extends EventType>(type: T, data: EventData<T>): void {
    if (this.#isReplaced) return
    this.#parts.effects.enqueue(async () => void (await this.#options.journal.write(type, data)))
  }

  #changed(): void {
    this.#parts.waiters.wake()
    this.releasePrompts()
  }

  releasePrompts(): void {
    if (this.#parts.terminal.isCatchingUp || this.#parts.prompts.held.length === 0) return
    void this.#parts.prompts.releaseNext().catch(this.#options.onError)
  }
}
