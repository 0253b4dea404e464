import type { Look } from '../panes/index.js'
import { type Block, extractBlocks, type Pack } from '../screen/index.js'
import type { Row } from '../terminal/index.js'

interface RowSource {
  readRows(firstId: number, lastId: number): Row[]
}

export interface ConversationState {
  turns: number
  messages: number
  isTurnOpen: boolean
  isMessageOpen: boolean
  echoId: number | null
  from: number
  lastRow: number
}

const INITIAL: ConversationState = { turns: 0, messages: 0, isTurnOpen: false, isMessageOpen: false, echoId: null, from: 0, lastRow: -1 }

/**
 * The open turn and the open message of a session: which rows they cover, and the blocks read from them so far. Names are counted, not
 * drawn by lot: whoever reads the same bytes again gives the same turns the same names.
 */
export class Conversation {
  readonly #session: string
  readonly #pack: Pack
  readonly #rows: RowSource
  #state: ConversationState
  #blocks: Block[] = []

  constructor(session: string, pack: Pack, rows: RowSource, state: ConversationState = INITIAL) {
    this.#session = session
    this.#pack = pack
    this.#rows = rows
    this.#state = { ...state }
  }

  get state(): ConversationState {
    return { ...this.#state }
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

  /** Begins a turn below the newest echo; the same echo begins only one. Returns the new turn's name, or null. */
  markTurn(look: Look): string | null {
    const echo = look.layout.blocks.findLast(block => block.kind === 'user')
    const echoId = echo ? look.frame.lines[echo.first]!.id : null
    const isSameEcho = this.#state.echoId === echoId && echoId !== null
    // An open turn whose echo has scrolled out of sight is still that turn.
    if (this.#state.turns > 0 && (isSameEcho || (this.#state.isTurnOpen && echoId === null))) return null
    const from = echo ? look.frame.lines[echo.last]!.id + 1 : this.#state.lastRow + 1
    this.#state = { ...this.#state, turns: this.#state.turns + 1, messages: 0, isTurnOpen: true, isMessageOpen: false, echoId, from }
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
    const rows = this.#rows.readRows(this.#state.from, contentEnd(look))
    const name = this.message ?? this.turn ?? this.#session
    const found = extractBlocks(rows, { pack: this.#pack, cols: look.frame.cols, turn: name, isOpen: options.isOpen })
    const said = found.filter(block => block.kind !== 'user')
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
    this.#state.from = Math.max(this.#state.from, this.#state.lastRow + 1)
    return message === null || blocks.length === 0 ? null : { message, blocks }
  }

  /** Ends the turn; its echo is remembered, so that the same prompt on screen does not begin it again. */
  closeTurn(): void {
    this.#state.isTurnOpen = false
  }
}

/** The call that a request is about is not over: it and its result belong to the message after the answer. */
function withoutOpenTool(blocks: readonly Block[]): Block[] {
  const last = blocks.findLastIndex(block => block.kind !== 'tool_result')
  return blocks[last]?.kind === 'tool_call' ? blocks.slice(0, last) : [...blocks]
}

/** Id of the last row above the live part: what the agent has said, without its status row, menu, input box and footer. */
function contentEnd({ frame, layout }: Look): number {
  const live = layout.regions.get('status')?.first ?? layout.regions.get('live')?.first ?? frame.lines.length
  const row = frame.lines[Math.max(0, live - 1)]
  return live === 0 || !row ? -1 : row.id
}
