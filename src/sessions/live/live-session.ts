import type { AgentReport } from '../../agents/index.js'
import type { ApprovalRecord } from '../../approvals/index.js'
import type { KeeperListener, KeptExit, RecordingFailure } from '../../keeper/index.js'
import type { PaneScreen } from '../../panes/index.js'
import type { Block, Observation, Pack } from '../../screen/index.js'
import type { Frame } from '../../terminal/index.js'
import { type InterruptResult, interruptAgent } from './interrupt-agent.js'
import type { Holder, Keyboard, Person } from './keyboard.js'
import type { Phase } from './phase-table.js'
import type { HeldPrompt, SendOptions } from './prompt-queue.js'
import type { SendResult } from './send-gate.js'
import { SessionInside } from './session-inside.js'
import type { LiveSessionOptions, SessionObserver, SessionSnapshot, Viewer } from './session-options.js'
import type { SessionParts } from './session-parts.js'
import type { SessionTerminal } from './session-terminal.js'
import type { MessageRef } from './sink.js'
import { stopSession } from './stop-session.js'

/** An agent shows an earlier conversation within so long; then the send gate decides. */
const RESUMES_MS = 30_000

/**
 * One live agent: its terminal, what its screen shows, the phase, the open turn and message. It owns all of that and nothing else; the PTY
 * belongs to the keeper, decisions to the ledger, delivery to the sinks. This is its outside.
 *
 * Bytes that were printed while no host was there are read first (catch-up): they lead through the same phases to the same turns, but
 * nothing of them is answered, asked or shown. `goLive` ends that.
 */
export class LiveSession implements KeeperListener {
  readonly id: string
  readonly #options: LiveSessionOptions
  readonly #inside: SessionInside
  readonly #terminal: SessionTerminal
  readonly #parts: SessionParts
  readonly #keyboard: Keyboard
  readonly #viewers = new Set<Viewer>()
  #observer: SessionObserver | null = null
  #lastViewerAt = Number.NEGATIVE_INFINITY

