import { type Block, extractPieces, type Pack, type TextRow } from '../../screen/index.js'

interface ReadOptions {
  cols: number
  /** The prefix of the block ids. */
  turn: string
  isOpen: boolean
  holdRows: number
  widths: readonly number[]
}

/** When a pack file is reloaded, these lists are other objects. */
type Grammar = Pick<Pack, 'blocks' | 'rules'>

/**
 * Reads the blocks of a conversation's rows. The open message is read at every look, and most looks
 * change nothing but a spinner: the same row objects give the same block objects.
 */
export class BlockReader {
  readonly #pack: Pack
  #last: { rows: readonly TextRow[]; options: ReadOptions; pack: Grammar; pieces: readonly Block[][] } | null = null

  constructor(pack: Pack) {
    this.#pack = pack
  }

  /** The blocks by pieces: what the agent marks as one text, one tool call or one result. */
  read(rows: readonly TextRow[], options: ReadOptions): readonly Block[][] {
    const last = this.#last
    const isSame =
      last !== null &&
      last.pack.blocks === this.#pack.blocks &&
      last.pack.rules === this.#pack.rules &&
      isSameList(last.rows, rows) &&
      last.options.cols === options.cols &&
      last.options.turn === options.turn &&
      last.options.isOpen === options.isOpen &&
      last.options.holdRows === options.holdRows &&
      isSameList(last.options.widths, options.widths)
    if (isSame) return last.pieces
    const pieces = extractPieces(rows, { pack: this.#pack, ...options })
      .map(piece => piece.filter(block => block.kind !== 'user'))
      .filter(piece => piece.length > 0)
    const { blocks: grammar, rules } = this.#pack
    this.#last = { rows: [...rows], options: { ...options }, pack: { blocks: grammar, rules }, pieces }
    return pieces
  }
}

/** Whether two lists hold the very same objects. */
export function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index])
}
