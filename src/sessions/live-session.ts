import type { Ledger, MenuPort } from '../approvals/index.js'
import { approvalKindOf, type ApprovalRecord, chooseOption, requestFromMenu } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import { newEvent, type EventData, type EventType } from '../events/index.js'
import type { KeeperListener, KeeperPort, KeptExit } from '../keeper/index.js'
import { transition, UnlistedCounter } from '../machine/index.js'
import { type Look, type PaneOutput, PaneScreen } from '../panes/index.js'
import { type Block, type Menu, type Observation, type Pack, renderMarkdown } from '../screen/index.js'
import type { EventStore } from '../store/index.js'
import type { EmulatorOptions, Frame } from '../terminal/index.js'
import { Conversation } from './conversation.js'
import { type Phase, type PhaseAction, type PhaseEvent, phaseEventOf, phaseTable } from './phase-table.js'
import { SessionClock } from './session-clock.js'
import { sessionStream, type SessionRecord } from './session-record.js'
import type { MessageRef, Sink } from './sink.js'

export interface LiveSessionOptions {
  record: SessionRecord
  pack: Pack
  keeper: KeeperPort
  store: EventStore
  ledger: Ledger
  sinks: readonly Sink[]
  clock: Clock
  emulator: EmulatorOptions
  hostName: string
  onError(error: unknown): void
  /** The session's end is recorded. */
  onEnded?(): void
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
 */
export class LiveSession implements KeeperListener {
  readonly id: string
  readonly #options: LiveSessionOptions
  readonly #screen: PaneScreen
  readonly #time: SessionClock
  readonly #conversation: Conversation
  readonly #unlisted = new UnlistedCounter()
  readonly #viewers = new Set<Viewer>()
  #phase: Phase = 'dormant'
  #offset = 0
  #isReady = false
  /** During catch-up nothing is answered, asked or sent: only the end state counts. */
  #isCatchingUp = true
  #exit: KeptExit | null = null
  #menuCount = 0
  #askedMenu: { print: string; instance: string } | null = null
  #approval: ApprovalRecord | null = null
  #sawKeysSinceAsk = false
  #isApplying = false
  #waiters = new Set<() => void>()
  #work: Promise<void> = Promise.resolve()

