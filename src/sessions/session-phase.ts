import type { Clock } from '../clock/index.js'
import type { EventData, EventType } from '../events/index.js'
import type { KeptExit } from '../keeper/index.js'
import { transition, UnlistedCounter } from '../machine/index.js'
import type { Look } from '../panes/index.js'
import type { Block, Pack } from '../screen/index.js'
import { Conversation, type ConversationState } from './conversation.js'
import type { Effects } from './effects.js'
import { liveMenu } from './live-menu.js'
import { PassingHistory } from './passing-history.js'
import { type Phase, type PhaseAction, type PhaseEvent, phaseEventOf, phaseTable } from './phase-table.js'
import { Readiness } from './readiness.js'
import type { SaidRecord } from './said-records.js'
import type { SessionApprovals } from './session-approvals.js'
import type { Ending, SessionMessages } from './session-messages.js'
import type { SessionNotices } from './session-notices.js'
import type { RowSource } from './shown-rows.js'
import type { MessageRef, Sink } from './sink.js'

/** Of a prompt so much is kept with its turn; the whole is in the recording. */
const PROMPT_KEPT = 4_000

/** For a later host. */
export interface PhaseState {
  phase: Phase
  conversation: ConversationState
  menus: { count: number; print: string | null; instance: string }
  isReady: boolean
  /** People were told that it is ready. */
  isTold?: boolean
}

export interface SessionPhaseOptions {
  session: string
  pack: Pack
  rows: RowSource
  clock: Clock
  sinks: readonly Sink[]
  effects: Effects
  messages: SessionMessages
  notices: SessionNotices
  approvals: SessionApprovals
  isResumed: boolean
  /** The agent keeps a record of what it says. */
  hasTranscript: boolean
  restored: PhaseState | null
  /** Old bytes are being read: nothing of them is asked or shown. */
  isCatchingUp(): boolean
  exit(): KeptExit | null
  lastLook(): Look | null
  record<T extends EventType>(type: T, data: EventData<T>): void
  onEnd(): void
  onError(error: unknown): void
}

/**
 * Reading an open message takes time that grows with its rows, and an answer may go on for thousands of them: it is read again when so much
 * time has passed for each row. The reading that closes it is never put off.
 */
const READ_AGAIN_S = 0.001

/** A picture that was cut off is finished within so long, or it was whole. */
const HALF_DRAWN_S = 2

/** What Signalbox does with a session: the phase, the turn and the message, moved by the table and carried out by its actions. */
export class SessionPhase {
  readonly #options: SessionPhaseOptions
  readonly #conversation: Conversation
  readonly #readiness: Readiness
  readonly #unlisted = new UnlistedCounter()
  #phase: Phase = 'dormant'
  #menus: PhaseState['menus'] = { count: 0, print: null, instance: '' }
  /** The turn was interrupted, whatever its last row says. */
  #wasInterrupted = false
  /** Rows that appeared while nothing was awaited, and since when they stand. */
  readonly #passing: PassingHistory
  /** When the open message was last read, and when it is due again if that was put off. */
  #readAt = Number.NEGATIVE_INFINITY
  #readDue: number | null = null
  /** Menus on their way to the ledger. */
  #asking = 0
  /** The turn that the agent was last seen to be busy with. */
  #begun: string | null = null
  /** When a half drawn picture came that nothing has followed yet. */
  #tornAt: number | null = null

