import {
  BACKGROUND_STYLE,
  Background,
  Content,
  FOREGROUND_STYLE,
  Foreground,
  isVisibleBlank,
  makeSpan,
} from './cell-style.js'
import type { Row, Span } from './frame.js'
import { hashText } from './row-hash.js'
import { TextBuilder } from './text-builder.js'
import { CELL_WORDS, type CoreLine } from './xterm-core.js'

/*
 * Turns lines of cells into rows. A screen is read at every frame, ten times a second and more, and
 * most of its rows are unchanged. So the cell words of a row are kept with it, and a row with
 * unchanged words is returned again as the same object. The words are not everything: combined
 * characters and links are stored elsewhere, and are compared as text (`extras`) for the few rows
 * that have any.
 */

/** Distinct links on one row; further links become text. */
const LINKS_PER_ROW = 100

const SPACE = 0x20

/** A blank with zero-width spaces and joiners is a blank: Qwen ends its echo that way. */
const INVISIBLE_CLUSTER = /^ ?[\u200b-\u200d\u2060]+$/
const INVISIBLE_END = / [\u200b-\u200d\u2060]+$/

/** A cell that was never written: no character, one column. */
const EMPTY_CELL = 1 << Content.widthShift

export interface ReadRow {
  row: Row
  /** The cell words of the row, as bytes; null after a restart, when only the row is known. */
  cells: Buffer | null
  extras: string
}

export interface ReadContext {
  id: number
  cols: number
  /** The frame for which this row is read. */
  seq: number
  /** The row will be compared with a later reading; otherwise its cells are not copied. */
  isKept: boolean
  linkOf: (number: number) => string | undefined
}

/** Reads a line, or returns `previous` when nothing changed. `previous` must have the same id. */
export function readRow(line: CoreLine, context: ReadContext, previous?: ReadRow): ReadRow {
  const words = line.length > context.cols ? line._data.subarray(0, context.cols * CELL_WORDS) : line._data
  if (previous?.cells && previous.row.wrapped === line.isWrapped && previous.cells.equals(bytesOf(words))) {
    // Equal words without extras still have none.
    if (previous.extras === '' || previous.extras === extrasOf(line, words)) return previous
  }
  if (isUntouched(words)) {
    const row = previous && previous.row.width === 0 && looksEqual(previous.row, blankRow(line, context))
    return { row: row ? previous.row : blankRow(line, context), cells: untouchedCells(words), extras: '' }
  }
  const row = buildRow(line, words, context)
  const isUnchanged = previous !== undefined && looksEqual(previous.row, row)
  const kept = isUnchanged ? previous.row : row
  if (!context.isKept) return { row: kept, cells: null, extras: '' }
  return { row: kept, cells: Buffer.from(bytesOf(words)), extras: extrasOf(line, words) }
}

/** Compared by memcmp: three times as fast as a loop, and this is most of the work for a frame. */
function bytesOf(words: Uint32Array): Buffer {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength)
}

/** Most rows of a new screen: no cell was written since it was blank. */
function isUntouched(words: Uint32Array): boolean {
  for (let at = words.length - CELL_WORDS; at >= 0; at -= CELL_WORDS)
    if (words[at] !== EMPTY_CELL || (words[at + 1]! | words[at + 2]!) !== 0) return false
  return true
}

let untouched = Buffer.alloc(0)

/** Their cells are always the same: one copy serves all rows of a width. */
function untouchedCells(words: Uint32Array): Buffer {
  if (untouched.byteLength !== words.byteLength) untouched = Buffer.from(bytesOf(words))
  return untouched
}

/** A cell has at most 33 code points (text/cluster.ts). */
const units = new TextBuilder(500 * 66)

function buildRow(line: CoreLine, words: Uint32Array, context: ReadContext): Row {
  const width = visibleWidth(line, words)
  const filled = width < context.cols && isWritten(words, context.cols - 1) && { filled: true }
  if (width === 0) return { ...blankRow(line, context), ...filled }
  const starts: number[] = []
  const unitStarts: number[] = []
  units.clear()
  let foreground = -1
  let background = -1
  let link = -1
  for (let x = 0; x < width; ) {
    const at = x * CELL_WORDS
    const cellForeground = (words[at + 1]! & FOREGROUND_STYLE) >>> 0
    const cellBackground = (words[at + 2]! & BACKGROUND_STYLE) >>> 0
    const cellLink = (words[at + 2]! & Background.hasExtended) === 0 ? 0 : linkAt(line, x)
    if (cellForeground !== foreground || cellBackground !== background || cellLink !== link) {
      foreground = cellForeground
      background = cellBackground
      link = cellLink
      starts.push(x)
      unitStarts.push(units.length)
    }
    writeCell(line, words, x)
    x += words[at]! >>> Content.widthShift || 1
  }
  const whole = units.text()
  const text = cutTrailingBlanks(whole)
  return {
    id: context.id,
    text,
    width,
    wrapped: line.isWrapped,
    spans: makeSpans(line, words, context, width, starts, unitStarts, whole),
    hash: hashText(text),
    changedSeq: context.seq,
    ...filled,
  }
}