  constructor(options: LiveSessionOptions) {
    this.#options = options
    this.id = options.record.id
    this.#screen = new PaneScreen(options.pack, options.emulator)
    this.#time = new SessionClock(options.clock, options.record.startedAt)
    this.#conversation = new Conversation(options.pack, this.#screen)
    this.#isReady = options.record.state === 'live'
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
    return this.#approval
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

  /** Is the agent at rest, and has it been believed? */
  get isIdle(): boolean {
    const look = this.#screen.last
    return this.#phase === 'dormant' && look !== null && look.isSettled && look.observation.busy === false && look.observation.awaiting === null
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
    this.#handle(this.#screen.tick(exit.t + 1))
    this.#time.stop()
    this.#exit = exit
    this.#dispatch('process-exit', this.#screen.last)
    for (const viewer of this.#viewers) viewer.exited(exit)
    this.#wake()
  }

  lagging(): void {
    // The host attaches again from the recording; nothing is lost, the picture is late.
  }

  /** Old bytes are all in: from here on questions are answered, menus asked, messages sent. */
  goLive(): void {
    this.#isCatchingUp = false
    const look = this.#screen.last
    if (look) this.#see(look)
    this.#schedule()
  }

  /** A host that took over knows from the ledger what was already asked. */
  adoptApproval(record: ApprovalRecord): void {
    this.#approval = record
    this.#askedMenu = { print: record.menuPrint ?? '', instance: record.instance }
    this.#phase = 'tool-pending'
  }

  // — from people —

  watch(viewer: Viewer): () => void {
    this.#viewers.add(viewer)
    return () => this.#viewers.delete(viewer)
  }

  /** Keys of an attached person. Refused while a decision is being typed: two hands on one keyboard. */
  async type(bytes: Uint8Array): Promise<boolean> {
    if (this.#isApplying || this.#exit) return false
    this.#sawKeysSinceAsk = true
    await this.press(bytes)
    return true
  }

  /** Our own keys. */
  async press(keys: string | Uint8Array): Promise<void> {
    this.#screen.noteInput(this.#time.now())
    await this.#options.keeper.write(this.id, typeof keys === 'string' ? new TextEncoder().encode(keys) : keys)
  }

  async resize(cols: number, rows: number): Promise<void> {
    await this.#options.keeper.resize(this.id, cols, rows)
  }

  /** A prompt of ours is on its way: the turn begins at its echo. */
  notePromptSent(): void {
    this.#dispatch('prompt-sent', this.#screen.last)
  }

  /** Resolves at the next change of anything a waiter may ask for, or after `ms`. */
  changed(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = this.#options.clock.setTimer(ms, done)
      const waiters = this.#waiters
      function done() {
        timer.cancel()
        waiters.delete(done)
        resolve()
      }
      waiters.add(done)
    })
  }

  /** Types a decision into the agent's menu. Called by the host when the ledger says *decided*; safe to call again. */
  async apply(record: ApprovalRecord): Promise<void> {
    if (this.#isApplying || !record.decision || record.state !== 'decided') return
    const { ledger, clock } = this.#options
    this.#isApplying = true
    try {
      const option = record.request.options.find(candidate => candidate.key === record.decision!.option)
      const outcome = await chooseOption(this.#menuPort(), { print: record.menuPrint ?? '', label: option?.label ?? '' }, {
        clock,
        onStep: step => ledger.delivering(record, step),
      })
      if (outcome.result === 'applied') {
        await ledger.applied(record, [{ kind: 'screen', view: this.observation?.view, keys: outcome.keys.length }], clock.now())
      } else await ledger.stale(record, outcome.reason)
      await this.#refreshApproval()
    } finally {
      this.#isApplying = false
    }
  }

  async #refreshApproval(): Promise<void> {
    if (!this.#approval) return
    this.#approval = await this.#options.ledger.get(this.#approval.id)
    if (this.#approval && this.#approval.state !== 'pending' && this.#approval.state !== 'decided') {
      for (const sink of this.#options.sinks) await this.#guard(() => sink.settle(this.#approval!))
      this.#approval = null
    }
    this.#wake()
  }

  #menuPort(): MenuPort {
    return {
      menu: () => liveMenu(this.observation),
      press: keys => this.press(keys),
      nextFrame: ms => this.changed(ms),
    }
  }

  // — inside —

  #handle(outputs: readonly PaneOutput[]): void {
    for (const output of outputs) {
      if (output.type === 'reply') void this.#guard(() => this.#options.keeper.write(this.id, output.bytes))
      else if (output.type === 'look') this.#see(output.look)
    }
    this.#schedule()
    if (outputs.length > 0) this.#wake()
  }

  #schedule(): void {
    if (this.#exit) return
    this.#time.schedule(this.#screen.nextDeadline(), () => this.#handle(this.#screen.tick(this.#time.now())))
  }

  #see(look: Look): void {
    if (this.#isCatchingUp) return
    const { observation } = look
    if (!this.#isReady && (observation.composer || observation.awaiting)) {
      this.#isReady = true
      this.#record('session.ready', {})
    }
    if (!look.isSettled) return
    const menu = liveMenu(observation)
    const isNewMenu = menu !== null && this.#askedMenu?.print !== menu.print
    if (!menu) this.#askedMenu = null
    this.#dispatch(phaseEventOf(observation, isNewMenu), look)
  }

