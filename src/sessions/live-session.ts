import type { AgentReport } from '../agents/index.js'
import type { ApprovalRecord } from '../approvals/index.js'
import type { EventData, EventType } from '../events/index.js'
import type { KeeperListener, KeptExit, RecordingFailure } from '../keeper/index.js'
import { type Look, type PaneOutput, PaneScreen } from '../panes/index.js'
import type { Block, Observation, Pack } from '../screen/index.js'
import type { Frame } from '../terminal/index.js'
import { AgentEar } from './agent-ear.js'
import { AgentSignals } from './agent-signals.js'
import { Effects, Waiters } from './effects.js'
import { ExitScreen } from './exit-screen.js'
import { type InterruptResult, interruptAgent } from './interrupt-agent.js'
import { type Holder, Keyboard, type Person } from './keyboard.js'
import { liveMenu } from './live-menu.js'
import {
  type AgentTraits,
  type LiveSessionOptions,
  type SessionObserver,
  type SessionSnapshot,
  SILENT_AGENT,
  type Viewer,
} from './live-session-options.js'
import type { Phase } from './phase-table.js'
import { type HeldPrompt, Prompts, type SendOptions } from './prompts.js'
import type { SendResult } from './send-gate.js'
import { SessionApprovals } from './session-approvals.js'
import { SessionClock } from './session-clock.js'
import { SessionMessages } from './session-messages.js'
import { SessionNotices } from './session-notices.js'
import { SessionPhase } from './session-phase.js'
import { SessionSight } from './session-sight.js'
import { DEFAULT_TIMES, type SessionTimes } from './session-times.js'
import type { MessageRef, Notice } from './sink.js'
import { signalOf } from './status-signals.js'
import { stopSession } from './stop-session.js'

/** A program that was just resized draws everything anew. */
const RESIZE_SETTLES_S = 0.25
/** An agent shows an earlier conversation within so long; then the send gate decides. */
const RESUMES_MS = 30_000
/** Work on a prompt that was taken shows within so long; an agent's own command may begin none. */
const BEGINS_MS = 3_000
/** Why the session is ended when nobody sees to its sign-in. */
const ABANDONED = 'nobody signed in'

/**
 * One live agent: its terminal, what its screen shows, the phase, the open turn and message. It owns all of that and nothing else; the PTY
 * belongs to the keeper, decisions to the ledger, delivery to the sinks.
 *
 * Bytes that were printed while no host was there are read first (catch-up): they lead through the same phases to the same turns, but
 * nothing of them is answered, asked or shown. `goLive` ends that.
 */
export class LiveSession implements KeeperListener {
  readonly id: string
  readonly #options: LiveSessionOptions
  readonly #times: SessionTimes
  readonly #agent: AgentTraits
  readonly #screen: PaneScreen
  readonly #sight: SessionSight
  readonly #time: SessionClock
  readonly #waiters: Waiters
  readonly #effects: Effects
  readonly #keyboard: Keyboard
  readonly #signals: AgentSignals
  readonly #messages: SessionMessages
  readonly #notices: SessionNotices
  readonly #approvals: SessionApprovals
  readonly #prompts: Prompts
  readonly #phase: SessionPhase
  readonly #ear: AgentEar
  readonly #exitScreen = new ExitScreen()
  readonly #viewers = new Set<Viewer>()
  #observer: SessionObserver | null = null
  #offset: number
  #isCatchingUp = true
  #exit: KeptExit | null = null
  #endReason: string | null = null
  /** Seconds since the start. */
  #resizedAt = Number.NEGATIVE_INFINITY
  #agentSessionId: string | null
  #lastViewerAt = Number.NEGATIVE_INFINITY

