import type { Clock } from '../../clock/index.js'
import { transition } from '../../machine/index.js'
import type { Look } from '../../panes/index.js'
import type { Block, Menu, Pack } from '../../screen/index.js'
import {
  Conversation,
  type ConversationState,
  type MessageRef,
  type ReportedText,
  type RowSource,
  TurnActions,
  type TurnActionsOptions,
} from '../conversation/index.js'
import type { Effects } from '../effects.js'
import { liveMenu, MenuInstances, type MenuState, type ScreenRequests } from '../requests/index.js'
import { type Phase, type PhaseAction, type PhaseEvent, phaseEventOf, phaseTable } from './phase-table.js'
import type { SentPrompt, TakenPrompt } from './prompt-queue.js'
import { Readiness } from './readiness.js'
import type { SessionNotices } from './session-notices.js'

/** Saved in snapshots. */
export interface PhaseState {
  phase: Phase
  conversation: ConversationState
  menus: MenuState
  isReady: boolean
  /** The session was reported as ready. */
  isReported: boolean
}

/** What a phase means for people. */
export type PhaseNotices = Pick<
  SessionNotices,
  'signedIn' | 'atWork' | 'needsSignIn' | 'endUnlessAttended' | 'silent' | 'ready'
>

/** Where its menus go. */
export type PhaseRequests = Pick<
  ScreenRequests,
  'raise' | 'seenAgain' | 'menuGone' | 'expectTakeOver' | 'loadOpen' | 'takeOver'
>

interface SessionPhaseOptions extends TurnActionsOptions {
  pack: Pack
  rows: RowSource
  clock: Clock
  effects: Effects
  notices: PhaseNotices
  requests: PhaseRequests
  isResumed: boolean
  restored: PhaseState | null
  /** The session reads old bytes: their menus raise no request, and nothing is emitted. */
  isCatchingUp(): boolean
  /** The agent begins or stops to think. */
  typing(isOn: boolean): void
  onEnd(): void
  onError(error: unknown): void
}

/** A frame that was cut off is completed within this time, or it was complete. In seconds. */
const HALF_DRAWN_S = 2

/** A session's phase: the table moves it, this class performs the table's actions. */
export class SessionPhase {
  readonly #options: SessionPhaseOptions
  readonly #conversation: Conversation
  readonly #turn: TurnActions
  readonly #menus: MenuInstances
  readonly #readiness: Readiness
  #phase: Phase
  #last: Look | null = null
  /** The last look is complete and settled: it can be compared with the ledger. */
  #isClear = false
  /** The turn that the agent was last seen to work on. */
  #startedTurn: string | null = null
  /** When a half-drawn frame came that no other frame has followed. */
  #tornAt: number | null = null
  /** Number of a frame that seemed half drawn and was complete. */
  #wholeFrame = -1

  constructor(options: SessionPhaseOptions) {
    const { session, pack, rows, restored } = options
    this.#options = options
    this.#phase = restored?.phase ?? 'dormant'
    this.#conversation = new Conversation(session, pack, rows, restored?.conversation)
    this.#turn = new TurnActions(options, this.#conversation, () => this.#phase)
    this.#menus = new MenuInstances(options, restored?.menus ?? null)
    this.#readiness = this.#createReadiness()
  }

  get phase(): Phase {
    return this.#phase
  }

  get menuInstance(): string {
    return this.#menus.instance
  }

  /** People can do or read something. */
  get isReady(): boolean {
    return this.#readiness.isReported
  }

  get isAtWork(): boolean {
    return this.#phase === 'thinking' || this.#phase === 'streaming'
  }

  get blocks(): readonly Block[] {
    return this.#turn.blocks
  }

  /** The last row above the live part of the screen. */
  get lastRowAboveBox(): number {
    return this.#conversation.lastRowAboveBox
  }

  /** The turn that was opened last; null before the first. */
  get lastTurn(): string | null {
    return this.#conversation.lastTurn
  }

  /** The agent was seen to work on this turn, or the turn has ended. */
  hasStarted(turn: string | null): boolean {
    return turn === null || this.#startedTurn === turn || this.#conversation.turn !== turn
  }

  get openMessage(): MessageRef | null {
    return this.#turn.openMessage
  }

  get state(): PhaseState {
    return {
      phase: this.#phase,
      conversation: this.#conversation.state,
      menus: this.#menus.state,
      isReady: this.#readiness.isReady,
      isReported: this.#readiness.isReported,
    }
  }

