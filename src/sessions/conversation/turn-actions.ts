import type { Look } from '../../panes/index.js'
import type { Block } from '../../screen/index.js'
import type { Phase } from '../live/phase-table.js'
import type { SessionPhaseOptions } from '../live/session-phase-options.js'
import type { MessageRef } from '../live/sink.js'
import type { Conversation } from './conversation.js'
import { IdleOutput } from './idle-output.js'
import type { Ending } from './message-writer.js'
import type { ReportedText } from './reported-text.js'

/** Of a prompt so much is kept with its turn; the whole is in the recording. */
const PROMPT_KEPT = 4_000

/**
 * Reading an open message takes time that grows with its rows, and an answer may go on for thousands of them: it is read again when so much
 * time has passed for each row. The reading that closes it is never put off.
 */
const READ_AGAIN_S = 0.001

/** The open turn and its message, as the table's actions move them: marked, read, shown while it grows, closed with its last words. */
export class TurnActions {
  readonly #options: SessionPhaseOptions
  readonly #conversation: Conversation
  readonly #phase: () => Phase
  /** Rows that appeared while nothing was awaited, and since when they stand. */
  readonly #passing: IdleOutput
  /** The turn was interrupted, whatever its last row says. */
  #wasInterrupted = false
  /** The turn whose prompt is in the log. */
  #promptedTurn: string | null = null
  /** When the open message was last read, and when it is due again if that was put off. */
  #readAt = Number.NEGATIVE_INFINITY
  #readDue: number | null = null

  constructor(options: SessionPhaseOptions, conversation: Conversation, phase: () => Phase) {
    this.#options = options
    this.#conversation = conversation
    this.#phase = phase
    this.#passing = new IdleOutput(conversation)
  }

  get blocks(): readonly Block[] {
    return this.#conversation.blocks
  }

  get openMessage(): MessageRef | null {
    const { turn, message } = this.#conversation
    return turn && message ? { session: this.#options.session, turn, message } : null
  }

  /** When to read again if no byte comes before, and what: the open message, or what passed while nothing was awaited. */
  get due(): { at: number; what: 'message' | 'history' } | null {
    const history = this.#phase() === 'dormant' ? this.#passing.dueAt : null
    const message = this.#readDue
    if (message !== null && (history === null || message <= history)) return { at: message, what: 'message' }
    return history === null ? null : { at: history, what: 'history' }
  }

  noteInterrupted(): void {
    this.#wasInterrupted = true
  }

  mark(look: Look | null, isSent = false): void {
    const turn = look && this.#conversation.markTurn(look, { isSent })
    if (!turn) return
    const prompt = this.#shownPrompt(look)
    this.#options.record('turn.opened', { session: this.#options.session, turn, ...(prompt && { prompt }) })
  }

  /** Agents begin to work before they draw the prompt: it is told when it is there. Every look that was observed. */
  tellPrompt(look: Look): void {
    const { turn } = this.#conversation
    const prompt = turn !== null && this.#promptedTurn !== turn ? this.#shownPrompt(look) : null
    if (turn && prompt) this.#options.record('turn.prompted', { session: this.#options.session, turn, prompt })
  }

  tellSent(text: string): void {
    const turn = this.#conversation.lastTurn
    if (turn === null || this.#promptedTurn === turn) return
    this.#promptedTurn = turn
    this.#options.record('turn.prompted', { session: this.#options.session, turn, prompt: text.slice(0, PROMPT_KEPT) })
  }

  open(): void {
    this.#conversation.openMessage()
    this.#options.messages.open(this.openMessage)
  }

  read(look: Look | null): void {
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

  readWhole(look: Look | null): void {
    if (look) this.#conversation.extract(look, { isOpen: true })
  }

  /** @param isTold the agent's own words have come in: they are shown although reading the screen was put off. */
  show({ isTold }: { isTold: boolean }): void {
    if (this.#conversation.blocks.length === 0 || (this.#readDue !== null && !isTold)) return
    this.#conversation.openMessage()
    this.#options.messages.update(this.openMessage, this.#conversation.blocks)
  }

  finalize(look: Look | null, { before, isEnd }: { before?: number; isEnd: boolean }): void {
    const { messages, hasTranscript, exit } = this.#options
    this.#readDue = null
    this.#readAt = Number.NEGATIVE_INFINITY
    if (!look) return
    // Words without a prompt of their own: they came after their turn had been taken for closed.
    if (!this.#conversation.turn) return isEnd ? this.extractHistory(look) : undefined
    this.#conversation.openMessage()
    const isAsking = this.#phase() === 'tool-pending'
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
  sayUnsaid(look: Look | null): void {
    const isEnd = this.#phase() === 'dormant'
    if (look && this.#conversation.hasUnsaid(look, { isAsking: !isEnd })) this.finalize(look, { isEnd })
  }

  /** What passed while nobody waited for anything, as a message of its own. A prompt that was answered at once has its turn closed by it. */
  extractHistory(look: Look | null): void {
    if (this.#passing.look(look, seen => this.mark(seen)) !== 'due' || !look) return
    const closed = this.#conversation.closeHistory(look)
    if (!closed) return
    this.#options.messages.close(closed, { ending: null, waits: this.#options.hasTranscript })
    this.close(look)
  }

  /**
   * A further prompt is on screen while the agent works: one that waited in its queue. What comes below it is a turn of its own. Only the
   * screen decides that, not what we know to have sent: after a restart the same bytes must lead to the same turns.
   */
  beginQueued(look: Look): void {
    const echo = this.#conversation.newEcho(look)
    if (!echo) return
    this.finalize(look, { before: echo.first, isEnd: true })
    this.close(look, 'done')
    this.mark(look)
  }

  /** The agent rests: whatever it worked on is over, said or unsaid. */
  close(look: Look | null, known?: string): void {
    const { session, exit, record } = this.#options
    const { turn } = this.#conversation
    const shown = this.#wasInterrupted ? 'interrupted' : look?.observation.terminator?.outcome
    const outcome = known ?? shown ?? (exit() ? 'exited' : 'done')
    this.#wasInterrupted = false
    if (!turn) return
    this.#conversation.closeTurn()
    record('turn.closed', { session, turn, outcome })
  }

  /** A finished piece of the answer, in the agent's own words. `isNews`: something is to be shown anew. */
  hear(said: ReportedText, t: number, isNews: () => void): void {
    const heard = this.#conversation.hear(said, t)
    if (heard === null) return
    isNews()
    if (heard !== 'open') this.#options.messages.patch(heard.patched)
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
    if (this.#options.exit()) return 'crashed'
    return outcome === 'failed' ? 'failed' : null
  }
}