  constructor(options: SessionPhaseOptions) {
    const { session, pack, rows, restored, clock, isResumed, notices } = options
    this.#options = options
    this.#conversation = new Conversation(session, pack, rows, restored?.conversation)
    this.#passing = new PassingHistory(this.#conversation)
    if (restored) {
      this.#phase = restored.phase
      this.#menus = { ...restored.menus }
    }
    this.#readiness = new Readiness({
      clock,
      conversation: this.#conversation,
      isResumed,
      isReady: restored?.isReady ?? false,
      isTold: restored?.isTold ?? restored?.isReady ?? false,
      onReady: () => {
        notices.ready()
        options.record('session.ready', {})
      },
      onMenuStands: ms => {
        const last = options.lastLook()
        if (last) this.see({ ...last, t: last.t + ms / 1000 })
      },
    })
  }

  get phase(): Phase {
    return this.#phase
  }

  /** Which appearance of a menu is on screen. */
  get menuInstance(): string {
    return this.#menus.instance
  }

  /** There is something for people to do or to look at. */
  get isReady(): boolean {
    return this.#readiness.isTold
  }

  get isAtWork(): boolean {
    return this.#phase === 'thinking' || this.#phase === 'streaming'
  }

  get blocks(): readonly Block[] {
    return this.#conversation.blocks
  }

  /** The turn that was opened last; null before the first. */
  get lastTurn(): string | null {
    return this.#conversation.lastTurn
  }

  /** The agent has been seen at work on this turn, or it is over. */
  hasBegun(turn: string | null): boolean {
    return turn === null || this.#begun === turn || this.#conversation.turn !== turn
  }

  get openMessage(): MessageRef | null {
    const { turn, message } = this.#conversation
    return turn && message ? { session: this.#options.session, turn, message } : null
  }

  get state(): PhaseState {
    return {
      phase: this.#phase,
      conversation: this.#conversation.state,
      menus: { ...this.#menus },
      isReady: this.#readiness.isReady,
      isTold: this.#readiness.isTold,
    }
  }

  see(look: Look): void {
    const { observation } = look
    this.#conversation.observe(look)
    if (look.isSettled && observation.view !== 'auth_required' && observation.view !== 'unknown')
      this.#options.notices.signedIn()
    if (!this.#readiness.admits(look) || !look.isSettled || this.#isHalfDrawn(look)) return
    const menu = liveMenu(observation)
    const isNewMenu = menu !== null && this.#menus.print !== menu.print
    if (!menu) this.#menus.print = null
    this.#beginQueuedTurn(look)
    this.dispatch(phaseEventOf(observation, isNewMenu), look)
    if (menu && this.#asking === 0 && !this.#options.isCatchingUp())
      this.#options.approvals.stands(menu, this.#menus.instance)
  }

  /** Keys go to the program, a person's or ours. */
  noteInput(bytes: Uint8Array): void {
    this.#readiness.noteInput(bytes, this.#options.lastLook())
  }

  dispatch(event: PhaseEvent, look: Look | null): void {
    const { isCatchingUp, record, notices } = this.#options
    const from = this.#phase
    const [next, actions] = transition(phaseTable, from, event, { counter: this.#unlisted })
    this.#phase = next
    if (next !== from && !isCatchingUp()) record('session.phase', { from, to: next, event })
    notices.atWork(this.isAtWork)
    for (const action of actions) this.#act(action, look, event)
    if (next !== 'dormant') this.#begun = this.#conversation.turn
    if (next === 'dormant' && from !== 'dormant') {
      if (from === 'tool-pending') this.#sayUnsaid(look)
      this.#closeTurn(look)
    }
  }

  /** When to call `tick` if no byte comes before; null: never. In seconds since the session's start. */
  nextDeadline(): number | null {
    const said = this.#phase === 'dormant' ? this.#passing.dueAt : null
    const torn = this.#tornAt === null ? null : this.#tornAt + HALF_DRAWN_S
    const due = [said, torn, this.#readDue].filter(at => at !== null)
    return due.length === 0 ? null : Math.min(...due)
  }

  /** Time has passed; the last picture still stands. Bytes that come later than the deadline are preceded by this call, live or not. */
  tick(t: number): void {
    const due = this.nextDeadline()
    const look = this.#options.lastLook()
    if (due === null || t < due || !look) return
    const now = { ...look, t: due }
    if (this.#tornAt !== null && due === this.#tornAt + HALF_DRAWN_S) return this.see(now)
    if (due !== this.#readDue) return this.#act('extract-history', now)
    this.#act('extract', now)
    this.#act('edit', now)
  }

  /** The agent's work was stopped. */
  interrupted(): void {
    if (!this.isAtWork) return
    this.#wasInterrupted = true
    this.dispatch('interrupted', this.#options.lastLook())
  }

  /** The agent says that its turn has ended. The screen decides, unless it cannot tell. */
  turnEnded(outcome: 'done' | 'interrupted' | 'failed'): void {
    const look = this.#options.lastLook()
    // Agents call a denied request an interruption; their screens know better.
    const isDenied = look?.observation.terminator?.outcome === 'denied'
    if (outcome === 'interrupted' && !isDenied) return this.interrupted()
    if (isDenied && this.isAtWork) return this.dispatch('idle_prompt', look)
    const isUnclear = look !== null && look.observation.busy === null && look.observation.awaiting === null
    if (this.isAtWork && isUnclear) this.dispatch('idle_prompt', look)
  }

  /** A finished piece of the answer, in the agent's own words. */
  hear(record: SaidRecord, t: number): void {
    const heard = this.#conversation.hear(record, t)
    if (heard === null) return
    this.dispatch('transcript-block', this.#options.lastLook())
    if (heard !== 'open') this.#options.messages.patch(heard.patched)
  }

  /** After a restart: the open request of the menu on screen is ours again. */
  takeOverApprovals(): void {
    const { effects, approvals, lastLook } = this.#options
    const menu = liveMenu(lastLook()?.observation ?? null)
    const { instance } = this.#menus
    this.#asking++
    effects.later(async () => {
      try {
        const found = await approvals.takeOver(menu && { menu, instance })
        if (found === 'new' && menu) await approvals.raise(menu, instance)
      } finally {
        this.#asking--
      }
    })
  }

  // — inside —

  /** Each action is isolated: a failure is reported, the rest still run, the phase has advanced. */
  #act(action: PhaseAction, look: Look | null, event?: PhaseEvent): void {
    try {
      this.#perform(action, look, event)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  #perform(action: PhaseAction, look: Look | null, event?: PhaseEvent): void {
    const { messages, notices, effects, approvals, isCatchingUp } = this.#options
    switch (action) {
      case 'mark-turn':
        return this.#markTurn(look, event === 'prompt-sent')
      case 'open-message':
        this.#conversation.openMessage()
        return messages.open(this.openMessage)
      case 'start-typing':
      case 'stop-typing':
        return this.#showTyping(action === 'start-typing')
      case 'extract':
        return this.#extractSoon(look)
      case 'extract-turn':
        if (look) this.#conversation.extract(look, { isOpen: true })
        return
      case 'extract-history':
        return this.#extractHistory(look)
      case 'edit':
        if (this.#conversation.blocks.length === 0 || (this.#readDue !== null && event !== 'transcript-block')) return
        this.#conversation.openMessage()
        return messages.update(this.openMessage, this.#conversation.blocks)
      case 'finalize':
        return this.#finalize(look, { isEnd: this.#phase === 'dormant' })
      case 'ask':
        return this.#ask(look)
      case 'settle-approval':
        if (!isCatchingUp()) effects.later(() => approvals.settle())
        return
      case 'warn-auth':
        if (!isCatchingUp()) notices.needsSignIn(look?.observation ?? null)
        return
      case 'end-for-auth':
        if (!isCatchingUp()) notices.endUnlessAttended(() => this.#asksOnlyForSignIn)
        return
      case 'reconcile':
        return this.#conversation.reconcile()
      case 'notice-silence':
        return notices.silent()
      case 'end-session':
        return this.#options.onEnd()
    }
  }

  #extractSoon(look: Look | null): void {
    if (!look) return
    const due = this.#readAt + this.#conversation.openRows * READ_AGAIN_S
    // A clock that was set back, or a session that was adopted: what lies ahead is no measure.
    if (look.t < due && look.t >= this.#readAt) {
      this.#readDue = due
      return
    }
    this.#readDue = null
    this.#readAt = look.t
    this.#conversation.extract(look, { isOpen: true })
  }

  #markTurn(look: Look | null, isSent = false): void {
    const turn = look && this.#conversation.markTurn(look, { isSent })
    if (!turn) return
    const prompt = look.observation.user?.slice(0, PROMPT_KEPT)
    this.#options.record('turn.opened', { session: this.#options.session, turn, ...(prompt && { prompt }) })
  }

  #showTyping(isOn: boolean): void {
    const { sinks, session, isCatchingUp } = this.#options
    if (!isCatchingUp()) for (const sink of sinks) sink.typing(session, isOn)
  }

  /**
   * A further prompt is on screen while the agent works: one that waited in its queue. What comes below it is a turn of its own. Only the
   * screen decides that, not what we know to have sent: after a restart the same bytes must lead to the same turns.
   */
  #beginQueuedTurn(look: Look): void {
    if (!this.isAtWork) return
    const echo = this.#conversation.newEcho(look)
    if (!echo) return
    this.#finalize(look, { before: echo.first, isEnd: true })
    this.#closeTurn(look, 'done')
    this.#act('mark-turn', look)
  }

  /**
   * The program was stopped in the middle of a picture: a menu that is not in it yet has not gone, and one that is may have more to it. The
   * rest comes with the next frame; if none comes, that was all.
   */
  #isHalfDrawn({ frame, t }: Look): boolean {
    const isStanding = this.#tornAt !== null && t >= this.#tornAt + HALF_DRAWN_S
    this.#tornAt = frame.torn && !isStanding ? (this.#tornAt ?? t) : null
    return this.#tornAt !== null
  }

  #finalize(look: Look | null, { before, isEnd }: { before?: number; isEnd: boolean }): void {
    const { messages, hasTranscript, exit } = this.#options
    this.#readDue = null
    this.#readAt = Number.NEGATIVE_INFINITY
    if (!look) return
    // Words without a prompt of their own: they came after their turn had been taken for closed.
    if (!this.#conversation.turn) return isEnd ? this.#act('extract-history', look) : undefined
    this.#conversation.openMessage()
    const isAsking = this.#phase === 'tool-pending'
    this.#conversation.extract(look, { isOpen: false, isAsking, isEnd, ...(before !== undefined && { before }) })
    const closed = this.#conversation.closeMessage(look)
    if (!closed) return
    messages.close(closed, {
      ending: isEnd && before === undefined ? this.#endingOf(look) : null,
      waits: isEnd && hasTranscript && exit() === null,
    })
  }

  /**
   * A request has been answered, and by the next look the agent is done, or asks for something else: what it said in between was never
   * seen to be written. No turn is closed over it, and no further request is asked before it.
   */
  #sayUnsaid(look: Look | null): void {
    const isEnd = this.#phase === 'dormant'
    if (look && this.#conversation.hasUnsaid(look, { isAsking: !isEnd })) this.#finalize(look, { isEnd })
  }

  /** What passed while nobody waited for anything, as a message of its own. A prompt that was answered at once has its turn closed by it. */
  #extractHistory(look: Look | null): void {
    if (this.#passing.look(look, seen => this.#markTurn(seen)) !== 'due' || !look) return
    const closed = this.#conversation.closeHistory(look)
    if (!closed) return
    this.#options.messages.close(closed, { ending: null, waits: this.#options.hasTranscript })
    this.#closeTurn(look)
  }

  #endingOf(look: Look): Ending | null {
    const outcome = look.observation.terminator?.outcome
    if (this.#wasInterrupted || outcome === 'interrupted') return 'interrupted'
    if (this.#options.exit()) return 'crashed'
    return outcome === 'failed' ? 'failed' : null
  }

  /** The agent rests: whatever it worked on is over, said or unsaid. */
  #closeTurn(look: Look | null, known?: string): void {
    const { session, exit, record } = this.#options
    const { turn } = this.#conversation
    const shown = this.#wasInterrupted ? 'interrupted' : look?.observation.terminator?.outcome
    const outcome = known ?? shown ?? (exit() ? 'exited' : 'done')
    this.#wasInterrupted = false
    if (!turn) return
    this.#conversation.closeTurn()
    record('turn.closed', { session, turn, outcome })
  }

  #ask(look: Look | null): void {
    const { effects, approvals, clock, isCatchingUp } = this.#options
    const menu = liveMenu(look?.observation ?? null)
    if (!menu || !look) return
    this.#sayUnsaid(look)
    const since = clock.monotonic() - Math.max(0, look.t - menu.live.since) * 1000
    const count = this.#menus.count + 1
    const instance = `${look.frame.lines[menu.rows[0]]?.id ?? 0}:${count}`
    this.#menus = { count, print: menu.print, instance }
    if (isCatchingUp()) return
    this.#asking++
    effects.later(() => approvals.raise(menu, instance, since).finally(() => this.#asking--))
  }

  get #asksOnlyForSignIn(): boolean {
    const observation = this.#options.lastLook()?.observation
    return this.#options.exit() === null && observation?.view === 'auth_required' && observation.composer === null
  }
}
