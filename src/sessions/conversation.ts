import type { Look } from '../panes/index.js'
import { type Block, dropRepeatedRows, type Pack, renderMarkdown, type TextRow } from '../screen/index.js'
import { displayWidth } from '../text/index.js'
import { BlockReader } from './block-reader.js'
import { type ClosedMessage, ClosedMessages } from './closed-messages.js'
import type { Echo } from './picture.js'
import { reconcileSaid, type SaidRecord } from './said-records.js'
import { endOfSaid, endsWith, grownRest, squeezedText, TAIL_ROWS, tailOf } from './said-rows.js'
import { type RowSource, ShownRows, type ShownState } from './shown-rows.js'

export interface ConversationState {
  turns: number
  messages: number
  isTurnOpen: boolean
  isMessageOpen: boolean
  /** First row of the prompt that opened the turn. */
  echoId: number | null
  /** The turn's own prompt is not on screen yet, or there is none: what stands there is an older one. */
  isEchoOlder?: boolean
  /** First row of the open message. */
  from: number
  lastRow: number
  /** When the turn began, in seconds since the session's start. */
  openedT?: number
  /** The prompt's words, and those of the last rows that were said: what is found again after a repaint. */
  echoText?: string
  tail?: string[]
  /** The last row that was said is text: it may have been cut in the middle. */
  isTailText?: boolean
  shown?: ShownState
}

export interface ExtractOptions {
  /** The live part may still touch the last block. */
  isOpen: boolean
  /** The agent stopped to ask, so the call it asks about is not over. */
  isAsking?: boolean
  /** The turn is over: whatever the agent has written down and not shown belongs here. */
  isEnd?: boolean
  /** Rows from this one on belong to a later turn. */
  before?: number
}

/** What is shorter than this says nothing. */
const MIN_CHARACTERS = 3

const SPOKEN = new Set<Block['kind']>(['prose', 'code', 'list', 'table', 'diff', 'tool_call', 'tool_result', 'todo'])

const INITIAL: ConversationState = {
  turns: 0,
  messages: 0,
  isTurnOpen: false,
  isMessageOpen: false,
  echoId: null,
  from: 0,
  lastRow: -1,
}

/**
 * The open turn and the open message of a session: which rows they cover, and the blocks read from them so far. Names are counted, not
 * drawn by lot: whoever reads the same bytes again gives the same turns the same names.
 *
 * Rows are meant by id. A program that clears its screen and prints everything again gives its rows new ids; then the turn is where its
 * prompt is now, and the open message begins below the row that the last one ended with.
 *
 * What the agent writes into its own record takes the place of what was read from the screen: in the open message each time it is read, in
 * a closed one as long as it is young.
 */
export class Conversation {
  readonly #session: string
  readonly #shown: ShownRows
  readonly #reader: BlockReader
  readonly #closed = new ClosedMessages()
  #state: ConversationState
  /** The open message as the screen shows it, and with the agent's own words in place. */
  #read: Block[] = []
  #blocks: Block[] = []
  #found = new Set<string>()
  #isConfirmed = false
  /** What the agent has written down in this turn and no closed message has yet. */
  #said: SaidRecord[] = []

  constructor(session: string, pack: Pack, rows: RowSource, state: ConversationState = INITIAL) {
    this.#session = session
    this.#reader = new BlockReader(pack)
    this.#shown = new ShownRows(pack, rows, state.shown)
    this.#state = { ...state }
  }

