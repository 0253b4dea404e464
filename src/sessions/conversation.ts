import { newId } from '../clock/index.js'
import type { Look } from '../panes/index.js'
import { type Block, extractBlocks, type Pack } from '../screen/index.js'
import type { Row } from '../terminal/index.js'

interface RowSource {
  readRows(firstId: number, lastId: number): Row[]
}

/** The open turn and the open message of a session: which rows they cover, and the blocks read from them so far. */
export class Conversation {
  readonly #pack: Pack
  readonly #rows: RowSource
  #turn: { id: string; echoId: number | null; isOpen: boolean } | null = null
  #message: string | null = null
  /** First row that no finished message covers. */
  #from = 0
  #blocks: Block[] = []
  #lastRow = -1

  constructor(pack: Pack, rows: RowSource) {
    this.#pack = pack
    this.#rows = rows
  }

  get turn(): string | null {
    return this.#turn?.isOpen ? this.#turn.id : null
  }

  get message(): string | null {
    return this.#message
  }

  get blocks(): readonly Block[] {
    return this.#blocks
  }

  /** Begins a turn below the newest echo; the same echo begins only one. Returns the new turn's id, or null. */
  markTurn(look: Look): string | null {
    const echo = look.layout.blocks.findLast(block => block.kind === 'user')
    const echoId = echo ? look.frame.lines[echo.first]!.id : null
    if (this.#turn && this.#turn.echoId === echoId) return null
    this.#turn = { id: newId('trn'), echoId, isOpen: true }
    this.#from = echo ? look.frame.lines[echo.last]!.id + 1 : this.#lastRow + 1
    this.#blocks = []
    return this.#turn.id
  }

  openMessage(): string {
    this.#message ??= newId('msg')
    return this.#message
  }

  /** Reads the rows of the open message again. The row that still grows is part of a provisional block. */
  extract(look: Look, options: { isOpen: boolean; isAsking?: boolean }): readonly Block[] {
    const end = contentEnd(look)
    const rows = this.#rows.readRows(this.#from, end)
    const turn = `${this.#turn?.id ?? 'trn'}.${this.#message ?? 'msg'}`
    const found = extractBlocks(rows, { pack: this.#pack, cols: look.frame.cols, turn, isOpen: options.isOpen })
    const said = found.filter(block => block.kind !== 'user')
    this.#blocks = options.isAsking ? withoutOpenTool(said) : said
    const held = options.isAsking ? said[this.#blocks.length] : undefined
    if (held) this.#lastRow = held.rows[0] - 1
    else if (rows.length > 0) this.#lastRow = rows.at(-1)!.id
    return this.#blocks
  }

  /** Closes the message: its rows belong to it for good. */
  closeMessage(): { message: string; blocks: readonly Block[] } | null {
    const message = this.#message
    const blocks = this.#blocks
    this.#message = null
    this.#blocks = []
    if (this.#lastRow >= this.#from) this.#from = this.#lastRow + 1
    return message === null || blocks.length === 0 ? null : { message, blocks }
  }

  /** Ends the turn; its echo is remembered, so that the same prompt on screen does not begin it again. */
  closeTurn(): string | null {
    const id = this.turn
    if (this.#turn) this.#turn.isOpen = false
    return id
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
