import type { Clock } from '../../clock/index.js'
import type { EventData, EventType } from '../../events/index.js'
import type { Look } from '../../panes/index.js'
import { type Block, type Pack, renderMarkdown } from '../../screen/index.js'
import {
  type ConversationState,
  isCleared,
  knownTurns,
  MessageWriter,
  type ReadTurn,
  type RowSource,
  readConversation,
} from '../conversation/index.js'
import { Effects, Waiters } from '../effects.js'
import { type PhaseNotices, type PhaseRequests, SessionPhase } from './session-phase.js'

interface JoinedMessage {
  at: number
  session: string
  turn: string
  message: string
  markdown?: string
  blocks: readonly Block[]
  provisional: boolean
  /** Its turn was under way when Signalbox joined: earlier parts of it may be missing. */
  joinedLate?: true
}

interface JoinedPrompt {
  turn: string
  at: number
  text: string
}

interface JoinedConversationOptions {
  /** The pane's public id: the prefix of its turns' names. */
  id: string
  clock: Clock
  onError(error: unknown): void
}

/** Older messages are dropped: the agent itself keeps its conversation. */
const MESSAGES_KEPT = 200
/**
 * After a resize tmux shows the old rows, wrapped at the new width, until the program draws its
 * screen again. Reading waits this long for the redraw.
 */
const REDRAW_WAIT_S = 1
/** A redraw up to this long after a resize replaces what was read before it. */
const REDRAW_LATE_S = 30
/** Views that do not show whether the agent works. */
const UNCLEAR = new Set(['unknown', 'startup'])

/**
 * The conversation of an agent that Signalbox did not start. Signalbox joins late: it reads what
 * the terminal shows and keeps as closed turns, and the newest of them as if the agent were at
 * work; the phase table then decides by the screen. From there on it follows the conversation as it
 * does with a session. It raises no request, types nothing and writes nothing to the log. After a
 * resize or a lost connection it reads everything again and continues where it finds the same
 * prompts.
 */
export class JoinedConversation {
  readonly #options: JoinedConversationOptions
  readonly #waiters: Waiters
  readonly #effects: Effects
  #source: { pack: Pack; rows: RowSource } | null = null
  #phase: SessionPhase | null = null
  #last: Look | null = null
  /** When the first look after the last resync came: the program may be about to draw again. */
  #redrawT: number | null = null
  #isRedrawing = false
  #isExited = false
  #messages: JoinedMessage[] = []
  #prompts: JoinedPrompt[] = []
  /** Prompts of all turns so far as the screen shows them, without blanks. */
  #echoes: string[] = []
  /** The turn that was open at the last resync; its messages are read again from its rows. */
  #openTurn: number | null = null
  /** The turn that was under way when Signalbox joined. */
  #lateTurn: string | null = null

  constructor(options: JoinedConversationOptions) {
    this.#options = options
    this.#waiters = new Waiters(options.clock)
    this.#effects = new Effects(options.onError, () => this.#waiters.wake())
  }

  /** An agent runs in the pane; `pack` describes its screen. */
  begin(pack: Pack, rows: RowSource): void {
    this.agentLeft()
    this.#source = { pack, rows }
    this.#isRedrawing = false
    this.#isExited = false
  }

  /** The agent has left the pane; its messages stay. */
  agentLeft(): void {
    this.#isExited = true
    this.#phase?.dispatch('process-exit', this.#last)
    this.#forget()
    this.#source = null
    this.#waiters.wake()
  }

  /** The terminal's content is captured again, and its rows get new ids. */
  resync(): void {
    this.#forget()
    this.#last = null
    this.#redrawT = null
    this.#isRedrawing = this.#echoes.length > 0
  }