  get state(): ConversationState {
    return { ...this.#state, shown: this.#shown.state }
  }

  get turn(): string | null {
    return this.#state.isTurnOpen ? `${this.#session}.${this.#state.turns}` : null
  }

  /** The turn that was opened last, open or not; null before the first. */
  get lastTurn(): string | null {
    return this.#state.turns === 0 ? null : `${this.#session}.${this.#state.turns}`
  }

  get message(): string | null {
    return this.#state.isMessageOpen ? `${this.#session}.${this.#state.turns}.${this.#state.messages}` : null
  }

  /** A prompt stands on screen, or has. */
  get hasEcho(): boolean {
    return this.#shown.echo !== null
  }

  get blocks(): readonly Block[] {
    return this.#blocks
  }

  /** The last row that stands above the live part of the screen. */
  get shownTo(): number {
    return this.#shown.rowsFrom(this.#state.lastRow + 1).at(-1)?.id ?? this.#state.lastRow
  }

  /** The open turn whose own prompt is the newest on screen; null while that is still to come. */
  get shownTurn(): string | null {
    return this.#shown.echo && !this.#state.isEchoOlder && this.#state.echoId === this.#shown.echo.first
      ? this.turn
      : null
  }

  /** How many rows the open message covered when it was last read. */
  get openRows(): number {
    return Math.max(0, this.#state.lastRow - this.#state.from + 1)
  }

  /** Every look, also those that are not settled: what scrolls away between two readings has been seen here. */
  observe(look: Look): void {
    this.#shown.observe(look)
    const { echo } = this.#shown
    if (echo && this.#hasMoved(echo)) this.#follow(echo)
    else if (echo && this.#isLate(echo, look)) this.#adopt(echo)
    else this.#anchor(echo)
  }

  /**
   * Begins a turn below the newest echo, or, where an agent goes on by itself after it had come to rest, below what it has said. Returns
   * the new turn's name, or null while the turn is still open. `isSent`: a prompt has just gone out, so that what stands there is older.
   */
  markTurn(look: Look, { isSent = false } = {}): string | null {
    this.observe(look)
    const { echo } = this.#shown
    const echoId = echo?.first ?? null
    const isKnown = (this.#state.turns > 0 || echoId !== null) && this.#state.echoId === echoId
    if (isKnown && this.#state.isTurnOpen) return null
    const begin = echo ? Math.max(echo.last + 1, isKnown ? this.#state.from : 0) : this.#state.lastRow + 1
    // Its echo is still to come, below what an earlier turn has left unsaid.
    const from = isSent && isKnown ? (this.#shown.rowsFrom(begin).at(-1)?.id ?? begin - 1) + 1 : begin
    const { tail, ...rest } = this.#state
    this.#state = {
      ...rest,
      turns: rest.turns + 1,
      messages: 0,
      isTurnOpen: true,
      isMessageOpen: false,
      echoId,
      isEchoOlder: isKnown || echo === null,
      from,
      openedT: look.t,
      ...(echo && { echoText: echo.text }),
      ...(isKnown && !isSent && tail && { tail }),
    }
    this.#setBlocks([])
    this.#said = []
    return this.turn
  }

  /** Everything on screen was there before: the greeting, or a conversation that is shown again. None of it opens a turn or is said again. */
  markOld(look: Look): void {
    this.observe(look)
    const { echo } = this.#shown
    const lastRow = this.#shown.rowsFrom(this.#state.lastRow + 1).at(-1)?.id ?? this.#state.lastRow
    this.#state = {
      ...this.#state,
      echoId: echo?.first ?? null,
      ...(echo && { echoText: echo.text }),
      lastRow,
      from: lastRow + 1,
    }
  }

  /** The newest prompt on screen has had no turn. */
  get hasNewPrompt(): boolean {
    const { echo } = this.#shown
    return echo !== null && echo.first > (this.#state.echoId ?? -1) && !this.#shown.isRepaint(echo.first)
  }

  /** A prompt that stands below the one of the open turn: its first row and its words without blanks; null where there is none. */
  newEcho(look: Look): Echo | null {
    this.observe(look)
    const { echo } = this.#shown
    if (!echo || !this.#state.isTurnOpen || this.#state.echoId === null) return null
    return echo.first > this.#state.echoId && !this.#shown.isRepaint(echo.first) ? echo : null
  }

  /**
   * A finished piece of the answer from the agent's own record. `patched`: the closed message that has it now; `open`: it belongs to the
   * open turn, and the next reading of the rows puts it in its place; null: it is about something older.
   */
  hear(record: SaidRecord, t: number): { patched: ClosedMessage } | 'open' | null {
    if (this.#closed.has(record) || this.#said.some(({ id }) => id === record.id)) return null
    const known = this.#closed.claim(record, t)
    if (known) return { patched: known }
    if (this.#state.isTurnOpen && record.t >= (this.#state.openedT ?? 0) - 1) {
      this.#said.push(record)
      return 'open'
    }
    const last = this.#closed.append(record, t)
    return last && { patched: last }
  }

  openMessage(): void {
    if (this.#state.isMessageOpen) return
    this.#state.isMessageOpen = true
    this.#state.messages++
  }

  /** Reads the rows of the open message again. */
  extract(look: Look, options: ExtractOptions): readonly Block[] {
    this.observe(look)
    const rows = [...this.#grownRow(), ...this.#rowsFrom(this.#state.from, options.before)]
    const said = this.#blocksOf(rows, look, options.isOpen)
    // Scrolled back, the end of the answer is out of sight.
    if (!this.#shown.isWhole && said.length > 0) said[said.length - 1] = { ...said.at(-1)!, missing: true }
    const read = options.isAsking ? withoutOpenTool(said) : said
    const held = said[read.length]
    if (held) this.#state.lastRow = held.rows[0] - 1
    else this.#state.lastRow = rows.at(-1)?.id ?? this.#state.from - 1
    this.#setBlocks(read, options.isEnd)
    return this.#blocks
  }

  /** The open turn has said something that no closed message has, and none is open to take it up. */
  hasUnsaid(look: Look, { isAsking }: { isAsking: boolean }): boolean {
    this.observe(look)
    if (!this.#state.isTurnOpen || this.#state.isMessageOpen) return false
    const blocks = this.#blocksOf(this.#rowsFrom(this.#state.from), look, false)
    return (isAsking ? withoutOpenTool(blocks) : blocks).some(block => SPOKEN.has(block.kind))
  }

  /** Puts what the agent has written down into the place of what was read from the screen. */
  reconcile(): void {
    this.#setBlocks(this.#read)
  }

  /** Closes the message: its rows belong to it for good. */
  closeMessage(look?: Look): ClosedMessage | null {
    const { message, turn } = this
    const [shown, blocks, isConfirmed] = [this.#read, this.#blocks, this.#isConfirmed]
    this.#state.isMessageOpen = false
    if (this.#state.lastRow >= this.#state.from || this.#grownRow().length > 0) {
      this.#state.isTailText = shown.at(-1)?.kind === 'prose'
      const tail = tailOf(this.#shown.rows(this.#tailStart(), this.#state.lastRow))
      if (tail.length > 0) this.#state.tail = tail
      this.#state.from = this.#state.lastRow + 1
    }
    const claimed = this.#said.filter(({ id }) => this.#found.has(id))
    this.#said = this.#said.filter(({ id }) => !this.#found.has(id))
    this.#setBlocks([])
    if (message === null || blocks.length === 0) return null
    return this.#closed.add({
      turn: turn ?? `${this.#session}.${this.#state.turns}`,
      message,
      shown,
      said: claimed,
      blocks,
      isConfirmed,
      openedT: this.#state.openedT ?? 0,
      closedT: look?.t ?? 0,
    })
  }

  /**
   * Rows that passed while nothing was awaited, such as the output of a command of the agent's own. Null where there is nothing of the
   * kind: rows that were printed again after a resize, prompts, and less than a few characters.
   */
  history(look: Look): { from: number; lastRow: number; blocks: Block[]; markdown: string } | null {
    this.observe(look)
    const { from, lastRow, isTurnOpen } = this.#state
    // Before the first prompt there is only the greeting, which may move.
    if (!this.#shown.isWhole || (this.#state.turns === 0 && !this.#shown.echo)) return null
    const start = isTurnOpen ? from : Math.max(from, lastRow + 1)
    const rows = this.#rowsFrom(start).filter(row => !this.#shown.isRepaint(row.id))
    const blocks = this.#blocksOf(rows, look, false)
    const markdown = renderMarkdown(blocks)
    if (markdown.replace(/\s/gu, '').length < MIN_CHARACTERS) return null
    return { from: start, lastRow: rows.at(-1)!.id, blocks, markdown }
  }

  /** The same as one message that is closed at once. */
  closeHistory(look: Look): ClosedMessage | null {
    const found = this.history(look)
    if (!found) return null
    this.openMessage()
    this.#state.from = found.from
    this.#state.lastRow = found.lastRow
    this.#setBlocks(found.blocks, true)
    return this.closeMessage(look)
  }

  /** Ends the turn; its echo is remembered, so that what it has said is not said again. */
  closeTurn(): void {
    this.#state.isTurnOpen = false
    this.#said = []
  }

  #rowsFrom(from: number, before = Number.POSITIVE_INFINITY): TextRow[] {
    const rows = this.#shown.rowsFrom(from).filter(row => row.id < before)
    return dropRepeatedRows(rows, row => this.#shown.isRepaint(row.id))
  }

  /** The rest of the last row that was said, if it has grown since: it was cut by a request. */
  #grownRow(): TextRow[] {
    const { tail, from, isTailText } = this.#state
    const last = tail?.at(-1)
    if (!last || !isTailText) return []
    const row = this.#shown.rows(from - 2, from - 1).findLast(({ text }) => text.trim() !== '')
    const rest = row ? grownRest(row, last) : null
    if (!row || rest === null) return []
    const [first] = row.spans
    const width = displayWidth(rest)
    const spans = first ? [{ ...first, x: 2, width, text: rest }] : []
    return [{ ...row, text: `  ${rest}`, width: width + 2, spans, wrapped: false }]
  }

  #blocksOf(rows: readonly TextRow[], look: Look, isOpen: boolean): Block[] {
    return this.#reader.read(rows, {
      cols: look.frame.cols,
      turn: this.message ?? this.turn ?? this.#session,
      isOpen,
      // Only text that is being written has a last row that grows.
      holdRows: look.observation.view === 'response_content' ? 1 : 0,
      widths: this.#shown.widths,
    })
  }

  #setBlocks(read: Block[], isEnd = false): void {
    this.#read = read
    const { blocks, found, isConfirmed } = reconcileSaid(read, this.#said, { isFinal: isEnd })
    this.#blocks = blocks
    this.#found = found
    this.#isConfirmed = isConfirmed
  }

  /** What the turn had said before is found again where the newest message was only passing. */
  #tailStart(): number {
    const { echoId, from } = this.#state
    return echoId === null || echoId >= from ? from : Math.max(echoId + 1, from - TAIL_ROWS)
  }

  /** The turn's own prompt in another place: it is no longer where it was, or a repaint has printed it again. */
  #hasMoved(echo: Echo): boolean {
    const { echoId, echoText } = this.#state
    if (echoId === null || echoId === echo.first || echoText !== echo.text) return false
    return (
      this.#shown.isRepaint(echo.first) || !this.#shown.isEchoAt(echoId, echo) || this.#isPrintedAgain(echoId, echo)
    )
  }

  /**
   * After a tall menu some agents print the end of their transcript once more below what is left of the first copy in the scrollback. It is
   * the same turn, and no equal prompt sent again, if all that the turn has said stands below this prompt as well, or only below this one.
   */
  #isPrintedAgain(echoId: number, echo: Echo): boolean {
    const { isTurnOpen, from, tail } = this.#state
    if (!isTurnOpen || !tail || echo.first < echoId) return false
    const said = squeezedText(this.#shown.rows(echoId, Math.min(from, echo.first) - 1))
    const below = squeezedText(this.#shown.rowsFrom(echo.first))
    const newest = tail.join('')
    return said.endsWith(newest) ? below.startsWith(said) : below.includes(newest)
  }

  #follow(echo: Echo): void {
    const { tail, isTurnOpen } = this.#state
    const rows = this.#shown.rowsFrom(echo.last + 1)
    // All of a closed turn has been said: what comes without a prompt comes below it.
    const lastRow = isTurnOpen ? echo.last : (rows.at(-1)?.id ?? echo.last)
    const ended = tail ? endOfSaid(rows, tail) : null
    this.#state = { ...this.#state, echoId: echo.first, from: (ended ?? echo.last) + 1, lastRow }
  }

  /** Agents begin to work before they draw the prompt: one that appears while the turn has said nothing is the turn's own. */
  #isLate(echo: Echo, look: Look): boolean {
    const { isTurnOpen, isMessageOpen, messages, echoId, isEchoOlder, from } = this.#state
    // A turn that has its prompt gets no other: what comes below is the next one's, also where this one was stopped before a word.
    if (!isTurnOpen || isEchoOlder === false) return false
    if (echo.first <= (echoId ?? -1) || messages > (isMessageOpen ? 1 : 0)) return false
    return !this.#blocksOf(this.#shown.rows(from, echo.first - 1), look, false).some(block => SPOKEN.has(block.kind))
  }

  #adopt(echo: Echo): void {
    this.#state = { ...this.#state, echoId: echo.first, isEchoOlder: false, echoText: echo.text, from: echo.last + 1 }
  }

  /** What was said of this turn ends where its last words are: rows above may have been folded, taken back or wrapped anew. */
  #anchor(echo: Echo | null): void {
    const { tail, from } = this.#state
    if (!tail || !echo || from <= echo.last + 1 || !this.#shown.isWhole) return
    if (endsWith(this.#shown.rows(echo.last + 1, from - 1), tail)) return
    const rows = this.#shown.rowsFrom(echo.last + 1)
    const ended = endOfSaid(rows, tail)
    const end = rows.at(-1)?.id ?? echo.last
    if (ended !== null) this.#state.from = ended + 1
    else if (from > end + 1) this.#state.from = (this.#state.isTurnOpen ? echo.last : end) + 1
    this.#state.lastRow = Math.min(this.#state.lastRow, end)
  }
}

/** The call that a request is about is not over: it and its result belong to the message after the answer. */
function withoutOpenTool(blocks: readonly Block[]): Block[] {
  const last = blocks.findLastIndex(block => block.kind !== 'tool_result')
  return blocks[last]?.kind === 'tool_call' ? blocks.slice(0, last) : [...blocks]
}