  #dispatch(event: PhaseEvent, look: Look | null): void {
    const from = this.#phase
    const [next, actions] = transition(phaseTable, from, event, { counter: this.#unlisted })
    this.#phase = next
    if (next !== from) this.#record('session.phase', { from, to: next, event })
    for (const action of actions) this.#act(action, look)
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
    const { sinks } = this.#options
    switch (action) {
      case 'mark-turn': {
        const turn = look && this.#conversation.markTurn(look)
        if (turn) this.#record('turn.opened', { session: this.id, turn })
        return
      }
      case 'open-message':
        this.#conversation.openMessage()
        return this.#toSinks(sink => sink.open(this.openMessage!))
      case 'start-typing':
      case 'stop-typing':
        for (const sink of sinks) sink.typing(this.id, action === 'start-typing')
        return
      case 'extract':
      case 'extract-turn':
        if (look) this.#conversation.extract(look, { isOpen: true })
        return
      case 'edit':
        if (this.#conversation.blocks.length === 0) return
        this.#conversation.openMessage()
        for (const sink of sinks) if (this.openMessage) sink.update(this.openMessage, this.#conversation.blocks)
        return
      case 'finalize':
        return this.#finalize(look)
      case 'ask':
        return this.#ask(look)
      case 'settle-approval':
        return this.#settleApproval()
      case 'end-session':
        return this.#end()
      default:
        return
    }
  }

  #finalize(look: Look | null): void {
    const turn = this.#conversation.turn
    if (!turn || !look) return
    this.#conversation.openMessage()
    this.#conversation.extract(look, { isOpen: false, isAsking: this.#phase === 'tool-pending' })
    const ref = this.openMessage!
    const closed = this.#conversation.closeMessage()
    if (closed) {
      const markdown = renderMarkdown(closed.blocks)
      this.#record('message.final', { session: this.id, turn, message: closed.message, markdown, blocks: closed.blocks as never })
      this.#toSinks(sink => sink.close(ref, closed.blocks))
    }
    if (this.#phase !== 'dormant') return
    const outcome = look.observation.terminator?.outcome ?? (this.#exit ? 'exited' : 'done')
    if (this.#conversation.closeTurn()) this.#record('turn.closed', { session: this.id, turn, outcome })
  }

  #ask(look: Look | null): void {
    const menu = liveMenu(look?.observation ?? null)
    if (!menu || !look) return
    const { record, ledger, hostName, sinks } = this.#options
    const instance = `${look.frame.lines[menu.rows[0]]?.id ?? 0}:${++this.#menuCount}`
    this.#askedMenu = { print: menu.print, instance }
    this.#sawKeysSinceAsk = false
    const kind = approvalKindOf(menu)
    if (!kind) return
    const subject = { agent: record.agent, session: this.id, project: record.project, cwd: record.cwd, hostName }
    this.#later(async () => {
      this.#approval = await ledger.request(requestFromMenu(menu, { kind, subject, instance }))
      for (const sink of sinks) await this.#guard(() => sink.ask(this.#approval!))
      this.#wake()
    })
  }

  /** The menu has gone. Decided: the one who applies it looks for proof. Pending: someone answered in the terminal, or it was withdrawn. */
  #settleApproval(): void {
    const { ledger, clock } = this.#options
    const byHand = this.#sawKeysSinceAsk
    this.#later(async () => {
      const record = this.#approval && (await ledger.get(this.#approval.id))
      if (record?.state === 'pending') {
        if (this.#exit) await ledger.cancelled(record, 'session ended')
        else if (byHand) await ledger.observed(record, [{ kind: 'screen' }], clock.now())
        else await ledger.stale(record, 'gone')
      } else if (record?.state === 'decided' && this.#exit) await ledger.cancelled(record, 'session ended')
      await this.#refreshApproval()
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
    this.#later(async () => {
      await this.#options.store.append(sessionStream(this.id), 'any', [newEvent(type, data)])
      this.#wake()
    })
  }

  /** Effects run one after the other, in the order they were caused. */
  #later(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(error => this.#options.onError(error))
  }

  /** Resolves when every effect so far has been carried out. */
  async settled(): Promise<void> {
    let work: Promise<void>
    do {
      work = this.#work
      await work
    } while (work !== this.#work)
  }

  #toSinks(call: (sink: Sink) => Promise<void>): void {
    for (const sink of this.#options.sinks) void this.#guard(() => call(sink))
  }

  async #guard(call: () => Promise<void>): Promise<void> {
    try {
      await call()
    } catch (error) {
      this.#options.onError(error)
    }
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

