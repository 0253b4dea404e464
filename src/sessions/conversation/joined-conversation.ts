import type { Clock } from '../../clock/index.js'
import type { EventData, EventType } from '../../events/index.js'
import type { KeptExit } from '../../keeper/index.js'
import type { Look } from '../../panes/index.js'
import { type Block, type Pack, renderMarkdown } from '../../screen/index.js'
import { Effects, Waiters } from '../live/effects.js'
import { SessionPhase } from '../live/session-phase.js'
import type { PhaseApprovals, PhaseNotices } from '../live/session-phase-options.js'
import type { ConversationState } from './conversation.js'
import type { RowSource } from './conversation-rows.js'
import { MessageWriter } from './message-writer.js'
import { knownTurns, type ReadTurn, readConversation } from './read-conversation.js'

export interface JoinedMessage {
  at: number
  session: string
  turn: string
  message: string
  markdown?: string
  blocks: readonly Block[]
  provisional: boolean
  /** Its turn was under way when we came: what it did before may be missing. */
  joinedLate?: true
}

export interface JoinedPrompt {
  turn: string
  at: number
  text: string
}

export interface JoinedConversationOptions {
  /** The pane's public id; its turns are named after it. */
  id: string
  clock: Clock
  onError(error: unknown): void
}

/** The oldest are let go: what a pane has said is kept by the agent that said it. */
const MESSAGES_KEPT = 200
/** Nothing can be said yet about who is at work. */
const UNCLEAR = new Set(['unknown', 'startup'])

/**
 * The conversation of an agent that somebody else started. We come late: what its terminal shows and keeps is read as turns that are over,
 * the newest of them as if its agent were at work, and the phase table makes of it what the screen says. From there on it is followed like
 * a session's. Nothing is asked, typed or written down; another look at the whole, after a resize or a lost connection, goes on where the
 * same prompts are found again.
 */
export class JoinedConversation {
  readonly #options: JoinedConversationOptions
  readonly #waiters: Waiters
  readonly #effects: Effects
  #source: { pack: Pack; rows: RowSource } | null = null
  #phase: SessionPhase | null = null
  #last: Look | null = null
  #exit: KeptExit | null = null
  #messages: JoinedMessage[] = []
  #prompts: JoinedPrompt[] = []
  /** Prompts of all turns so far as the screen shows them, without blanks. */
  #echoes: string[] = []
  /** The turn that was open when the picture was lost; its messages are read again from its rows. */
  #openTurn: number | null = null
  /** The turn that was under way when we came. */
  #lateTurn: string | null = null

  constructor(options: JoinedConversationOptions) {
    this.#options = options
    this.#waiters = new Waiters(options.clock)
    this.#effects = new Effects(options.onError, () => this.#waiters.wake())
  }

  /** An agent runs in the pane, and this is how its screen is read. */
  begin(pack: Pack, rows: RowSource): void {
    this.left()
    this.#source = { pack, rows }
    this.#exit = null
  }

  /** The agent is gone from the pane; what it has said stays. */
  left(): void {
    this.#exit = { code: null, signal: null, t: this.#last?.t ?? 0 }
    this.#phase?.dispatch('process-exit', this.#last)
    this.#forget()
    this.#source = null
    this.#waiters.wake()
  }

  /** The picture is taken anew, and its rows have other names. */
  resync(): void {
    this.#forget()
  }

