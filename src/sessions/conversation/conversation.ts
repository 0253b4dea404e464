import type { Look } from '../../panes/index.js'
import { type Block, dropRepeatedRows, type Pack, renderMarkdown, type TextRow } from '../../screen/index.js'
import { displayWidth } from '../../text/index.js'
import { ConversationRows, type Echo, type RowSource } from './conversation-rows.js'
import { type ConversationState, firstRowNeeded, NEW_CONVERSATION } from './conversation-state.js'
import { partEnd } from './message-parts.js'
import { continuationOf, endsWith, findTail, TAIL_ROWS, tailOf } from './message-tail.js'
import { OpenMessage } from './open-message.js'
import { BlockReader, type IdleBlocks, type ReadOptions, readIdleBlocks } from './read-conversation.js'
import { type ClosedMessage, ClosedMessages, type ReportedText } from './reported-text.js'
import { hasGrown, hasMoved, isLateEcho, isOwnEcho, promptEnd, QueuedPrompts } from './turn-echo.js'

export interface ExtractOptions {
  /** The agent may still change the last block. */
  isOpen: boolean
  /** The agent asks for permission, so the tool call that it asks about has not ended. */
  isAsking?: boolean
  /** The turn has ended: reported text that no screen showed belongs to this message. */
  isEnd?: boolean
  /** Rows from this one on belong to a later turn. */
  before?: number
}

/** Shorter output is ignored. */
const CHARACTERS_MIN = 3
/** More blank rows than this do not separate a message from the next. */
const BLANK_ROWS = 50

const MESSAGE_BLOCKS = new Set<Block['kind']>([
  'prose',
  'code',
  'list',
  'table',
  'diff',
  'tool_call',
  'tool_result',
  'todo',
])

/**
 * The open turn and the open message of a session: which rows they cover, and the blocks read from
 * those rows so far. Turns and messages are named by counting: the same bytes give the same names
 * when they are read again.
 *
 * A turn begins below the echo of its prompt; a message begins below the row with which the message
 * before it ended. Rows are identified by id. A program that clears its screen and prints
 * everything again gives its rows new ids: then the turn moves to where its prompt is now, and the
 * message begins below the tail of the message before it, which is found by its text.
 *
 * Text that the agent itself reports replaces the text read from the screen: in the open message at
 * every reading, in a closed message for a minute.
 */
export class Conversation {
  readonly #session: string
  readonly #pack: Pack
  readonly #rows: ConversationRows
  readonly #reader: BlockReader
  readonly #closed = new ClosedMessages()
  readonly #open = new OpenMessage()
  readonly #queued = new QueuedPrompts()
  #state: ConversationState
  /** Where the first part of the open message ends, if it is long. */
  #partEnd: { count: number; lastRow: number } | null = null

  constructor(session: string, pack: Pack, rows: RowSource, state: ConversationState = NEW_CONVERSATION) {
    this.#session = session
    this.#pack = pack
    this.#reader = new BlockReader(pack)
    this.#rows = new ConversationRows(pack, rows, state.shown)
    this.#state = { ...state }
  }

