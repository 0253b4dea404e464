import type { Look } from '../panes/index.js'
import { type Block, dropRepeatedBands, extractBlocks, type Pack } from '../screen/index.js'
import type { Echo } from './picture.js'
import { type RowSource, ShownRows, type ShownState } from './shown-rows.js'

export interface ConversationState {
  turns: number
  messages: number
  isTurnOpen: boolean
  isMessageOpen: boolean
  /** First row of the prompt that opened the turn. */
  echoId: number | null
  /** First row of the open message. */
  from: number
  lastRow: number
  /** The prompt's words, and the text of the last row of the message before: what is found again after a repaint. */
  echoText?: string
  boundary?: string
  shown?: ShownState
}

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
 */
export class Conversation {
  readonly #session: string
  readonly #pack: Pack
  readonly #shown: ShownRows
  #state: ConversationState
  #blocks: Block[] = []

  constructor(session: string, pack: Pack, rows: RowSource, state: ConversationState = INITIAL) {
    this.#session = session
    this.#pack = pack
    this.#shown = new ShownRows(pack, rows, state.shown)
    this.#state = { ...state }
  }

  get state(): ConversationState {
    return { ...this.#state, shown: this.#shown.state }
  }

  get turn(): string | null {
    return this.#state.isTurnOpen ? `${this.#session}.${this.#state.turns}` : null
  }

  get message(): string | null {
    return this.#state.isMessageOpen ? `${this.#session}.${this.#state.turns}.${this.#state.messages}` : null
  }

  get blocks(): readonly Block[] {
    return this.#blocks
  }

  /** Every look, also those that are not settled: what scrolls away between two readings has been seen here. */
  observe(look: Look): void {
    this.#shown.observe(look)
    const { echo } = this.#shown
    if (echo && this.#hasMoved(echo)) this.#follow(echo)
  }

  /** Begins a turn below the newest echo; the same echo begins only one. Returns the new turn's name, or null. */
  markTurn(look: Look): string | null {
    this.observe(look)
    const { echo } = this.#shown
    const echoId = echo?.first ?? null
    if (this.#state.turns > 0 && this.#state.echoId === echoId && (this.#state.isTurnOpen || echoId !== null))
      return null
    const from = echo ? echo.last + 1 : this.#state.lastRow + 1
    const { boundary: _, ...rest } = this.#state
    this.#state = {
      ...rest,
      turns: rest.turns + 1,
      messages: 0,
      isTurnOpen: true,
      isMessageOpen: false,
      echoId,
      from,
      ...(echo && { echoText: echo.text }),
    }
    this.#blocks = []
    return this.turn
  }

  openMessage(): void {
    if (this.#state.isMessageOpen) return
    this.#state.isMessageOpen = true
    this.#state.messages++
  }

  /** Reads the rows of the open message again. `isAsking`: the agent stopped to ask, so the call it asks about is not over. */
  extract(look: Look, options: { isOpen: boolean; isAsking?: boolean }): readonly Block[] {
    this.observe(look)
    const rows = dropRepeatedBands(this.#shown.rowsFrom(this.#state.from), row => this.#shown.isRepaint(row.id))
    const found = extractBlocks(rows, {
      pack: this.#pack,
      cols: look.frame.cols,
      turn: this.message ?? this.turn ?? this.#session,
      isOpen: options.isOpen,
      // Only text that is being written has a last row that grows.
      holdRows: look.observation.view === 'response_content' ? 1 : 0,
      widths: this.#shown.widths,
    })
    const said = found.filter(block => block.kind !== 'user')
    // Scrolled back, the end of the answer is out of sight.
    if (!this.#shown.isWhole && said.length > 0) said[said.length - 1] = { ...said.at(-1)!, missing: true }
    this.#blocks = options.isAsking ? withoutOpenTool(said) : said
    const held = said[this.#blocks.length]
    if (held) this.#state.lastRow = held.rows[0] - 1
    else if (rows.length > 0) this.#state.lastRow = rows.at(-1)!.id
    return this.#blocks
  }

  /** Closes the message: its rows belong to it for good. */
  closeMessage(): { message: string; blocks: readonly Block[] } | null {
    const { message } = this
    const blocks = this.#blocks
    this.#state.isMessageOpen = false
    this.#blocks = []
    if (this.#state.lastRow >= this.#state.from) {
      const ended = this.#shown.rows(this.#state.from, this.#state.lastRow).findLast(row => row.text.trim() !== '')
      if (ended) this.#state.boundary = ended.text
      this.#state.from = this.#state.lastRow + 1
    }
    return message === null || blocks.length === 0 ? null : { message, blocks }
  }

  /** Ends the turn; its echo is remembered, so that the same prompt on screen does not begin it again. */
  closeTurn(): void {
    this.#state.isTurnOpen = false
  }

  /** The turn's own prompt in another place: it is no longer where it was, or a repaint has printed it again. */
  #hasMoved(echo: Echo): boolean {
    const { echoId, echoText } = this.#state
    if (echoId === null || echoId === echo.first || echoText !== echo.text) return false
    return this.#shown.isRepaint(echo.first) || !this.#shown.isEchoAt(echoId, echo)
  }

  #follow(echo: Echo): void {
    const { boundary, isTurnOpen } = this.#state
    const rows = this.#shown.rowsFrom(echo.last + 1)
    // All of a closed turn has been said: what comes without a prompt comes below it.
    const lastRow = isTurnOpen ? echo.last : (rows.at(-1)?.id ?? echo.last)
    const ended = boundary === undefined ? undefined : rows.findLast(row => row.text === boundary)
    this.#state = { ...this.#state, echoId: echo.first, from: (ended?.id ?? echo.last) + 1, lastRow }
  }
}

/** The call that a request is about is not over: it and its result belong to the message after the answer. */
function withoutOpenTool(blocks: readonly Block[]): Block[] {
  const last = blocks.findLastIndex(block => block.kind !== 'tool_result')
  return blocks[last]?.kind === 'tool_call' ? blocks.slice(0, last) : [...blocks]
}
