import { transition } from '../../machine/index.js'
import type { Look } from '../../panes/index.js'
import type { Block } from '../../screen/index.js'
import { Conversation } from '../conversation/conversation.js'
import type { SaidRecord } from '../conversation/said-records.js'
import { TurnWork } from '../conversation/turn-work.js'
import { liveMenu } from '../requests/live-menu.js'
import { MenuAppearances } from '../requests/menu-appearances.js'
import { type Phase, type PhaseAction, type PhaseEvent, phaseEventOf, phaseTable } from './phase-table.js'
import type { SentPrompt } from './prompts.js'
import { Readiness } from './readiness.js'
import type { PhaseState, SessionPhaseOptions } from './session-phase-options.js'
import type { MessageRef } from './sink.js'

/** A picture that was cut off is finished within so long, or it was whole. */
const HALF_DRAWN_S = 2

/** What Signalbox does with a session: the phase, moved by the table, whose actions are carried out on the turn, its menus and its people. */
export class SessionPhase {
  readonly #options: SessionPhaseOptions
  readonly #conversation: Conversation
  readonly #work: TurnWork
  readonly #menus: MenuAppearances
  readonly #readiness: Readiness
  #phase: Phase
  /** The turn that the agent was last seen to be busy with. */
  #begun: string | null = null
  /** When a half drawn picture came that nothing has followed yet. */
  #tornAt: number | null = null
  /** Number of a frame that was taken for half drawn, and has turned out to be all there is. */
  #wholeFrame = -1

  constructor(options: SessionPhaseOptions) {
    const { session, pack, rows, restored } = options
    this.#options = options
    this.#phase = restored?.phase ?? 'dormant'
    this.#conversation = new Conversation(session, pack, rows, restored?.conversation)
    this.#work = new TurnWork(options, this.#conversation, () => this.#phase)
    this.#menus = new MenuAppearances(options, restored?.menus ?? null)
    this.#readiness = this.#createReadiness()
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
    return this.#work.blocks
  }

  /** The last row that stands above the live part of the screen. */
  get lastRow(): number {
    return this.#conversation.shownTo
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
    return this.#work.openMessage
  }

  get state(): PhaseState {
    return {
      phase: this.#phase,
      conversation: this.#conversation.state,
      menus: this.#menus.state,
      isReady: this.#readiness.isReady,
      isTold: this.#readiness.isTold,
    }
  }