  get state(): ConversationState {
    return { ...this.#state, shown: this.#rows.state }
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

  /** A prompt is or was on screen. */
  get hasEcho(): boolean {
    return this.#rows.echo !== null
  }

  /** Blocks of the open message. The list is the same object until it changes. */
  get blocks(): readonly Block[] {
    return this.#open.blocks
  }

  /** The last row above the live part of the screen. */
  get lastRowAboveBox(): number {
    return this.#rows.rowsFrom(this.#state.lastRowRead + 1).at(-1)?.id ?? this.#state.lastRowRead
  }

  /** The open turn if its own prompt is the newest on screen; null before that prompt appears. */
  get shownTurn(): string | null {
    return this.#rows.echo && !this.#state.isEchoOlder && this.#state.echoId === this.#rows.echo.first
      ? this.turn
      : null
  }

  /** Whether the turn that was opened last is this prompt's: its echo is the turn's own. */
  isTurnOf(text: string): boolean {
    return isOwnEcho(this.#state, promptEnd(text))
  }

  /** How many rows the open message covered when it was last read. */
  get openRows(): number {
    return Math.max(0, this.#state.lastRowRead - this.#state.from + 1)
  }

  /** To be called with every look, settled or not: rows may scroll away between two readings. */
  observe(look: Look): void {
    this.#rows.observe(look)
    if (this.#rows.isPrintingAgain(look)) return
    const { echo } = this.#rows
    if (echo && hasGrown(this.#state, echo)) this.#state = { ...this.#state, echoText: echo.text, from: echo.last + 1 }
    else if (echo && hasMoved(this.#state, echo, this.#rows)) this.#follow(echo)
    else if (echo && this.#isLate(echo, look)) this.#useEcho(echo)
    else this.#anchor(echo)
  }

  /**
   * Begins a turn below the newest echo or, if an agent continues by itself after an idle time,
   * below its last message. Returns the new turn's name; null if the turn is still open. `isSent`:
   * Signalbox has just typed a prompt, so the echo on screen is older.
   */
  beginTurn(look: Look, { isSent = false } = {}): string | null {
    this.observe(look)
    const { echo } = this.#rows
    const echoId = echo?.first ?? null
    const isKnown = (this.#state.turns > 0 || echoId !== null) && this.#state.echoId === echoId
    if (isKnown && this.#state.isTurnOpen) return null
    const begin = echo ? Math.max(echo.last + 1, isKnown ? this.#state.from : 0) : this.#state.lastRowRead + 1
    // The echo will appear below the rows that an earlier turn has left unread.
    const from = isSent && isKnown ? (this.#rows.rowsFrom(begin).at(-1)?.id ?? begin - 1) + 1 : begin
    const { tail, sentEnd: _, ...rest } = this.#state
    this.#state = {
      ...rest,
      turns: rest.turns + 1,
      messages: 0,
      isTurnOpen: true,
      isMessageOpen: false,
      echoId,
      isEchoOlder: isKnown || echo === null,
      isSent,
      from,
      openedT: look.t,
      ...(echo && { echoText: echo.text }),
      ...(isKnown && !isSent && tail && { tail }),
    }
    this.#open.prompt = null
    this.#open.removeReports()
    this.#setBlocks([])
    this.#rows.forgetClear()
    if (echo && !isKnown) this.#queued.remove(echo)
    this.#rows.release(firstRowNeeded(this.#state))
    return this.turn
  }

  /** The prompt of the open turn: its echo belongs to the turn, whatever is above it. */
  promptSent(text: string): void {
    if (!this.#state.isTurnOpen) return
    this.#state.sentEnd = promptEnd(text)
    this.#open.prompt = text
  }

  /** A prompt is typed while the agent works: it waits in the agent's queue. */
  promptQueued(text: string): void {
    this.#queued.add(text, this.#state.turns)
  }

  /** Marks all on screen as old (a greeting, a replay): it opens no turn and no message. */
  markOld(look: Look): void {
    this.observe(look)
    const { echo } = this.#rows
    const lastRowRead = this.lastRowAboveBox
    this.#state = {
      ...this.#state,
      echoId: echo?.first ?? null,
      ...(echo && { echoText: echo.text }),
      lastRowRead,
      from: lastRowRead + 1,
    }
    this.#rows.release(firstRowNeeded(this.#state))
  }

  /** The newest prompt on screen has had no turn. */
  get hasNewPrompt(): boolean {
    const { echo } = this.#rows
    return echo !== null && echo.first > (this.#state.echoId ?? -1) && !this.#rows.isRepaint(echo.first)
  }

  /** The echo of a prompt below that of the open turn; null if there is none. */
  newEcho(look: Look): Echo | null {
    this.observe(look)
    const { echo } = this.#rows
    const { turns, isTurnOpen, echoId, echoText } = this.#state
    if (!echo || !isTurnOpen || this.#rows.isRepaint(echo.first)) return null
    // A turn without a prompt, such as that of a command, ends where a queued prompt begins.
    if (echoId === null) return this.#queued.isFrom(turns, echo) ? echo : null
    // Some agents start at the top of the screen again when they have compacted their conversation.
    return echo.first > echoId || (echo.text !== echoText && this.#queued.isFrom(turns, echo)) ? echo : null
  }

  /**
   * Takes a finished piece of the answer from the agent's own record. `patched`: the closed message
   * that it corrects; `open`: it belongs to the open turn, and the next reading of the rows uses
   * it; null: it is about something older.
   */
  applyReported(text: ReportedText, t: number): { patched: ClosedMessage } | 'open' | null {
    if (this.#closed.has(text) || this.#open.hasReport(text.id)) return null
    const corrected = this.#closed.correct(text, t)
    if (corrected) return { patched: corrected }
    if (this.#state.isTurnOpen && text.t >= (this.#state.openedT ?? 0) - 1) {
      this.#open.addReport(text)
      return 'open'
    }
    const last = this.#closed.append(text, t)
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
    if (this.#rows.isPrintingAgain(look)) return this.blocks
    const rows = [...this.#continuation(), ...this.#rowsFrom(this.#state.from, options.before)]
    const pieces = this.#piecesOf(rows, look, options.isOpen)
    const all = pieces.flat()
    this.#partEnd = partEnd(pieces, this.#rows.screenStart)
    // While the screen is scrolled back, the end of the answer is out of sight.
    if (!this.#rows.isWhole && all.length > 0) all[all.length - 1] = { ...all.at(-1)!, missing: true }
    const read = options.isAsking ? withoutOpenTool(all) : all
    const growing = all[read.length]
    if (growing) this.#state.lastRowRead = growing.rows[0] - 1
    else this.#state.lastRowRead = rows.at(-1)?.id ?? this.#state.from - 1
    this.#setBlocks(read, options.isEnd)
    return this.blocks
  }

  /** The open turn shows text that is in no closed message, and no message is open. */
  hasUnwritten(look: Look, { isAsking }: { isAsking: boolean }): boolean {
    this.observe(look)
    if (!this.#state.isTurnOpen || this.#state.isMessageOpen || this.#rows.isPrintingAgain(look)) return false
    const blocks = this.#piecesOf(this.#rowsFrom(this.#state.from), look, false).flat()
    return isAnswer(isAsking ? withoutOpenTool(blocks) : blocks)
  }

  /** Puts newly reported text in the place of the text read from the screen. */
  reconcile(): void {
    this.#setBlocks(this.#open.screenBlocks)
  }

  /**
   * Closes the first part of a long message, so that a step costs the same however long its turn
   * is; the rest is the next message. Null if the message is not long. Where a message is divided
   * depends only on rows that have left the screen, not on when this is called.
   */
  closePart(look: Look): ClosedMessage | null {
    if (this.#partEnd === null) return null
    const { count, lastRow } = this.#partEnd
    this.#partEnd = null
    this.#state.lastRowRead = lastRow
    this.#setBlocks(this.#open.screenBlocks.slice(0, count))
    const closed = this.closeMessage(look)
    this.openMessage()
    return closed && Object.assign(closed, { continues: true })
  }

  /** Closes the message: no later message reads its rows. Null if it has no blocks. */
  closeMessage(look?: Look): ClosedMessage | null {
    const { message, turn } = this
    const { screenBlocks, blocks, isConfirmed } = this.#open
    this.#state.isMessageOpen = false
    if (this.#state.lastRowRead >= this.#state.from || this.#continuation().length > 0) {
      this.#state.isTailText = screenBlocks.at(-1)?.kind === 'prose'
      const tail = tailOf(this.#rows.rows(this.#tailStart(), this.#state.lastRowRead))
      if (tail.length > 0) this.#state.tail = tail
      this.#state.from = this.#state.lastRowRead + 1
    }
    const used = this.#open.removeUsedReports()
    this.#setBlocks([])
    if (message === null || blocks.length === 0) return null
    return this.#closed.add({
      turn: turn ?? `${this.#session}.${this.#state.turns}`,
      message,
      screenBlocks,
      reported: used,
      blocks,
      continues: false,
      prompt: this.#state.messages === 1 ? this.#open.prompt : null,
      isConfirmed,
      openedT: this.#state.openedT ?? 0,
      closedT: look?.t ?? 0,
    })
  }

  /**
   * Rows that appeared while the agent was idle, such as the output of a slash command. Null if
   * there are none: rows of a repaint, prompts and a few characters do not count.
   */
  idleOutput(look: Look): (IdleBlocks & { from: number; lastRow: number; markdown: string }) | null {
    this.observe(look)
    const { from, lastRowRead, isTurnOpen } = this.#state
    if (!this.#rows.isWhole || this.#rows.isPrintingAgain(look)) return null
    const start = isTurnOpen ? from : Math.max(from, lastRowRead + 1)
    const rows = this.#rowsFrom(start).filter(row => !this.#rows.isRepaint(row.id))
    const read = readIdleBlocks(rows, this.#pack, this.#readOptions(look, false))
    // Before the first prompt there is only the greeting, which may move.
    if (this.#state.turns === 0 && !this.#rows.echo && read.command === null) return null
    const markdown = renderMarkdown(read.blocks)
    if (markdown.replace(/\s/gu, '').length < CHARACTERS_MIN) return null
    return { ...read, from: start, lastRow: rows.at(-1)!.id, markdown }
  }

  /** The idle output as a message that is closed at once. */
  closeIdleOutput(look: Look): ClosedMessage | null {
    const found = this.idleOutput(look)
    if (!found) return null
    this.openMessage()
    this.#state.from = found.from
    this.#state.lastRowRead = found.lastRow
    this.#setBlocks(found.blocks, true)
    const closed = this.closeMessage(look)
    return closed && found.command !== null ? Object.assign(closed, { command: found.command }) : closed
  }

  /** Ends the turn. Its echo is remembered, so that it opens no second turn. */
  closeTurn(): void {
    this.#state.isTurnOpen = false
    this.#open.removeReports()
  }

  #rowsFrom(from: number, before = Number.POSITIVE_INFINITY): TextRow[] {
    const rows = this.#rows.rowsFrom(from).filter(row => row.id < before)
    return dropRepeatedRows(rows, row => this.#rows.isRepaint(row.id))
  }

  /** The rest of the last message's last row, if that row has grown since: a request cut it. */
  #continuation(): TextRow[] {
    const { tail, from, isTailText } = this.#state
    const last = tail?.at(-1)
    if (!last || !isTailText) return []
    const row = this.#rows.rows(from - 2, from - 1).findLast(({ text }) => text.trim() !== '')
    const rest = row ? continuationOf(row, last) : null
    if (!row || rest === null) return []
    const [first] = row.spans
    const width = displayWidth(rest)
    const spans = first ? [{ ...first, x: 2, width, text: rest }] : []
    return [{ ...row, text: `  ${rest}`, width: width + 2, spans, wrapped: false }]
  }

  #piecesOf(rows: readonly TextRow[], look: Look, isOpen: boolean): readonly Block[][] {
    return this.#reader.read(rows, this.#readOptions(look, isOpen))
  }

  #readOptions(look: Look, isOpen: boolean): ReadOptions {
    return {
      cols: look.frame.cols,
      turn: this.message ?? this.turn ?? this.#session,
      isOpen,
      // The last row grows only while the agent writes text.
      growingRows: look.observation.view === 'response_content' ? 1 : 0,
      widths: this.#rows.widths,
    }
  }

  #setBlocks(read: readonly Block[], isEnd = false): void {
    this.#open.setBlocks(read, { isEnd, isFirst: this.#state.messages <= 1 })
  }

  /** The tail may reach above the last message: a short one alone would not be found again. */
  #tailStart(): number {
    const { echoId, from } = this.#state
    return echoId === null || echoId >= from ? from : Math.max(echoId + 1, from - TAIL_ROWS)
  }

  #follow(echo: Echo): void {
    const { tail, isTurnOpen } = this.#state
    const rows = this.#rows.rowsFrom(echo.last + 1)
    // All rows of a closed turn are written: idle output comes below them.
    const lastRowRead = isTurnOpen ? echo.last : (rows.at(-1)?.id ?? echo.last)
    const ended = tail ? findTail(rows, tail) : null
    this.#state = { ...this.#state, echoId: echo.first, from: (ended ?? echo.last) + 1, lastRowRead }
  }

  #isLate(echo: Echo, look: Look): boolean {
    return isLateEcho(this.#state, echo, {
      rows: this.#rows,
      queued: this.#queued,
      isAnswer: rows => isAnswer(this.#piecesOf(rows, look, false).flat()),
    })
  }

  #useEcho(echo: Echo): void {
    this.#state = { ...this.#state, echoId: echo.first, isEchoOlder: false, echoText: echo.text, from: echo.last + 1 }
  }

  /** Finds the last message's end by its tail: rows above may be folded, gone, rewrapped. */
  #anchor(echo: Echo | null): void {
    const { tail, from } = this.#state
    if (!tail || !echo || from <= echo.last + 1 || !this.#rows.isWhole) return
    if (endsWith(this.#rows.rows(Math.max(echo.last + 1, from - BLANK_ROWS), from - 1), tail)) return
    const rows = this.#rows.rowsFrom(echo.last + 1)
    const ended = findTail(rows, tail)
    const end = rows.at(-1)?.id ?? echo.last
    if (ended !== null) this.#state.from = ended + 1
    else if (from > end + 1) this.#state.from = (this.#state.isTurnOpen ? echo.last : end) + 1
    this.#state.lastRowRead = Math.min(this.#state.lastRowRead, end)
  }
}

function isAnswer(blocks: readonly Block[]): boolean {
  return blocks.some(block => MESSAGE_BLOCKS.has(block.kind))
}

/** The call that a request is about is open: it belongs to the message after the answer. */
function withoutOpenTool(blocks: readonly Block[]): Block[] {
  const last = blocks.findLastIndex(block => block.kind !== 'tool_result')
  return blocks[last]?.kind === 'tool_call' ? blocks.slice(0, last) : [...blocks]
}
