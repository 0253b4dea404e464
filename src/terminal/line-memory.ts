import { Background, Content } from './cell-style.js'
import {
  CELL_WORDS,
  type CoreAttributes,
  type CoreBuffer,
  type CoreLine,
  type FillCell,
  type XtermCore,
} from './xterm-core.js'

/*
 * Where the memory of lines comes from. xterm allocates memory for each line, fills a blank line
 * cell by cell, and creates a cell object for every copy: most of the work of a line feed before
 * the scrollback is full, and of entering the alternate screen. Here a few lines share a piece of
 * memory, and a blank line is a copy of the last blank one. Erasing writes the words of one blank
 * cell, where xterm calls a method for each.
 *
 * The methods are replaced on the classes, once per process. A line that shares memory must not
 * grow in place, as xterm's `resize` would let it: it gets its own memory first. A piece is freed
 * with its last line, so it is kept small: a line that stays for hours keeps only a few neighbours
 * alive.
 */

const LINES_PER_PIECE = 8

interface LineClass {
  new (cols: number, fill: unknown, isWrapped: boolean): CoreLine
}

interface LineMethods {
  constructor: LineClass
  clone(): CoreLine
  resize(cols: number, fill: unknown): boolean
  fill(cell: FillCell, isSparing?: boolean): void
  replaceCells(start: number, end: number, cell: FillCell, isSparing?: boolean): void
}

const prepared = new WeakSet<object>()

export function shareLineMemory(core: XtermCore): void {
  const buffer = core.buffers.normal
  const lines = Object.getPrototypeOf(buffer.lines.get(0)) as LineMethods
  if (prepared.has(lines)) return
  prepared.add(lines)
  replaceLineMethods(lines, buffer.getNullCell())
  replaceBlankLines(Object.getPrototypeOf(buffer) as CoreBuffer)
}

function replaceLineMethods(lines: LineMethods, anyCell: unknown): void {
  const Line = lines.constructor
  const resize = lines.resize
  lines.clone = function (this: CoreLine): CoreLine {
    const copy = new Line(0, anyCell, this.isWrapped)
    copy._data = copyInPiece(this._data)
    copy.length = this.length
    for (const x in this._combined) copy._combined[x] = this._combined[x]!
    for (const x in this._extendedAttrs) copy._extendedAttrs[x] = this._extendedAttrs[x]
    return copy
  }
  lines.resize = function (this: CoreLine, cols: number, fill: unknown): boolean {
    const isShared = this._data.byteLength !== this._data.buffer.byteLength
    if (isShared && cols !== this.length) this._data = this._data.slice()
    return resize.call(this, cols, fill)
  }
  replaceErasing(lines)
}

/** xterm handles protected cells, and fill cells with links or combined characters. */
function replaceErasing(lines: LineMethods): void {
  const { fill, replaceCells } = lines
  lines.fill = function (this: CoreLine, cell: FillCell, isSparing = false): void {
    if (isSparing || !isBare(cell)) return fill.call(this, cell, isSparing)
    this._combined = {}
    this._extendedAttrs = {}
    writeCells(this._data, 0, this.length, cell)
  }
  lines.replaceCells = function (this: CoreLine, start: number, end: number, cell: FillCell, isSparing = false): void {
    const words = this._data
    const isInsideWide =
      (start > 0 && columnsAt(words, start - 1) === 2) || (end > 0 && columnsAt(words, end - 1) === 2)
    if (isSparing || isInsideWide || !isBare(cell)) return replaceCells.call(this, start, end, cell, isSparing)
    writeCells(words, start, Math.min(end, this.length), cell)
  }
}

function isBare({ content, bg }: FillCell): boolean {
  return (content & Content.isCombined) === 0 && (bg & Background.hasExtended) === 0
}

function writeCells(words: Uint32Array, start: number, end: number, { content, fg, bg }: FillCell): void {
  for (let at = start * CELL_WORDS; at < end * CELL_WORDS; at += CELL_WORDS) {
    words[at] = content
    words[at + 1] = fg
    words[at + 2] = bg
  }
}

function columnsAt(words: Uint32Array, x: number): number {
  return words[x * CELL_WORDS]! >>> Content.widthShift
}

function replaceBlankLines(buffers: CoreBuffer): void {
  const getBlankLine = buffers.getBlankLine
  let blank: CoreLine | null = null
  buffers.getBlankLine = function (this: CoreBuffer, attributes: CoreAttributes, isWrapped = false): CoreLine {
    if ((attributes.bg & Background.hasExtended) !== 0) return getBlankLine.call(this, attributes, isWrapped)
    const { cols } = this._bufferService
    if (blank?.length !== cols || blank._data[1] !== attributes.fg || blank._data[2] !== attributes.bg)
      blank = getBlankLine.call(this, attributes, false)
    const line = blank.clone()
    line.isWrapped = isWrapped
    return line
  }
}

let piece = new Uint32Array(0)
let used = 0

function copyInPiece(words: Uint32Array): Uint32Array {
  if (used + words.length > piece.length) {
    // Not zeroed: a line is copied into its part before it is used.
    const length = Math.max(words.length, CELL_WORDS) * LINES_PER_PIECE
    piece = new Uint32Array(Buffer.allocUnsafeSlow(length * Uint32Array.BYTES_PER_ELEMENT).buffer)
    used = 0
  }
  const copy = new Uint32Array(piece.buffer, used * Uint32Array.BYTES_PER_ELEMENT, words.length)
  copy.set(words)
  used += words.length
  return copy
}