  /** A conversation that cannot be read is reported; the pane it belongs to is followed all the same. */
  see(look: Look): void {
    try {
      this.#see(look)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  nextDeadline(): number | null {
    return this.#phase?.nextDeadline() ?? null
  }

  tick(t: number): void {
    this.#phase?.tick(t)
  }

  /** Resolves when the conversation has been read, there is none, or `ms` have passed. */
  async settled(ms: number): Promise<void> {
    await this.#waiters.until(ms, () => this.#phase !== null || this.#source === null)
    await this.#effects.settled()
  }

  get prompts(): readonly JoinedPrompt[] {
    return this.#prompts
  }

  /** Oldest first; the answer under way is provisional. */
  get messages(): JoinedMessage[] {
    const open = this.#phase?.openMessage
    const blocks = this.#phase?.blocks ?? []
    if (!open || blocks.length === 0) return [...this.#messages]
    return [...this.#messages, this.#named({ at: this.#now, ...open, blocks, provisional: true })]
  }

  // — inside —

  #see(look: Look): void {
    if (!this.#source) return
    this.#last = look
    if (this.#phase) return this.#phase.see(look)
    if (!look.isSettled || UNCLEAR.has(look.observation.view)) return
    this.#join(look, this.#source)
    this.#waiters.wake()
  }

  get #now(): number {
    return this.#options.clock.now()
  }

  #nameOf(turn: number): string {
    return `${this.#options.id}.${turn}`
  }

  #named(message: JoinedMessage): JoinedMessage {
    return message.turn === this.#lateTurn ? { ...message, joinedLate: true } : message
  }

  #join(look: Look, { pack, rows }: { pack: Pack; rows: RowSource }): void {
    const { turns, lastRow } = readConversation(pack, rows, look, this.#options.id)
    const isFirst = this.#echoes.length === 0
    const wasOpen = this.#openTurn !== null
    const count = knownTurns(
      this.#echoes.filter(echo => echo !== ''),
      turns.map(({ echo }) => echo.text),
    )
    const before = this.#echoes.length - count
    const fresh = turns.slice(wasOpen && count > 0 ? count - 1 : count)
    const newest = fresh.at(-1)
    for (const turn of fresh.slice(0, -1)) this.#keep(turn, before + turns.indexOf(turn) + 1)
    const state: ConversationState = newest
      ? this.#openedBy(newest, before + turns.length)
      : this.#restAt(turns.at(-1) ?? null, lastRow, look)
    this.#openTurn = null
    this.#phase = this.#createPhase(pack, rows, state)
    // What it has said so far was said before it went back to thinking.
    if (newest && newest.blocks.length > 0 && look.observation.view === 'thinking')
      this.#phase.dispatch('response_content', look)
    this.#phase.see(look)
    if (isFirst && this.#phase.phase !== 'dormant') this.#lateTurn = this.#phase.lastTurn
  }

  /** A turn that is over: one message with all of its answer. */
  #keep({ echo, prompt, blocks }: ReadTurn, number: number): void {
    const turn = this.#nameOf(number)
    this.#noteTurn(number, echo.text, prompt)
    if (blocks.length === 0) return
    const message = `${turn}.1`
    const named = blocks.map((block, index) => ({ ...block, id: `${message}.${index}` }))
    this.#put({
      at: this.#now,
      session: this.#options.id,
      turn,
      message,
      markdown: renderMarkdown(named),
      blocks: named,
      provisional: false,
    })
  }

  #openedBy({ echo, prompt }: ReadTurn, number: number): ConversationState {
    this.#noteTurn(number, echo.text, prompt)
    return {
      turns: number,
      messages: 0,
      isTurnOpen: true,
      isMessageOpen: false,
      echoId: echo.first,
      isEchoOlder: false,
      echoText: echo.text,
      from: echo.last + 1,
      lastRow: echo.last,
      openedT: this.#last?.t ?? 0,
    }
  }

  /** All that stands there is known, or is no conversation yet; an agent at work whose prompt is out of sight has a turn all the same. */
  #restAt(newest: ReadTurn | null, lastRow: number, { observation, t }: Look): ConversationState {
    const isOpen = newest === null && (observation.busy === true || observation.awaiting !== null)
    if (isOpen && this.#openTurn === null) this.#noteTurn(this.#echoes.length + 1, '', '')
    return {
      turns: this.#echoes.length,
      messages: 0,
      isTurnOpen: isOpen,
      isMessageOpen: false,
      echoId: newest?.echo.first ?? null,
      isEchoOlder: isOpen,
      ...(newest && { echoText: newest.echo.text }),
      from: isOpen ? 0 : lastRow + 1,
      lastRow: isOpen ? -1 : lastRow,
      openedT: t,
    }
  }

  #noteTurn(number: number, echo: string, prompt: string): void {
    const turn = this.#nameOf(number)
    this.#echoes[number - 1] = echo
    this.#messages = this.#messages.filter(message => message.turn !== turn)
    this.#notePrompt(turn, prompt)
  }

  #notePrompt(turn: string, text: string): void {
    if (text === '') return
    const others = this.#prompts.filter(prompt => prompt.turn !== turn)
    this.#prompts = [...others, { turn, at: this.#now, text }].slice(-MESSAGES_KEPT)
  }

  #put(message: JoinedMessage): void {
    const at = this.#messages.findIndex(known => known.message === message.message)
    if (at < 0) this.#messages = [...this.#messages, this.#named(message)].slice(-MESSAGES_KEPT)
    else this.#messages[at] = this.#named({ ...message, at: this.#messages[at]!.at })
    this.#waiters.wake()
  }

  #forget(): void {
    const conversation = this.#noteEcho()
    if (conversation) this.#openTurn = conversation.isTurnOpen ? conversation.turns : null
    this.#phase = null
  }

  #record<T extends EventType>(type: T, data: EventData<T>): void {
    if (type === 'message.final') {
      const { session, turn, message, markdown, blocks } = data as EventData<'message.final'>
      const kept = blocks as unknown as Block[]
      this.#put({ at: this.#now, session, turn, message, markdown, blocks: kept, provisional: false })
    }
    if (type === 'turn.opened') {
      const { turn, prompt = '' } = data as EventData<'turn.opened'>
      this.#echoes[Number(turn.slice(turn.lastIndexOf('.') + 1)) - 1] ??= ''
      this.#notePrompt(turn, prompt)
    }
    if (type === 'turn.prompted') {
      const { turn, prompt } = data as EventData<'turn.prompted'>
      this.#notePrompt(turn, prompt)
    }
    if (type === 'turn.closed') this.#noteEcho()
  }

  /** The prompt of the newest turn, which may have appeared after the turn had begun. */
  #noteEcho(): ConversationState | null {
    const conversation = this.#phase?.state.conversation ?? null
    if (conversation && conversation.turns > 0) this.#echoes[conversation.turns - 1] = conversation.echoText ?? ''
    return conversation
  }

  #createPhase(pack: Pack, rows: RowSource, conversation: ConversationState): SessionPhase {
    const { id, clock, onError } = this.#options
    const effects = this.#effects
    const record = <T extends EventType>(type: T, data: EventData<T>) => this.#record(type, data)
    const messages = new MessageWriter({
      session: id,
      sinks: [],
      effects,
      waiters: this.#waiters,
      transcriptWaitMs: 0,
      isSilent: () => false,
      hasEnded: () => this.#exit !== null,
      write: async (type, data) => {
        record(type, data)
        return true
      },
      onError,
    })
    return new SessionPhase({
      session: id,
      pack,
      rows,
      clock,
      sinks: [],
      effects,
      messages,
      notices: NOBODY,
      approvals: NOTHING_ASKED,
      isResumed: false,
      hasTranscript: false,
      restored: {
        phase: conversation.isTurnOpen ? 'thinking' : 'dormant',
        conversation,
        menus: { count: 0, print: null, instance: '' },
        isReady: true,
        isTold: true,
      },
      isCatchingUp: () => false,
      exit: () => this.#exit,
      lastLook: () => this.#last,
      record,
      onEnd: () => undefined,
      onError,
    })
  }
}

/** Nobody is told about a pane that is not ours but by the board. */
const NOBODY: PhaseNotices = {
  signedIn: () => undefined,
  atWork: () => undefined,
  needsSignIn: () => undefined,
  endUnlessAttended: () => undefined,
  silent: () => undefined,
  ready: () => undefined,
}

/** Its own dialog decides. */
const NOTHING_ASKED: PhaseApprovals = {
  raise: async () => undefined,
  stands: () => undefined,
  settle: async () => undefined,
  takeOver: async () => 'none',
}