  constructor(options: LiveSessionOptions) {
    this.#options = options
    this.id = options.record.id
    this.#inside = new SessionInside(options, {
      press: keys => this.press(keys),
      stop: reason => this.stop(reason),
      interrupt: () => this.interrupt(),
      unattendedMs: () => (this.#viewers.size > 0 ? 0 : options.clock.monotonic() - this.#lastViewerAt),
    })
    this.#terminal = this.#inside.terminal
    this.#parts = this.#inside.parts
    this.#keyboard = this.#inside.keyboard
  }

  get offset(): number {
    return this.#terminal.offset
  }

  get phase(): Phase {
    return this.#parts.phase.phase
  }

  get exit(): KeptExit | null {
    return this.#inside.ending.exit
  }

  get frame(): Frame | null {
    return this.#terminal.last?.frame ?? null
  }

  /** What to send so that the agent makes room in its conversation; null where it has no such command. */
  get compactCommand(): string | null {
    return this.#options.agent?.compact ?? null
  }

  get observation(): Observation | null {
    return this.#terminal.last?.observation ?? null
  }

  get approval(): ApprovalRecord | null {
    return this.#parts.approvals.open
  }

  get blocks(): readonly Block[] {
    return this.#parts.phase.blocks
  }

  get openMessage(): MessageRef | null {
    return this.#parts.phase.openMessage
  }

  get screen(): PaneScreen {
    return this.#terminal.screen
  }

  get pack(): Pack {
    return this.#options.pack
  }

  /** Who may type now. */
  get holder(): Holder {
    return this.#keyboard.holder
  }

  /** Prompts that wait here until the agent rests. */
  get heldPrompts(): readonly HeldPrompt[] {
    return this.#parts.prompts.held
  }

  /** The agent is at rest, that has been believed, and all it said is in the log. */
  get isIdle(): boolean {
    return this.#inside.isIdle
  }

  snapshot(): SessionSnapshot {
    return {
      offset: this.offset,
      screen: this.screen.serialize(),
      sight: this.#terminal.sight.saved,
      phase: this.#parts.phase.state,
    }
  }

  // — from the keeper —

  output(bytes: Uint8Array, t: number, offset: number): void {
    this.#parts.notices.changed()
    this.#terminal.feed(bytes, t, offset)
    for (const viewer of this.#viewers) viewer.output(bytes, offset)
  }

  resized(cols: number, rows: number, t: number): void {
    this.#terminal.resize(cols, rows, t)
    for (const viewer of this.#viewers) viewer.resized(cols, rows)
  }

  /** Keys that went to the program while no host was there, or from an earlier one. */
  typed(bytes: Uint8Array): void {
    this.#parts.phase.noteInput(bytes)
  }

  exited(exit: KeptExit): void {
    const { phase, notices, ear } = this.#parts
    this.#terminal.finish(exit.t)
    this.#inside.ending.exited(exit)
    this.#observer?.exited(exit)
    phase.dispatch('process-exit', this.#terminal.last)
    notices.stop()
    ear.stop()
    for (const viewer of this.#viewers) viewer.exited(exit)
    this.#inside.waiters.wake()
  }

  lagging(): void {
    this.#terminal.fallBehind()
    this.#options.onLagging?.()
  }

  unrecorded({ code, message }: RecordingFailure): void {
    this.#inside.record('recording.failed', {
      session: this.id,
      recording: this.#options.record.recording,
      code,
      message,
    })
  }

  /** Old bytes are all in: from here on questions are answered, menus asked, messages shown. */
  goLive(): void {
    const { phase, notices, prompts } = this.#parts
    const isAdopted = this.offset > 0
    this.#terminal.goLive()
    if (isAdopted) phase.takeOverApprovals()
    prompts.takeUp()
    if (!this.exit) notices.start({ isReady: phase.isReady || this.pack.agent === 'generic' })
    this.#terminal.schedule()
    this.#inside.releasePrompts()
  }

  // — from the agent, beside its screen —

  /** Hooks, transcript, its own event stream: what the agent itself says, in one vocabulary. */
  hear(report: AgentReport): void {
    this.#parts.ear.hear(report)
    this.#inside.effects.later(() => this.#parts.approvals.hear(report))
    this.#inside.waiters.wake()
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

  /** How many look at the terminal itself. */
  get viewers(): number {
    return this.#viewers.size
  }

  /** Someone attached who wants to type; returns how they leave. */
  join(person: Person): () => void {
    this.#keyboard.join(person)
    return () => this.#keyboard.leave(person.id)
  }

  /** The keyboard changes hands. */
  takeKeyboard(id: string): boolean {
    return this.#keyboard.take(id)
  }

  /** Keys of a person. Refused while someone else holds the keyboard, and while a prompt or a decision is being typed. */
  async type(bytes: Uint8Array, person: string | null = null): Promise<boolean> {
    if (this.exit || !this.#keyboard.mayType(person)) return false
    this.#keyboard.noteKeys()
    this.#parts.approvals.noteKeys()
    await this.press(bytes)
    return true
  }

  /** Our own keys. */
  async press(keys: string | Uint8Array): Promise<void> {
    const bytes = typeof keys === 'string' ? new TextEncoder().encode(keys) : keys
    this.#terminal.noteInput(bytes)
    this.#parts.phase.noteInput(bytes)
    await this.#options.keeper.write(this.id, bytes)
  }

  /** The size of whoever holds the keyboard; nobody else's counts while someone does. */
  async resize(cols: number, rows: number, person: string | null = null): Promise<void> {
    const { holder } = this.#keyboard
    if (holder.kind === 'person' && holder.id !== person) return
    await this.#options.keeper.resize(this.id, cols, rows)
  }

  /** Brings a decision to the agent. Called by the host when the ledger says *decided*. */
  async apply(record: ApprovalRecord): Promise<void> {
    await this.#parts.approvals.apply(record)
    this.#inside.waiters.wake()
  }

  /** Types a prompt and finds out whether the agent took it; or keeps it until the agent rests. */
  async send(text: string, options: SendOptions = {}): Promise<SendResult> {
    await this.#inside.waiters.until(RESUMES_MS, () => !this.#inside.isResuming)
    return this.#parts.prompts.send(text, options)
  }

  /** Takes back a prompt that is held. */
  dropPrompt(id: string): boolean {
    return this.#parts.prompts.drop(id)
  }

  /** Stops what the agent works on, and looks whether it did. */
  interrupt(): Promise<InterruptResult> {
    const { pack, clock } = this.#options
    const { phase } = this.#parts
    const port = {
      observation: () => this.observation,
      isExited: () => this.exit !== null,
      isAtWork: () => phase.isAtWork,
      press: (keys: string) => this.press(keys),
      until: (ms: number, holds: () => boolean) => this.#inside.waiters.until(ms, holds),
    }
    return this.#keyboard.alone(async () => {
      const result = await interruptAgent(port, { pack, clock })
      if (result.result === 'interrupted' && !this.exit) phase.interrupted()
      return result
    })
  }

  /** Ends the session: politely, then firmly. */
  stop(reason = 'stopped', graceMs?: number): Promise<void> {
    const { clock, keeper } = this.#options
    return stopSession(this, { clock, keeper, reason, ...(graceMs !== undefined && { graceMs }) })
  }

  /** The end that comes is wanted: whatever the exit code, it is no crash. */
  willEnd(reason: string): void {
    this.#inside.ending.expect(reason)
  }

  /** Resolves at the next change of anything a waiter may ask for, or after `ms`. */
  changed(ms: number): Promise<void> {
    return this.#inside.waiters.changed(ms)
  }

  /** Resolves when every effect so far has been carried out. */
  settled(): Promise<void> {
    return this.#inside.effects.settled()
  }
}
