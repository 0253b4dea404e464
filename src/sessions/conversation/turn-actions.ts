import type { EventData, EventType } from '../../events/index.js'
import type { Look } from '../../panes/index.js'
import type { Block } from '../../screen/index.js'
import type { Phase } from '../live/phase-table.js'
import type { Conversation, ExtractOptions } from './conversation.js'
import type { Ending, MessageRef, MessageWriter } from './message-writer.js'
import type { ReportedText } from './reported-text.js'

export interface TurnActionsOptions {
  session: string
  messages: Pick<MessageWriter, 'update' | 'close' | 'patch' | 'turnBegun'>
  /** The agent writes a transcript. */
  hasTranscript: boolean
  isExited(): boolean
  record<T extends EventType>(type: T, data: EventData<T>): void
}

/** How many characters of a prompt are stored with its turn; the recording has all of it. */
const PROMPT_KEPT = 4_000

/**
 * Reading the open message costs time in proportion to its rows, and an answer may have thousands:
 * it is read again when this much time has passed for each row, in seconds. The reading that closes
 * the message is never put off.
 */
const READ_AGAIN_PER_ROW_S = 0.001

/**
 * What the phase table's actions do with the open turn and its message: begin, read, show, close.
 */
export class TurnActions {
  readonly #options: TurnActionsOptions
  readonly #conversation: Conversation
  readonly #phase: () => Phase
  readonly #idleOutput: IdleOutput
  /** The turn was interrupted, whatever its last row says. */
  #wasInterrupted = false
  /** The turn whose prompt is in the log. */
  #promptedTurn: string | null = null
  /** When the open message was last read, and when a postponed reading is due. */
  #readAt = Number.NEGATIVE_INFINITY
  #readDue: number | null = null

  constructor(options: TurnActionsOptions, conversation: Conversation, phase: () => Phase) {
    this.#options = options
    this.#conversation = conversation
    this.#phase = phase
    this.#idleOutput = new IdleOutput(conversation)
  }

  get blocks(): readonly Block[] {
    return this.#conversation.blocks
  }

