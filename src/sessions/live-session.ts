import type { ApprovalRecord, Ledger } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import type { EventData, EventType } from '../events/index.js'
import type { KeeperListener, KeeperPort, KeptExit, RecordingFailure } from '../keeper/index.js'
import { transition, UnlistedCounter } from '../machine/index.js'
import { type Look, type PaneOutput, PaneScreen, type PaneScreenState } from '../panes/index.js'
import { type Block, type Menu, type Observation, type Pack, renderMarkdown } from '../screen/index.js'
import type { EmulatorOptions, Frame } from '../terminal/index.js'
import { Conversation, type ConversationState } from './conversation.js'
import type { SessionJournal } from './journal.js'
import { type Phase, type PhaseAction, type PhaseEvent, phaseEventOf, phaseTable } from './phase-table.js'
import { type SendResult, sendPrompt } from './send-gate.js'
import { SessionApprovals } from './session-approvals.js'
import { SessionClock } from './session-clock.js'
import type { SessionRecord } from './session-record.js'
import type { MessageRef, Sink } from './sink.js'

export interface LiveSessionOptions {
  record: SessionRecord
  pack: Pack
  keeper: KeeperPort
  journal: SessionJournal
  ledger: Ledger
  sinks: readonly Sink[]
  clock: Clock
  emulator: EmulatorOptions
  hostName: string
  restored?: SessionSnapshot
  onError(error: unknown): void
  /** The session's end is recorded. */
  onEnded?(): void
  /** The keeper has cut us off: output from `offset` on is in the recording, and this session is catching up until `goLive`. */
  onLagging?(): void
}

/** All that a later host needs to go on from `offset` without reading older bytes again. */
export interface SessionSnapshot {
  offset: number
  screen: PaneScreenState
  phase: Phase
  conversation: ConversationState
  menus: { count: number; print: string | null; instance: string }
}

/** Whoever follows what the session's screen shows and the terminal reports, without a say in it. `t`: seconds since the start. */
export interface SessionObserver {
  outputs(outputs: readonly PaneOutput[], t: number, isLive: boolean): void
  input(t: number, bytes: Uint8Array): void
  exited(exit: KeptExit): void
}