  observe(look: Look): void {
    this.#last = look
    this.#observe(look)
  }

  /**
   * The agent took a prompt that was typed after the turn `before`. If the agent was seen to work
   * on it, or even answered it before there was proof, that turn is the prompt's; the screen may
   * show the prompt later, in part, or never. A command of the agent's own opens a turn only if one
   * is seen. A turn that was open before may have ended while the prompt was typed, although the
   * agent worked (`wasBusy`), or may continue, although the screen looked idle: the prompt shown
   * decides, and until it is shown the prompt waits in the agent's queue.
   */
  promptTaken({ text, before, isCommand }: SentPrompt, wasBusy: boolean): TakenPrompt {
    const isNew = this.lastTurn === before
    const isShown = this.#conversation.isTurnOf(text)
    if (wasBusy && (isNew || !isShown)) return 'queued'
    if (isNew && isCommand) return { turn: null }
    if (isNew && !isShown && this.#conversation.turn !== null) return 'queued'
    if (isNew) this.dispatch('prompt-sent', this.#last)
    this.#turn.recordSentPrompt(text)
    return { turn: this.lastTurn }
  }

  /** A prompt is about to be typed; until the open turn ends, it waits in the agent's own queue. */
  promptTyping(text: string): void {
    if (this.#conversation.turn !== null) this.#conversation.promptQueued(text)
  }

  /** Keys go to the program, a person's or Signalbox's. */
  recordInput(bytes: Uint8Array): void {
    this.#readiness.recordInput(bytes, this.#last)
    this.#menus.recordInput(bytes)
  }

  dispatch(event: PhaseEvent, look: Look | null): void {
    const { isCatchingUp, record, notices } = this.#options
    const from = this.#phase
    const [next, actions] = transition(phaseTable, from, event)
    this.#phase = next
    if (next !== from && !isCatchingUp()) record('session.phase', { from, to: next, event })
    notices.atWork(this.isAtWork)
    for (const action of actions) this.#tryPerform(action, look, event)
    if (next !== 'dormant') this.#startedTurn = this.#conversation.turn
    if (next === 'dormant' && from !== 'dormant') {
      if (from === 'tool-pending') this.#turn.writeUnwritten(look)
      this.#turn.close(look)
    }
  }

  /**
   * When to call `tick` if no byte comes before; null: never. In seconds since the session's start.
   */
  nextDeadline(): number | null {
    const torn = this.#tornAt === null ? null : this.#tornAt + HALF_DRAWN_S
    const due = [torn, this.#turn.due?.at ?? null].filter(at => at !== null)
    return due.length === 0 ? null : Math.min(...due)
  }

  /** Time has passed on the same frame. Called before bytes that come after the deadline. */
  tick(t: number): void {
    const due = this.nextDeadline()
    const look = this.#last
    if (due === null || t < due || !look) return
    const now = { ...look, t: due }
    if (this.#tornAt !== null && due === this.#tornAt + HALF_DRAWN_S) {
      this.#tornAt = null
      this.#wholeFrame = look.frame.seq
      return this.#observe(now)
    }
    if (this.#turn.due?.what === 'idle-output') return this.#tryPerform('extract-idle-output', now)
    this.#tryPerform('extract', now)
    this.#tryPerform('show-message', now)
  }

  /** The agent's work was stopped. */
  interrupted(): void {
    if (!this.isAtWork) return
    this.#turn.noteInterrupted()
    this.dispatch('interrupted', this.#last)
  }

  /** The agent reports that its turn has ended. The screen decides, unless it is unclear. */
  turnEnded(outcome: 'done' | 'interrupted' | 'failed'): void {
    const look = this.#last
    // Agents report a denied request as an interruption; their screens are more precise.
    const isDenied = look?.observation.terminator?.outcome === 'denied'
    if (outcome === 'interrupted' && !isDenied) return this.interrupted()
    if (isDenied && this.isAtWork) return this.dispatch('idle_prompt', look)
    const isUnclear = look !== null && look.observation.busy === null && look.observation.awaiting === null
    if (this.isAtWork && isUnclear) this.dispatch('idle_prompt', look)
  }

  /** The agent reports a finished piece of its answer. */
  applyReported(text: ReportedText, t: number): void {
    this.#turn.applyReported(text, t, () => this.dispatch('transcript-block', this.#last))
  }

  /**
   * After a restart: takes over the open requests. A look that is half drawn, or an idle state that
   * has not settled, does not show that a menu has gone: the next clear look is compared with them.
   */
  takeOverRequests(): void {
    this.#menus.beginTakeOver()
    if (this.#isClear) this.#menus.takeOver(liveMenu(this.#last?.observation ?? null))
    else if (this.#options.isExited()) this.#menus.takeOver(null)
  }

  #observe(look: Look): void {
    const { observation } = look
    this.#conversation.observe(look)
    this.#turn.recordPrompt(look)
    if (look.isSettled && observation.view !== 'auth_required' && observation.view !== 'unknown')
      this.#options.notices.signedIn()
    const isAdmitted = this.#readiness.admits(look)
    const isWhole = !this.#isHalfDrawn(look) && look.isSettled
    const menu = liveMenu(observation)
    if (isAdmitted && isWhole) this.#accept(look, menu)
    this.#isClear = isWhole && (isAdmitted || menu === null)
    if (this.#isClear) this.#menus.takeOver(menu)
  }

  #accept(look: Look, menu: Menu | null): void {
    const isNewMenu = this.#menus.isNew(menu, { isUnclear: look.observation.view === 'unknown' })
    if (this.isAtWork) this.#turn.beginQueued(look)
    this.dispatch(phaseEventOf(look.observation, isNewMenu), look)
    this.#menus.seenAgain(menu)
  }

  /** Each action is isolated: a failure is reported, and the others still run. */
  #tryPerform(action: PhaseAction, look: Look | null, event?: PhaseEvent): void {
    try {
      this.#perform(action, look, event)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  #perform(action: PhaseAction, look: Look | null, event?: PhaseEvent): void {
    const { notices, effects, requests, isCatchingUp, typing, onEnd } = this.#options
    switch (action) {
      case 'begin-turn':
        return this.#turn.begin(look, event === 'prompt-sent')
      case 'open-message':
        return this.#turn.open()
      case 'start-typing':
        return typing(true)
      case 'stop-typing':
        return typing(false)
      case 'extract':
        return this.#turn.read(look)
      case 'extract-turn':
        return this.#turn.readWhole(look)
      case 'extract-idle-output':
        return this.#turn.extractIdleOutput(look)
      case 'show-message':
        return this.#turn.showMessage({ isReported: event === 'transcript-block' })
      case 'finalize':
        return this.#turn.finalize(look, { isEnd: this.#phase === 'dormant' })
      case 'ask':
        return this.#ask(look)
      case 'close-approval': {
        const next = event === 'tool_menu:new' ? liveMenu(look?.observation ?? null) : null
        if (this.#menus.isTakeOverDue) {
          // What is on screen is compared with the requests in any case, unless the screen has
          // ended.
          if (event === 'process-exit') this.#menus.takeOver(null)
        } else if (!isCatchingUp()) effects.enqueue(() => requests.menuGone(next))
        return
      }
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
        return onEnd()
      default:
        return action satisfies never
    }
  }

  #ask(look: Look | null): void {
    const menu = liveMenu(look?.observation ?? null)
    if (!menu || !look) return
    this.#turn.writeUnwritten(look)
    this.#menus.raise(menu, look)
  }

  /**
   * The frame ended in the middle of an update: a menu that it lacks has not gone, and a menu that
   * it shows may not be complete. The rest comes with the next frame; if none comes, the frame was
   * complete.
   */
  #isHalfDrawn({ frame, t }: Look): boolean {
    const isHalf = frame.torn && frame.seq !== this.#wholeFrame
    this.#tornAt = isHalf ? (this.#tornAt ?? t) : null
    return isHalf
  }

  get #asksOnlyForSignIn(): boolean {
    const observation = this.#last?.observation
    return !this.#options.isExited() && observation?.view === 'auth_required' && observation.composer === null
  }

  #createReadiness(): Readiness {
    const { clock, isResumed, notices, pack, restored, record } = this.#options
    return new Readiness({
      clock,
      isProgram: pack.agent === 'generic',
      conversation: this.#conversation,
      isResumed,
      isReady: restored?.isReady ?? false,
      isReported: restored?.isReported ?? false,
      onReady: () => {
        notices.ready()
        record('session.ready', {})
      },
      onMenuStays: ms => {
        const last = this.#last
        if (last) this.#observe({ ...last, t: last.t + ms / 1000 })
      },
    })
  }
}