  get openMessage(): MessageRef | null {
    const { turn, message } = this.#conversation
    return turn && message ? { session: this.#options.session, turn, message } : null
  }

  /** When to read again if no byte comes before, and what. */
  get due(): { at: number; what: 'message' | 'idle-output' } | null {
    const output = this.#phase() === 'dormant' ? this.#idleOutput.dueAt : null
    const message = this.#readDue
    if (message !== null && (output === null || message <= output)) return { at: message, what: 'message' }
    return output === null ? null : { at: output, what: 'idle-output' }
  }

  noteInterrupted(): void {
    this.#wasInterrupted = true
  }

  begin(look: Look | null, isSent = false): void {
    const turn = look && this.#conversation.beginTurn(look, { isSent })
    if (!turn) return
    this.#options.messages.turnBegun(turn)
    const prompt = this.#shownPrompt(look)
    this.#options.record('turn.opened', { session: this.#options.session, turn, ...(prompt && { prompt }) })
  }

  /** Records the prompt when it appears; agents work before they draw it. For every look. */
  recordPrompt(look: Look): void {
    const { turn } = this.#conversation
    const prompt = turn !== null && this.#promptedTurn !== turn ? this.#shownPrompt(look) : null
    if (turn && prompt) this.#options.record('turn.prompted', { session: this.#options.session, turn, prompt })
  }

  recordSentPrompt(text: string): void {
    const turn = this.#conversation.lastTurn
    this.#conversation.promptSent(text)
    if (turn === null || this.#promptedTurn === turn) return
    this.#promptedTurn = turn
    this.#options.record('turn.prompted', { session: this.#options.session, turn, prompt: text.slice(0, PROMPT_KEPT) })
  }

  open(): void {
    this.#conversation.openMessage()
  }

  read(look: Look | null): void {
    if (!look) return
    const due = this.#readAt + this.#conversation.openRows * READ_AGAIN_PER_ROW_S
    // A time before the last reading comes from a clock that was set back, or from a session that
    // was taken over.
    if (look.t < due && look.t >= this.#readAt) {
      this.#readDue = due
      return
    }
    this.#readDue = null
    this.#readAt = look.t
    this.readWhole(look)
  }

  readWhole(look: Look | null): void {
    if (look) this.#extract(look, { isOpen: true })
  }

  /**
   * @param isReported the agent reported text: it is shown although reading the screen was put off.
   */
  showMessage({ isReported }: { isReported: boolean }): void {
    if (this.#conversation.blocks.length === 0 || (this.#readDue !== null && !isReported)) return
    this.#conversation.openMessage()
    this.#options.messages.update(this.openMessage, this.#conversation.blocks)
  }

  finalize(look: Look | null, { before, isEnd }: { before?: number; isEnd: boolean }): void {
    const { messages, hasTranscript, isExited } = this.#options
    this.#readDue = null
    this.#readAt = Number.NEGATIVE_INFINITY
    if (!look) return
    // Text without a prompt of its own: it came after its turn was closed.
    if (!this.#conversation.turn) return isEnd ? this.extractIdleOutput(look) : undefined
    this.#conversation.openMessage()
    const isAsking = this.#phase() === 'tool-pending'
    this.#extract(look, { isOpen: false, isAsking, isEnd, ...(before !== undefined && { before }) })
    const closed = this.#conversation.closeMessage(look)
    if (!closed) return
    messages.close(closed, {
      ending: isEnd && before === undefined ? this.#endingOf(look) : null,
      waits: isEnd && hasTranscript && !isExited(),
    })
  }

  /**
   * Writes text that appeared between the answer to a request and this look, at which the agent is
   * done or asks again: no look showed the agent writing it. It is written before its turn is
   * closed and before the next request is raised.
   */
  writeUnwritten(look: Look | null): void {
    const isEnd = this.#phase() === 'dormant'
    if (look && this.#conversation.hasUnwritten(look, { isAsking: !isEnd })) this.finalize(look, { isEnd })
  }

  /** Writes idle output as a message; closes the turn of a prompt answered at once. */
  extractIdleOutput(look: Look | null): void {
    if (this.#idleOutput.check(look, seen => this.begin(seen)) !== 'due' || !look) return
    const closed = this.#conversation.closeIdleOutput(look)
    if (!closed) return
    this.#options.messages.close(closed, { ending: null, waits: this.#options.hasTranscript })
    this.close(look)
  }

  /**
   * Begins the turn of a prompt that waited in the agent's queue and has appeared while the agent
   * works. Only the screen decides that, not what Signalbox knows to have sent: after a restart the
   * same bytes must lead to the same turns.
   */
  beginQueued(look: Look): void {
    const echo = this.#conversation.newEcho(look)
    if (!echo) return
    this.finalize(look, { before: echo.first, isEnd: true })
    this.close(look, 'done')
    this.begin(look)
  }

  /** Closes the turn: the agent is idle. */
  close(look: Look | null, known?: string): void {
    const { session, isExited, record } = this.#options
    const { turn } = this.#conversation
    const shown = this.#wasInterrupted ? 'interrupted' : look?.observation.terminator?.outcome
    const outcome = known ?? shown ?? (isExited() ? 'exited' : 'done')
    this.#wasInterrupted = false
    if (!turn) return
    this.#conversation.closeTurn()
    record('turn.closed', { session, turn, outcome })
  }

  /** Takes a finished piece of the answer. `onChanged`: the conversation has changed. */
  applyReported(text: ReportedText, t: number, onChanged: () => void): void {
    const taken = this.#conversation.applyReported(text, t)
    if (taken === null) return
    onChanged()
    if (taken !== 'open') this.#options.messages.patch(taken.patched)
  }

  /** Reads the open message, and writes the finished parts of a long one. */
  #extract(look: Look, options: ExtractOptions): void {
    this.#conversation.extract(look, options)
    if (this.#conversation.message === null) return
    for (;;) {
      const part = this.#conversation.closePart(look)
      if (!part) return
      this.#options.messages.close(part, { ending: null, waits: false })
      this.#conversation.extract(look, options)
    }
  }

  /** The open turn's own prompt, if this look shows it. */
  #shownPrompt({ observation }: Look): string | null {
    const turn = this.#conversation.shownTurn
    if (turn === null || !observation.user) return null
    this.#promptedTurn = turn
    return observation.user.slice(0, PROMPT_KEPT)
  }

  #endingOf(look: Look): Ending | null {
    const outcome = look.observation.terminator?.outcome
    if (this.#wasInterrupted || outcome === 'interrupted') return 'interrupted'
    if (this.#options.isExited()) return 'crashed'
    return outcome === 'failed' ? 'failed' : null
  }
}

/** Output without a prompt must stay this long (s): hints and queued prompts pass. */
const IDLE_OUTPUT_STABLE_S = 1
/** Times are sums of floating-point seconds: a look exactly at `dueAt` must count. */
const ROUNDING_S = 1e-9

/**
 * Output that appeared while the agent was idle, such as that of a slash command. `due`: it is to
 * be written now, as a message of its own; `pending`: it must stay on screen first; null: there is
 * none.
 */
export class IdleOutput {
  readonly #conversation: Conversation
  #pending: { markdown: string; t: number } | null = null

  constructor(conversation: Conversation) {
    this.#conversation = conversation
  }

  /** When the pending output will have stayed long enough; null: none is pending. */
  get dueAt(): number | null {
    return this.#pending && this.#pending.t + IDLE_OUTPUT_STABLE_S
  }

  /** Calls `beginTurn` if a prompt without a turn is on screen: the agent answered it at once. */
  check(look: Look | null, beginTurn: (look: Look) => void): 'due' | 'pending' | null {
    const found = look && isReadable(look) ? this.#conversation.idleOutput(look) : null
    const before = this.#pending
    this.#pending = null
    if (!found || !look) return null
    if (this.#conversation.turn === null && this.#conversation.hasNewPrompt) beginTurn(look)
    if (this.#conversation.turn !== null) return 'due'
    const since = before?.markdown === found.markdown ? before.t : look.t
    if (look.t - since >= IDLE_OUTPUT_STABLE_S - ROUNDING_S) return 'due'
    this.#pending = { markdown: found.markdown, t: since }
    return 'pending'
  }
}

/** Rows are output only above an input box in use, not above a question or a list. */
function isReadable({ observation }: Look): boolean {
  const { composer, awaiting } = observation
  return composer !== null && !composer.completion && awaiting === null
}