  /** Reports a conversation that cannot be read; supervision of the pane continues. */
  observe(look: Look): void {
    try {
      this.#observe(look)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  nextDeadline(): number | null {
    if (this.#phase) return this.#phase.nextDeadline()
    return this.#redrawT === null ? null : this.#redrawT + REDRAW_WAIT_S
  }

  tick(t: number): void {
    if (this.#phase) this.#phase.tick(t)
    else if (this.#last && this.#redrawT !== null && t >= this.#redrawT + REDRAW_WAIT_S) {
      this.#isRedrawing = false
      this.observe(this.#last)
    }
  }

  /** Resolves when the conversation has been read, there is none, or `ms` have passed. */
  async untilRead(ms: number): Promise<void> {
    await this.#waiters.until(ms, () => this.#phase !== null || this.#source === null)
    await this.#effects.done()
  }

  get prompts(): readonly JoinedPrompt[] {
    return this.#prompts
  }

  /** Oldest first; the open message is provisional. */
  get messages(): JoinedMessage[] {
    const open = this.#phase?.openMessage
    const blocks = this.#phase?.blocks ?? []
    if (!open || blocks.length === 0) return [...this.#messages]
    return [...this.#messages, this.#marked({ at: this.#now, ...open, blocks, provisional: true })]
  }

  #observe(look: Look): void {
    if (!this.#source) return
    const isRedrawn = isCleared(look, this.#last)
    this.#last = look
    if (this.#redrawT === null) this.#redrawT = look.t
    else if (isRedrawn && look.t < this.#redrawT + REDRAW_LATE_S) {
      // What was read meanwhile were rows of the old size.
      this.#forget()
      this.#isRedrawing = false
    }
    if (this.#phase) return this.#phase.observe(look)
    if (this.#isRedrawing && look.t < this.#redrawT + REDRAW_WAIT_S) return
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

  #marked(message: JoinedMessage): JoinedMessage {
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
    for (const turn of fresh.slice(0, -1)) this.#storeTurn(turn, before + turns.indexOf(turn) + 1)
    const state: ConversationState = newest
      ? this.#openedBy(newest, before + turns.length)
      : this.#idleAt(turns.at(-1) ?? null, lastRow, look)
    this.#openTurn = null
    this.#phase = this.#createPhase(pack, rows, state)
    // The agent wrote its text so far before it went back to thinking.
    if (newest && newest.blocks.length > 0 && look.observation.view === 'thinking')
      this.#phase.dispatch('response_content', look)
    this.#phase.observe(look)
    if (isFirst && this.#phase.phase !== 'dormant') this.#lateTurn = this.#phase.lastTurn
  }

  /** Keeps a closed turn as one message with its whole answer. */
  #storeTurn({ echo, prompt, blocks }: ReadTurn, number: number): void {
    const turn = this.#nameOf(number)
    this.#addTurn(number, echo.text, prompt)
    if (blocks.length === 0) return
    const message = `${turn}.1`
    const named = blocks.map((block, index) => ({ ...block, id: `${message}.${index}` }))
    this.#storeMessage({
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
    this.#addTurn(number, echo.text, prompt)
    return {
      turns: number,
      messages: 0,
      isTurnOpen: true,
      isMessageOpen: false,
      echoId: echo.first,
      isEchoOlder: false,
      echoText: echo.text,
      from: echo.last + 1,
      lastRowRead: echo.last,
      openedT: this.#last?.t ?? 0,
    }
  }

  /** All rows are known, or none is: an agent at work still has a turn. */
  #idleAt(newest: ReadTurn | null, lastRow: number, { observation, t }: Look): ConversationState {
    const isOpen = newest === null && (observation.busy === true || observation.awaiting !== null)
    if (isOpen && this.#openTurn === null) this.#addTurn(this.#echoes.length + 1, '', '')
    return {
      turns: this.#echoes.length,
      messages: 0,
      isTurnOpen: isOpen,
      isMessageOpen: false,
      echoId: newest?.echo.first ?? null,
      isEchoOlder: isOpen,
      ...(newest && { echoText: newest.echo.text }),
      from: isOpen ? 0 : lastRow + 1,
      lastRowRead: isOpen ? -1 : lastRow,
      openedT: t,
    }
  }

  #addTurn(number: number, echo: string, prompt: string): void {
    const turn = this.#nameOf(number)
    this.#echoes[number - 1] = echo
    this.#messages = this.#messages.filter(message => message.turn !== turn)
    this.#addPrompt(turn, prompt)
  }

  #addPrompt(turn: string, text: string): void {
    if (text === '') return
    const others = this.#prompts.filter(prompt => prompt.turn !== turn)
    this.#prompts = [...others, { turn, at: this.#now, text }].slice(-MESSAGES_KEPT)
  }

  #storeMessage(message: JoinedMessage): void {
    const at = this.#messages.findIndex(known => known.message === message.message)
    if (at < 0) this.#messages = [...this.#messages, this.#marked(message)].slice(-MESSAGES_KEPT)
    else this.#messages[at] = this.#marked({ ...message, at: this.#messages[at]!.at })
    this.#waiters.wake()
  }

  #forget(): void {
    const conversation = this.#rememberEcho()
    if (conversation) this.#openTurn = conversation.isTurnOpen ? conversation.turns : null
    this.#phase = null
  }

  /** Takes what a session would write to its log. */
  #record<T extends EventType>(type: T, data: EventData<T>): void {
    if (type === 'message.final') {
      const { session, turn, message, markdown, blocks } = data as EventData<'message.final'>
      const kept = blocks as unknown as Block[]
      this.#storeMessage({ at: this.#now, session, turn, message, markdown, blocks: kept, provisional: false })
    }
    if (type === 'turn.opened') {
      const { turn, prompt = '' } = data as EventData<'turn.opened'>
      this.#echoes[Number(turn.slice(turn.lastIndexOf('.') + 1)) - 1] ??= ''
      this.#addPrompt(turn, prompt)
    }
    if (type === 'turn.prompted') {
      const { turn, prompt } = data as EventData<'turn.prompted'>
      this.#addPrompt(turn, prompt)
    }
    if (type === 'turn.closed') this.#rememberEcho()
  }

  /** Notes the prompt of the newest turn, which may have appeared after the turn began. */
  #rememberEcho(): ConversationState | null {
    const conversation = this.#phase?.state.conversation ?? null
    if (conversation && conversation.turns > 0) this.#echoes[conversation.turns - 1] = conversation.echoText ?? ''
    return conversation
  }

  #createPhase(pack: Pack, rows: RowSource, conversation: ConversationState): SessionPhase {
    const { id, clock, onError } = this.#options
    const effects = this.#effects
    const isExited = () => this.#isExited
    const record = <T extends EventType>(type: T, data: EventData<T>) => this.#record(type, data)
    const messages = new MessageWriter({
      session: id,
      clock,
      effects,
      waiters: this.#waiters,
      emit: () => undefined,
      typingRepeatMs: 0,
      transcriptWaitMs: 0,
      isCatchingUp: () => false,
      isExited,
      write: async (type, data) => record(type, data),
    })
    return new SessionPhase({
      session: id,
      pack,
      rows,
      clock,
      effects,
      messages,
      notices: NO_NOTICES,
      requests: NO_REQUESTS,
      isResumed: false,
      hasTranscript: false,
      restored: {
        phase: conversation.isTurnOpen ? 'thinking' : 'dormant',
        conversation,
        menus: { count: 0, hash: null, instance: '' },
        isReady: true,
        isReported: true,
      },
      isCatchingUp: () => false,
      typing: () => undefined,
      isExited,
      record,
      onEnd: () => undefined,
      onError,
    })
  }
}

/** Only the registry of panes notifies people about a pane. */
const NO_NOTICES: PhaseNotices = {
  signedIn: () => undefined,
  atWork: () => undefined,
  needsSignIn: () => undefined,
  endUnlessAttended: () => undefined,
  silent: () => undefined,
  ready: () => undefined,
}

/** The agent's own dialog takes the decision. */
const NO_REQUESTS: PhaseRequests = {
  raise: async () => undefined,
  seenAgain: () => undefined,
  menuGone: async () => undefined,
  expectTakeOver: () => undefined,
  loadOpen: async () => [],
  takeOver: async () => 'none',
}