/** Someone who watches the terminal itself. */
export interface Viewer {
  output(bytes: Uint8Array, offset: number): void
  resized(cols: number, rows: number): void
  exited(exit: KeptExit): void
}

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
  readonly #screen: PaneScreen
  readonly #time: SessionClock
  readonly #conversation: Conversation
  readonly #approvals: SessionApprovals
  readonly #unlisted = new UnlistedCounter()
  readonly #viewers = new Set<Viewer>()
  readonly #waiters = new Set<() => void>()
  #observer: SessionObserver | null = null
  #phase: Phase = 'dormant'
  #offset = 0
  #menus: SessionSnapshot['menus'] = { count: 0, print: null, instance: '' }
  #isCatchingUp = true
  #exit: KeptExit | null = null
  #work: Promise<void> = Promise.resolve()
  #typing: Promise<void> = Promise.resolve()
  #isTyping = false

  constructor(options: LiveSessionOptions) {
    const { record, pack, restored } = options
    this.#options = options
    this.id = record.id
    this.#screen = new PaneScreen(pack, options.emulator, restored?.screen)
    this.#time = new SessionClock(options.clock, record.startedAt)
    this.#conversation = new Conversation(record.id, pack, this.#screen, restored?.conversation)
    if (restored) {
      this.#offset = restored.offset
      this.#phase = restored.phase
      this.#menus = { ...restored.menus }
    }
    this.#approvals = new SessionApprovals({
      ledger: options.ledger,
      clock: options.clock,
      sinks: options.sinks,
      subject: {
        agent: record.agent,
        session: record.id,
        project: record.project,
        cwd: record.cwd,
        hostName: options.hostName,
      },
      menu: {
        menu: () => liveMenu(this.observation),
        press: keys => this.press(keys),
        nextFrame: ms => this.changed(ms),
      },
      isExited: () => this.#exit !== null,
      onError: options.onError,
    })
  }

  get offset(): number {
    return this.#offset
  }

  get phase(): Phase {
    return this.#phase
  }

  get exit(): KeptExit | null {
    return this.#exit
  }

  get frame(): Frame | null {
    return this.#screen.last?.frame ?? null
  }

  get observation(): Observation | null {
    return this.#screen.last?.observation ?? null
  }

  get approval(): ApprovalRecord | null {
    return this.#approvals.open
  }

  get blocks(): readonly Block[] {
    return this.#conversation.blocks
  }

  get openMessage(): MessageRef | null {
    const { turn, message } = this.#conversation
    return turn && message ? { session: this.id, turn, message } : null
  }

  get screen(): PaneScreen {
    return this.#screen
  }

  get pack(): Pack {
    return this.#options.pack
  }

  /** The agent is at rest, and that has been believed. */
  get isIdle(): boolean {
    const look = this.#screen.last
    return (
      this.#phase === 'dormant' &&
      look !== null &&
      look.isSettled &&
      look.observation.busy === false &&
      look.observation.awaiting === null
    )
  }

  snapshot(): SessionSnapshot {
    return {
      offset: this.#offset,
      screen: this.#screen.serialize(),
      phase: this.#phase,
      conversation: this.#conversation.state,
      menus: { ...this.#menus },
    }
  }

  // — from the keeper —

  output(bytes: Uint8Array, t: number, offset: number): void {
    this.#time.observe(t)
    this.#offset = offset + bytes.length
    this.#handle(this.#screen.feed(bytes, t, { live: !this.#isCatchingUp }))
    for (const viewer of this.#viewers) viewer.output(bytes, offset)
  }

  resized(cols: number, rows: number, t: number): void {
    this.#time.observe(t)
    this.#handle(this.#screen.resize(cols, rows, t))
    for (const viewer of this.#viewers) viewer.resized(cols, rows)
  }

  exited(exit: KeptExit): void {
    this.#time.stop()
    // The last frame ends with the program; a second later everything about it has settled.
    this.#handle(this.#screen.tick(exit.t + 1))
    this.#time.stop()
    this.#exit = exit
    this.#observer?.exited(exit)
    this.#dispatch('process-exit', this.#screen.last)
    for (const viewer of this.#viewers) viewer.exited(exit)
    this.#wake()
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
    this.#handle(this.#screen.tick(this.#time.now()))
    this.#isCatchingUp = false
    if (isAdopted) this.#takeOverApprovals()
    this.#schedule()
  }

  // — from people —

  observe(observer: SessionObserver): void {
    this.#observer = observer
  }

  watch(viewer: Viewer): () => void {
    this.#viewers.add(viewer)
    return () => this.#viewers.delete(viewer)
  }

  /** Keys of an attached person. Refused while a decision is being typed: two hands on one keyboard. */
  async type(bytes: Uint8Array): Promise<boolean> {
    if (this.#isTyping || this.#exit) return false
    this.#approvals.noteKeys()
    await this.press(bytes)
    return true
  }

  /** Our own keys. */
  async press(keys: string | Uint8Array): Promise<void> {
    const bytes = typeof keys === 'string' ? new TextEncoder().encode(keys) : keys
    this.#screen.noteInput(this.#time.now())
    this.#observer?.input(this.#time.now(), bytes)
    await this.#options.keeper.write(this.id, bytes)
  }

  async resize(cols: number, rows: number): Promise<void> {
    await this.#options.keeper.resize(this.id, cols, rows)
  }

  /** Types a decision into the agent's menu. Called by the host when the ledger says *decided*. */
  async apply(record: ApprovalRecord): Promise<void> {
    await this.#alone(() => this.#approvals.apply(record))
    this.#wake()
  }

  /** Types a prompt and finds out whether the agent took it. */
  send(text: string): Promise<SendResult> {
    const { pack, clock } = this.#options
    const port = {
      observation: () => this.observation,
      isExited: () => this.#exit !== null,
      isBracketedPaste: () => this.#screen.emulator.isBracketedPaste,
      press: (keys: string) => this.press(keys),
      changed: (ms: number) => this.changed(ms),
    }
    return this.#alone(async () => {
      const result = await sendPrompt(port, text, { pack, clock })
      if (result.result === 'delivered') this.#dispatch('prompt-sent', this.#screen.last)
      return result
    })
  }

  /** One hand on the keyboard: prompts and decisions wait for each other, and attached people are kept out meanwhile. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#typing.then(async () => {
      this.#isTyping = true
      try {
        return await work()
      } finally {
        this.#isTyping = false
      }
    })
    this.#typing = turn.then(
      () => undefined,
      () => undefined,
    )
    return turn
  }

  /** Resolves at the next change of anything a waiter may ask for, or after `ms`. */
  changed(ms: number): Promise<void> {
    return new Promise(resolve => {
      const waiters = this.#waiters
      const timer = this.#options.clock.setTimer(ms, done)
      function done() {
        timer.cancel()
        waiters.delete(done)
        resolve()
      }
      waiters.add(done)
    })
  }

  /** Resolves when every effect so far has been carried out. */
  async settled(): Promise<void> {
    let work: Promise<void>
    do {
      work = this.#work
      await work
    } while (work !== this.#work)
  }

  // — inside —

  #handle(outputs: readonly PaneOutput[]): void {
    for (const output of outputs) {
      if (output.type === 'reply') void this.#options.keeper.write(this.id, output.bytes).catch(this.#options.onError)
      else if (output.type === 'look') this.#see(output.look)
    }
    if (outputs.length > 0) this.#observer?.outputs(outputs, this.#time.now(), !this.#isCatchingUp)
    this.#schedule()
    if (outputs.length > 0) this.#wake()
  }

  #schedule(): void {
    if (this.#exit || this.#isCatchingUp) return
    this.#time.schedule(this.#screen.nextDeadline(), () => this.#handle(this.#screen.tick(this.#time.now())))
  }

  #see(look: Look): void {
    const { observation } = look
    this.#conversation.observe(look)
    if (observation.composer || observation.awaiting) this.#record('session.ready', {})
    if (!look.isSettled) return
    const menu = liveMenu(observation)
    const isNewMenu = menu !== null && this.#menus.print !== menu.print
    if (!menu) this.#menus.print = null
    this.#dispatch(phaseEventOf(observation, isNewMenu), look)
  }

  #dispatch(event: PhaseEvent, look: Look | null): void {
    const from = this.#phase
    const [next, actions] = transition(phaseTable, from, event, { counter: this.#unlisted })
    this.#phase = next
    if (next !== from && !this.#isCatchingUp) this.#record('session.phase', { from, to: next, event })
    for (const action of actions) this.#act(action, look)
    if (next === 'dormant' && from !== 'dormant') this.#closeTurn(look)
  }

  /** Each action is isolated: a failure is reported, the rest still run, the phase has advanced. */
  #act(action: PhaseAction, look: Look | null): void {
    try {
      this.#perform(action, look)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  #perform(action: PhaseAction, look: Look | null): void {
    switch (action) {
      case 'mark-turn': {
        const turn = look && this.#conversation.markTurn(look)
        if (turn) this.#record('turn.opened', { session: this.id, turn })
        return
      }
      case 'open-message':
        this.#conversation.openMessage()
        return this.#show(async (sink, ref) => sink.open(ref))
      case 'start-typing':
      case 'stop-typing':
        if (!this.#isCatchingUp) for (const sink of this.#options.sinks) sink.typing(this.id, action === 'start-typing')
        return
      case 'extract':
      case 'extract-turn':
        if (look) this.#conversation.extract(look, { isOpen: true })
        return
      case 'edit':
        if (this.#conversation.blocks.length === 0) return
        this.#conversation.openMessage()
        return this.#show(async (sink, ref) => sink.update(ref, this.#conversation.blocks))
      case 'finalize':
        return this.#finalize(look)
      case 'ask':
        return this.#ask(look)
      case 'settle-approval':
        if (!this.#isCatchingUp) this.#later(() => this.#approvals.settle())
        return
      case 'end-session':
        return this.#end()
      default:
        return
    }
  }

  #finalize(look: Look | null): void {
    const { turn } = this.#conversation
    if (!turn || !look) return
    this.#conversation.openMessage()
    this.#conversation.extract(look, { isOpen: false, isAsking: this.#phase === 'tool-pending' })
    const ref = this.openMessage!
    const closed = this.#conversation.closeMessage()
    if (closed) {
      const { message, blocks } = closed
      const kept = blocks as unknown as EventData<'message.final'>['blocks']
      this.#record('message.final', { session: this.id, turn, message, markdown: renderMarkdown(blocks), blocks: kept })
      if (!this.#isCatchingUp) for (const sink of this.#options.sinks) this.#later(() => sink.close(ref, blocks))
    }
  }

  /** The agent rests: whatever it worked on is over, said or unsaid. */
  #closeTurn(look: Look | null): void {
    const { turn } = this.#conversation
    if (!turn) return
    const outcome = look?.observation.terminator?.outcome ?? (this.#exit ? 'exited' : 'done')
    this.#conversation.closeTurn()
    this.#record('turn.closed', { session: this.id, turn, outcome })
  }

  #ask(look: Look | null): void {
    const menu = liveMenu(look?.observation ?? null)
    if (!menu || !look) return
    const count = this.#menus.count + 1
    const instance = `${look.frame.lines[menu.rows[0]]?.id ?? 0}:${count}`
    this.#menus = { count, print: menu.print, instance }
    if (this.#isCatchingUp) return
    this.#later(() => this.#approvals.raise(menu, instance))
  }

  #takeOverApprovals(): void {
    const menu = liveMenu(this.observation)
    const { instance } = this.#menus
    this.#later(async () => {
      const found = await this.#approvals.takeOver(menu && { menu, instance })
      if (found === 'new' && menu) await this.#approvals.raise(menu, instance)
    })
  }

  #end(): void {
    const exit = this.#exit && { code: this.#exit.code, signal: this.#exit.signal }
    const isCrash = exit !== null && (exit.signal !== null || exit.code !== 0)
    this.#record('session.ended', { exit, reason: isCrash ? 'crashed' : 'exited' })
    this.#later(() => this.#options.keeper.forget(this.id))
    this.#later(async () => this.#options.onEnded?.())
  }

  #record<T extends EventType>(type: T, data: EventData<T>): void {
    this.#later(() => this.#options.journal.write(type, data))
  }

  /** Effects run one after the other, in the order they were caused. */
  #later(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(work)
      .catch(error => this.#options.onError(error))
      .then(() => this.#wake())
  }

  #show(call: (sink: Sink, message: MessageRef) => Promise<void>): void {
    const ref = this.openMessage
    if (this.#isCatchingUp || !ref) return
    for (const sink of this.#options.sinks) void call(sink, ref).catch(this.#options.onError)
  }

  #wake(): void {
    for (const wake of [...this.#waiters]) wake()
  }
}

export function liveMenu(observation: Observation | null): Menu | null {
  if (observation?.view === 'tool_menu') return (observation as Observation<'tool_menu'>).payload.menu
  if (observation?.view === 'auth_required') return (observation as Observation<'auth_required'>).payload.menu ?? null
  return null
}