  constructor(options: LiveSessionOptions) {
    const { record, pack, restored, clock, onError } = options
    this.#options = options
    this.#times = { ...DEFAULT_TIMES, ...options.times }
    this.#agent = options.agent ?? SILENT_AGENT
    this.id = record.id
    this.#agentSessionId = record.agentSessionId ?? null
    this.#offset = restored?.offset ?? 0
    this.#screen = new PaneScreen(pack, options.emulator, restored?.screen)
    this.#sight = new SessionSight(pack, this.#screen, restored?.sight)
    this.#time = new SessionClock(clock, record.startedAt)
    this.#waiters = new Waiters(clock)
    this.#effects = new Effects(onError, () => {
      this.#waiters.wake()
      this.#releasePrompts()
    })
    this.#keyboard = new Keyboard(clock)
    this.#signals = new AgentSignals(clock)
    this.#messages = this.#createMessages()
    this.#notices = this.#createNotices()
    this.#approvals = this.#createApprovals()
    this.#prompts = this.#createPrompts()
    this.#phase = this.#createPhase()
    this.#ear = this.#createEar()
  }

  get offset(): number {
    return this.#offset
  }

  get phase(): Phase {
    return this.#phase.phase
  }

  get exit(): KeptExit | null {
    return this.#exit
  }

  get frame(): Frame | null {
    return this.#sight.last?.frame ?? null
  }

  get observation(): Observation | null {
    return this.#sight.last?.observation ?? null
  }

  get approval(): ApprovalRecord | null {
    return this.#approvals.open
  }

  get blocks(): readonly Block[] {
    return this.#phase.blocks
  }

  get openMessage(): MessageRef | null {
    return this.#phase.openMessage
  }

  get screen(): PaneScreen {
    return this.#screen
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
    return this.#prompts.held
  }

  /** The agent is at rest, that has been believed, and all it said is in the log. */
  get isIdle(): boolean {
    return this.#isAtRest && !this.#isResuming && !this.#messages.isClosing
  }

  snapshot(): SessionSnapshot {
    return {
      offset: this.#offset,
      screen: this.#screen.serialize(),
      sight: this.#sight.saved,
      phase: this.#phase.state,
    }
  }

  // — from the keeper —

  output(bytes: Uint8Array, t: number, offset: number): void {
    this.#time.observe(t)
    this.#advance(t)
    this.#offset = offset + bytes.length
    this.#notices.changed()
    this.#handle(this.#screen.feed(bytes, t, { live: !this.#isCatchingUp }), t)
    for (const viewer of this.#viewers) viewer.output(bytes, offset)
  }

  resized(cols: number, rows: number, t: number): void {
    this.#time.observe(t)
    this.#resizedAt = t
    this.#advance(t)
    this.#handle(this.#screen.resize(cols, rows, t), t)
    for (const viewer of this.#viewers) viewer.resized(cols, rows)
  }

  /** Keys that went to the program while no host was there, or from an earlier one. */
  typed(bytes: Uint8Array): void {
    this.#phase.noteInput(bytes)
  }

  exited(exit: KeptExit): void {
    this.#time.stop()
    // The last frame ends with the program; a second later everything about it has settled.
    this.#advance(exit.t + 1)
    this.#handle(this.#screen.tick(exit.t + 1), exit.t + 1)
    this.#time.stop()
    this.#exit = exit
    this.#observer?.exited(exit)
    this.#phase.dispatch('process-exit', this.#sight.last)
    this.#notices.stop()
    this.#ear.stop()
    for (const viewer of this.#viewers) viewer.exited(exit)
    this.#waiters.wake()
  }

  lagging(): void {
    this.#time.stop()
    this.#isCatchingUp = true
    this.#options.onLagging?.()
  }

  unrecorded({ code, message }: RecordingFailure): void {
    this.#record('recording.failed', { session: this.id, recording: this.#options.record.recording, code, message })
  }

  /** Old bytes are all in: from here on questions are answered, menus asked, messages shown. */
  goLive(): void {
    const isAdopted = this.#offset > 0
    const now = this.#time.now()
    this.#advance(now)
    this.#handle(this.#screen.tick(now), now)
    this.#phase.tick(now)
    this.#isCatchingUp = false
    if (isAdopted) this.#phase.takeOverApprovals()
    if (!this.#exit) this.#notices.start({ isReady: this.#phase.isReady || this.pack.agent === 'generic' })
    this.#schedule()
    this.#releasePrompts()
  }

  // — from the agent, beside its screen —

  /** Hooks, transcript, its own event stream: what the agent itself says, in one vocabulary. */
  hear(report: AgentReport): void {
    this.#ear.hear(report)
    this.#effects.later(() => this.#approvals.hear(report))
    this.#waiters.wake()
  }

  // — from people —

  observe(observer: SessionObserver): void {
    this.#observer = observer
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
    if (this.#exit || !this.#keyboard.mayType(person)) return false
    this.#keyboard.noteKeys()
    this.#approvals.noteKeys()
    await this.press(bytes)
    return true
  }

  /** Our own keys. */
  async press(keys: string | Uint8Array): Promise<void> {
    const bytes = typeof keys === 'string' ? new TextEncoder().encode(keys) : keys
    this.#sight.noteInput(this.#time.now(), bytes)
    this.#phase.noteInput(bytes)
    this.#observer?.input(this.#time.now(), bytes)
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
    await this.#approvals.apply(record)
    this.#waiters.wake()
  }

  /** Types a prompt and finds out whether the agent took it; or keeps it until the agent rests. */
  async send(text: string, options: SendOptions = {}): Promise<SendResult> {
    await this.#waiters.until(RESUMES_MS, () => !this.#isResuming)
    return this.#prompts.send(text, options)
  }

  /** Takes back a prompt that is held. */
  dropPrompt(id: string): boolean {
    return this.#prompts.drop(id)
  }

  /** Stops what the agent works on, and looks whether it did. */
  interrupt(): Promise<InterruptResult> {
    const { pack, clock } = this.#options
    return this.#keyboard.alone(async () => {
      const result = await interruptAgent(
        {
          observation: () => this.observation,
          isExited: () => this.#exit !== null,
          isAtWork: () => this.#phase.isAtWork,
          press: keys => this.press(keys),
          until: (ms, holds) => this.#waiters.until(ms, holds),
        },
        { pack, clock },
      )
      if (result.result === 'interrupted' && !this.#exit) this.#phase.interrupted()
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
    this.#endReason ??= reason
  }

  /** Resolves at the next change of anything a waiter may ask for, or after `ms`. */
  changed(ms: number): Promise<void> {
    return this.#waiters.changed(ms)
  }

  /** Resolves when every effect so far has been carried out. */
  settled(): Promise<void> {
    return this.#effects.settled()
  }

  // — inside —

  /** It goes on with an earlier conversation, and has not shown it yet. */
  get #isResuming(): boolean {
    return this.#options.record.resumedFrom !== undefined && !this.#phase.isReady && this.#exit === null
  }

  get #isAtRest(): boolean {
    const look = this.#sight.last
    if (this.phase !== 'dormant' || !look?.isSettled) return false
    return look.observation.busy === false && look.observation.awaiting === null
  }

  /** Whatever time alone brings about comes before what the program prints next. */
  #advance(t: number): void {
    for (const look of this.#sight.tick(t)) this.#see(look)
    this.#phase.tick(t)
  }

  #handle(outputs: readonly PaneOutput[], t: number): void {
    for (const output of outputs) {
      if (output.type === 'reply') void this.#options.keeper.write(this.id, output.bytes).catch(this.#options.onError)
      else if (output.type === 'evidence') {
        const source = signalOf(output.evidence, this.pack)
        if (source && !this.#isCatchingUp) this.#signals.note(source, null)
      }
    }
    for (const look of this.#sight.take(outputs, t)) this.#see(look)
    if (outputs.length > 0) this.#observer?.outputs(outputs, this.#time.now(), !this.#isCatchingUp)
    this.#schedule()
    if (outputs.length > 0) this.#waiters.wake()
    this.#releasePrompts()
  }

  /** In milliseconds. */
  #menuAge(): { stands: number; quiet: number } {
    const now = this.#time.now()
    const menu = liveMenu(this.observation)
    const since = (t: number | undefined) => (t === undefined ? 0 : Math.max(0, (now - t) * 1000))
    return { stands: since(menu?.live.since), quiet: since(this.frame?.t) }
  }

  #schedule(): void {
    if (this.#exit || this.#isCatchingUp) return
    const deadlines = [this.#screen.nextDeadline(), this.#sight.nextDeadline(), this.#phase.nextDeadline()].filter(
      at => at !== null,
    )
    this.#time.schedule(deadlines.length === 0 ? null : Math.min(...deadlines), () => {
      const now = this.#time.now()
      this.#advance(now)
      this.#handle(this.#screen.tick(now), now)
    })
  }

  #see(look: Look): void {
    this.#exitScreen.observe(look)
    this.#phase.see(look)
  }

  #end(): void {
    const exit = this.#exit && { code: this.#exit.code, signal: this.#exit.signal }
    const isCrash = exit !== null && (exit.signal !== null || exit.code !== 0) && this.#endReason === null
    this.#identifyByExit()
    if (isCrash && !this.#isCatchingUp)
      this.#notices.crashed(this.#exit!, { canResume: this.#agent.canResume && this.#agentSessionId !== null })
    this.#record('session.ended', { exit, reason: this.#endReason ?? (isCrash ? 'crashed' : 'exited') })
    this.#effects.later(() => this.#options.keeper.forget(this.id))
    this.#effects.later(async () => this.#options.onEnded?.())
  }

  /** Many agents say in their last words how to come back. A better source may have told before. */
  #identifyByExit(): void {
    const { last } = this.#screen
    if (this.#agentSessionId !== null || !this.#agent.exitId || !last) return
    const found = this.#agent.exitId(this.#exitScreen.rows(last))
    if (found !== null) this.#identify(found, 'exit screen')
  }

  #identify(agentSessionId: string, source: string, agentVersion?: string): void {
    if (agentSessionId === this.#agentSessionId) return
    this.#agentSessionId = agentSessionId
    this.#record('session.identified', { agentSessionId, source, ...(agentVersion !== undefined && { agentVersion }) })
  }

  #tell(notice: Notice): void {
    const { sinks, onError } = this.#options
    this.#record('session.noticed', { session: this.id, ...notice })
    for (const sink of sinks) void sink.notice(this.id, notice).catch(onError)
  }

  #lastRows(count: number): string[] {
    const rows = this.frame?.lines.map(row => row.text.trimEnd()).filter(text => text !== '') ?? []
    return rows.slice(-count)
  }

  #record<T extends EventType>(type: T, data: EventData<T>): void {
    this.#effects.later(async () => void (await this.#options.journal.write(type, data)))
  }

  #releasePrompts(): void {
    if (this.#isCatchingUp || this.#prompts.held.length === 0) return
    void this.#prompts.releaseNext().catch(this.#options.onError)
  }

  // — its parts —

  #createMessages(): SessionMessages {
    const { sinks, journal, onError } = this.#options
    return new SessionMessages({
      session: this.id,
      sinks,
      effects: this.#effects,
      waiters: this.#waiters,
      transcriptWaitMs: this.#times.transcriptWaitMs,
      isSilent: () => this.#isCatchingUp,
      hasEnded: () => this.#exit !== null,
      write: (type, data) => journal.write(type, data),
      onError,
    })
  }

  #createNotices(): SessionNotices {
    const { record, clock, onError } = this.#options
    return new SessionNotices({
      session: record,
      clock,
      times: this.#times,
      lastRows: count => this.#lastRows(count),
      unattendedMs: () => (this.#viewers.size > 0 ? 0 : clock.monotonic() - this.#lastViewerAt),
      tell: notice => this.#tell(notice),
      onSilence: () => this.#phase.dispatch('silence', this.#sight.last),
      onAbandoned: () => void this.stop(ABANDONED).catch(onError),
    })
  }

  #createApprovals(): SessionApprovals {
    const { record, ledger, clock, sinks, hostName, answers, onError } = this.#options
    return new SessionApprovals({
      ledger,
      clock,
      sinks,
      subject: { agent: record.agent, session: record.id, project: record.project, cwd: record.cwd, hostName },
      menu: {
        menu: () => liveMenu(this.observation),
        press: keys => this.press(keys),
        nextFrame: ms => this.changed(ms),
        instance: () => this.#phase.menuInstance,
        age: () => this.#menuAge(),
        picture: () => this.frame?.lines.map(row => row.text).join('\n') ?? '',
      },
      ...(answers && { answers }),
      alone: work => this.#keyboard.alone(work),
      isSteady: () => this.frame?.torn !== true && this.#time.now() - this.#resizedAt >= RESIZE_SETTLES_S,
      say: async text => void (await this.#prompts.send(text, { whenBusy: 'hold' })),
      isExited: () => this.#exit !== null,
      onError,
    })
  }

  #createPrompts(): Prompts {
    const { pack, clock, journal, absence, onError } = this.#options
    return new Prompts({
      session: this.id,
      pack,
      clock,
      keyboard: this.#keyboard,
      readyWaitMs: this.#times.readyWaitMs,
      held: journal.held,
      port: {
        observation: () => this.observation,
        isExited: () => this.#exit !== null,
        isBracketedPaste: () => this.#screen.emulator.isBracketedPaste,
        press: keys => this.press(keys),
        changed: ms => this.changed(ms),
        absence: () => absence?.() ?? null,
        quietMs: () => this.#keyboard.quietMs,
        proof: (text, since, wasBusy) => this.#signals.proofOf(text, since, wasBusy),
        hasHooks: () => this.#agent.hasHooks,
      },
      isIdle: () => this.isIdle,
      record: (type, data) => this.#record(type, data),
      onDelivered: () => {
        this.#phase.dispatch('prompt-sent', this.#sight.last)
        return this.#phase.lastTurn
      },
      untilBegun: turn => this.#waiters.until(BEGINS_MS, () => this.#exit !== null || this.#phase.hasBegun(turn)),
      onFailed: detail => this.#notices.undelivered(detail),
      onError,
    })
  }

  #createPhase(): SessionPhase {
    const { record, pack, clock, sinks, restored, onError } = this.#options
    return new SessionPhase({
      session: this.id,
      pack,
      rows: this.#screen,
      clock,
      sinks,
      effects: this.#effects,
      messages: this.#messages,
      notices: this.#notices,
      approvals: this.#approvals,
      isResumed: record.resumedFrom !== undefined,
      hasTranscript: this.#agent.hasTranscript,
      restored: restored?.phase ?? null,
      isCatchingUp: () => this.#isCatchingUp,
      exit: () => this.#exit,
      lastLook: () => this.#sight.last,
      record: (type, data) => this.#record(type, data),
      onEnd: () => this.#end(),
      onError,
    })
  }

  #createEar(): AgentEar {
    return new AgentEar({
      clock: this.#options.clock,
      startedAt: this.#options.record.startedAt,
      signals: this.#signals,
      onIdentified: (agentSession, source, version) => this.#identify(agentSession, source, version),
      onSaid: said => this.#phase.hear(said, this.#time.now()),
      onTurnEnded: outcome => this.#phase.turnEnded(outcome),
    })
  }
}