  see(look: Look): void {
    const { observation } = look
    this.#conversation.observe(look)
    this.#work.tellPrompt(look)
    if (look.isSettled && observation.view !== 'auth_required' && observation.view !== 'unknown')
      this.#options.notices.signedIn()
    if (!this.#readiness.admits(look) || this.#isHalfDrawn(look) || !look.isSettled) return
    const menu = liveMenu(observation)
    const isNewMenu = this.#menus.isNew(menu)
    if (this.isAtWork) this.#work.beginQueued(look)
    this.dispatch(phaseEventOf(observation, isNewMenu), look)
    this.#menus.stands(menu)
  }

  /**
   * The agent took a prompt that was typed after the turn `before`. Where it was seen at work on it, or even answered it before there was
   * proof, that turn is the prompt's; the screen may show the prompt later, or in part, or never. A command of the agent's own begins a
   * turn only if it is seen to. Returns the turn's name.
   */
  noteSent({ text, before, isCommand }: SentPrompt): string | null {
    const isNew = this.lastTurn === before
    if (isNew && isCommand) return null
    if (isNew) this.dispatch('prompt-sent', this.#options.lastLook())
    this.#work.tellSent(text)
    return this.lastTurn
  }

  /** Keys go to the program, a person's or ours. */
  noteInput(bytes: Uint8Array): void {
    this.#readiness.noteInput(bytes, this.#options.lastLook())
  }

  dispatch(event: PhaseEvent, look: Look | null): void {
    const { isCatchingUp, record, notices } = this.#options
    const from = this.#phase
    const [next, actions] = transition(phaseTable, from, event)
    this.#phase = next
    if (next !== from && !isCatchingUp()) record('session.phase', { from, to: next, event })
    notices.atWork(this.isAtWork)
    for (const action of actions) this.#act(action, look, event)
    if (next !== 'dormant') this.#begun = this.#conversation.turn
    if (next === 'dormant' && from !== 'dormant') {
      if (from === 'tool-pending') this.#work.sayUnsaid(look)
      this.#work.close(look)
    }
  }

  /** When to call `tick` if no byte comes before; null: never. In seconds since the session's start. */
  nextDeadline(): number | null {
    const torn = this.#tornAt === null ? null : this.#tornAt + HALF_DRAWN_S
    const due = [torn, this.#work.due?.at ?? null].filter(at => at !== null)
    return due.length === 0 ? null : Math.min(...due)
  }

  /** Time has passed; the last picture still stands. Bytes that come later than the deadline are preceded by this call, live or not. */
  tick(t: number): void {
    const due = this.nextDeadline()
    const look = this.#options.lastLook()
    if (due === null || t < due || !look) return
    const now = { ...look, t: due }
    if (this.#tornAt !== null && due === this.#tornAt + HALF_DRAWN_S) {
      this.#tornAt = null
      this.#wholeFrame = look.frame.seq
      return this.see(now)
    }
    if (this.#work.due?.what === 'history') return this.#act('extract-history', now)
    this.#act('extract', now)
    this.#act('edit', now)
  }

  /** The agent's work was stopped. */
  interrupted(): void {
    if (!this.isAtWork) return
    this.#work.noteInterrupted()
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
  hear(said: SaidRecord, t: number): void {
    this.#work.hear(said, t, () => this.dispatch('transcript-block', this.#options.lastLook()))
  }

  /** After a restart: the open request of the menu on screen is ours again. */
  takeOverApprovals(): void {
    this.#menus.takeOver(this.#options.lastLook())
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
    const { notices, effects, approvals, isCatchingUp } = this.#options
    switch (action) {
      case 'mark-turn':
        return this.#work.mark(look, event === 'prompt-sent')
      case 'open-message':
        return this.#work.open()
      case 'start-typing':
      case 'stop-typing':
        return this.#showTyping(action === 'start-typing')
      case 'extract':
        return this.#work.read(look)
      case 'extract-turn':
        return this.#work.readWhole(look)
      case 'extract-history':
        return this.#work.extractHistory(look)
      case 'edit':
        return this.#work.show({ isTold: event === 'transcript-block' })
      case 'finalize':
        return this.#work.finalize(look, { isEnd: this.#phase === 'dormant' })
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
      default:
        return action satisfies never
    }
  }

  #showTyping(isOn: boolean): void {
    const { sinks, session, isCatchingUp } = this.#options
    if (!isCatchingUp()) for (const sink of sinks) sink.typing(session, isOn)
  }

  #ask(look: Look | null): void {
    const menu = liveMenu(look?.observation ?? null)
    if (!menu || !look) return
    this.#work.sayUnsaid(look)
    this.#menus.ask(menu, look)
  }

  /**
   * The program was stopped in the middle of a picture: a menu that is not in it yet has not gone, and one that is may have more to it. The
   * rest comes with the next frame; if none comes, that was all.
   */
  #isHalfDrawn({ frame, t }: Look): boolean {
    const isHalf = frame.torn && frame.seq !== this.#wholeFrame
    this.#tornAt = isHalf ? (this.#tornAt ?? t) : null
    return isHalf
  }

  get #asksOnlyForSignIn(): boolean {
    const observation = this.#options.lastLook()?.observation
    return this.#options.exit() === null && observation?.view === 'auth_required' && observation.composer === null
  }

  #createReadiness(): Readiness {
    const { clock, isResumed, notices, restored, record, lastLook } = this.#options
    return new Readiness({
      clock,
      conversation: this.#conversation,
      isResumed,
      isReady: restored?.isReady ?? false,
      isTold: restored?.isTold ?? restored?.isReady ?? false,
      onReady: () => {
        notices.ready()
        record('session.ready', {})
      },
      onMenuStands: ms => {
        const last = lastLook()
        if (last) this.see({ ...last, t: last.t + ms / 1000 })
      },
    })
  }
}