const BLANK_HASH = hashText('')

function blankRow(line: CoreLine, { id, seq }: ReadContext): Row {
  return { id, text: '', width: 0, wrapped: line.isWrapped, spans: [], hash: BLANK_HASH, changedSeq: seq }
}

function makeSpans(
  line: CoreLine,
  words: Uint32Array,
  context: ReadContext,
  width: number,
  starts: readonly number[],
  unitStarts: readonly number[],
  whole: string,
): Span[] {
  let links: Set<number> | undefined
  return starts.map((x, index) => {
    const end = starts[index + 1] ?? width
    const text = whole.slice(unitStarts[index], unitStarts[index + 1])
    const background = words[x * CELL_WORDS + 2]!
    const link = (background & Background.hasExtended) === 0 ? 0 : linkAt(line, x)
    if (link > 0) links = (links ?? new Set()).add(link)
    const uri = links && link > 0 && links.size <= LINKS_PER_ROW ? context.linkOf(link) : undefined
    return makeSpan(x, end - x, text, words[x * CELL_WORDS + 1]!, background, uri)
  })
}

/** Whether the program wrote this cell, be it a blank. */
function isWritten(words: Uint32Array, x: number): boolean {
  const content = words[x * CELL_WORDS]
  return content !== undefined && content !== EMPTY_CELL && (content & Content.codePoint) !== 0
}

/**
 * Columns up to the last visible cell. The second cell of a wide character has no width of its own;
 * when the character is cut in two, that cell stays behind alone and is a blank.
 */
function visibleWidth(line: CoreLine, words: Uint32Array): number {
  for (let x = words.length / CELL_WORDS - 1; x >= 0; x--) {
    const at = x * CELL_WORDS
    const content = words[at]!
    if (content === EMPTY_CELL && words[at + 1] === 0 && words[at + 2] === 0) continue
    const codePoint = content & Content.codePoint
    const end = x + (content >>> Content.widthShift || 1)
    if ((content & Content.isCombined) !== 0 && !INVISIBLE_CLUSTER.test(line._combined[x] ?? '')) return end
    if (codePoint !== 0 && codePoint !== SPACE) return end
    if (isVisibleBlank(words[at + 1]!, words[at + 2]!)) return end
  }
  return 0
}

function writeCell(line: CoreLine, words: Uint32Array, x: number): void {
  const content = words[x * CELL_WORDS]!
  if ((words[x * CELL_WORDS + 1]! & Foreground.invisible) !== 0) {
    for (let column = content >>> Content.widthShift; column > 0; column--) units.addUnit(SPACE)
  } else if ((content & Content.isCombined) !== 0) {
    const combined = line._combined[x] ?? ' '
    for (let index = 0; index < combined.length; index++) units.addUnit(combined.charCodeAt(index))
  } else {
    units.add(content & Content.codePoint || SPACE)
  }
}

function linkAt(line: CoreLine, x: number): number {
  return line._extendedAttrs[x]?._urlId ?? 0
}

function extrasOf(line: CoreLine, words: Uint32Array): string {
  let extras = ''
  if (!hasExtras(words)) return extras
  for (let at = 0; at < words.length; at += CELL_WORDS) {
    const x = at / CELL_WORDS
    if ((words[at]! & Content.isCombined) !== 0) extras += `${x}=${line._combined[x]};`
    if ((words[at + 2]! & Background.hasExtended) !== 0) extras += `${x}@${line._extendedAttrs[x]?._urlId};`
  }
  return extras
}

function hasExtras(words: Uint32Array): boolean {
  let content = 0
  let background = 0
  for (let at = 0; at < words.length; at += CELL_WORDS) {
    content |= words[at]!
    background |= words[at + 2]!
  }
  return (content & Content.isCombined) !== 0 || (background & Background.hasExtended) !== 0
}

/** Keeps no-break spaces: a program writes them on purpose. */
function cutTrailingBlanks(text: string): string {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === SPACE) end--
  if (end === 0 || text.charCodeAt(end - 1) < 0x200b) return text.slice(0, end)
  const cut = text.slice(0, end)
  return INVISIBLE_END.test(cut) ? cutTrailingBlanks(cut.replace(INVISIBLE_END, '')) : cut
}

function looksEqual(a: Row, b: Row): boolean {
  if (a.text !== b.text || a.width !== b.width || a.wrapped !== b.wrapped || a.spans.length !== b.spans.length)
    return false
  if (a.filled !== b.filled) return false
  return a.spans.every((span, index) => equalSpans(span, b.spans[index]!))
}

function equalSpans(a: Span, b: Span): boolean {
  return (
    a.x === b.x &&
    a.text === b.text &&
    a.fg === b.fg &&
    a.bg === b.bg &&
    a.bold === b.bold &&
    a.dim === b.dim &&
    a.italic === b.italic &&
    a.underline === b.underline &&
    a.inverse === b.inverse &&
    a.strike === b.strike &&
    a.link === b.link
  )
}
