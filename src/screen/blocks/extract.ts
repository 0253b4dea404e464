import { displayWidth } from '../../text/index.js'
import { genericBlocks } from '../generic-grammar.js'
import { chromeRows, panelRows, type RowBlock, type RowRole, splitBlocks } from '../grammar.js'
import { type OutlineBlock, outlineBlock } from '../outline.js'
import type { Pack } from '../pack/pack.js'
import { markReader } from '../row-marks.js'
import { isBlank, type ScreenRow, screenRowsOf } from '../screen-row.js'
import { toolOf } from '../tool.js'
import type { TodoItem } from '../view.js'
import type { Block, BlockContent } from './block.js'
import { diffEnd, readDiff } from './diff.js'
import { type ProseStyle, proseRow } from './prose-row.js'
import { type Piece, readProse } from './regions.js'
import { bodyStyle } from './row-style.js'
import { joinSoftWraps, type TextRow, textFrom } from './text-row.js'
import { isContinuation } from './unwrap.js'

export interface ExtractOptions {
  pack: Pack
  /** The current columns of the screen. */
  cols: number
  turn: string
  /** More rows will follow: the newest block is provisional, its last row is left out. */
  isOpen: boolean
  /** Rows at the end of an open answer that still grow. Default 1. */
  growingRows?: number
  /** All widths of the screen since the first row was drawn, the current one first. */
  widths?: readonly number[]
}

/** Without a pack: agents leave at most this many columns free at the right. */
const UNKNOWN_MARGIN = 6

/** Half blocks from one side to the other are the edges of a box. */
const EDGE = /^\s*[▀▄]{10,}\s*$/u

/** The blocks of the rows of one turn, by the same code while it streams and when it has ended. */
export function extractBlocks(rows: readonly TextRow[], options: ExtractOptions): Block[] {
  return extractPieces(rows, options).flat()
}

/** The blocks by pieces: each is what the agent marks as one text, one tool call or one result. */
export function extractPieces(rows: readonly TextRow[], options: ExtractOptions): Block[][] {
  const { pack } = options
  const whole = inferWidths(joinSoftWraps(rows, options.cols), options.widths ?? [], cols => rightEdge(cols, pack))
  const seen = screenRowsOf(whole)
  const split = joinUnmarked(splitRows(seen, pack), seen)
  const style: ProseStyle = {
    pack,
    body: bodyStyle(
      split.filter(block => block.kind === 'prose').flatMap(block => whole.slice(block.first, block.last + 1)),
    ),
    rightOf: row => rightEdge(row.cols ?? options.cols, pack),
    isOpen: options.isOpen,
  }
  let count = 0
  const pieces = withoutGrowingRows(split, options).map(rowBlock => {
    const part = whole.slice(rowBlock.first, rowBlock.last + 1)
    return readRowBlock(rowBlock, part, style).map(
      ({ content, first, last }): Block => ({
        id: `${options.turn}.${count++}`,
        rows: [part[first]!.id, part[last]!.id],
        provisional: false,
        missing: part.slice(first, last + 1).some(row => row.hasGap),
        source: 'screen',
        ...content,
      }),
    )
  })
  const newest = pieces.findLast(piece => piece.length > 0)?.at(-1)
  if (newest && options.isOpen) newest.provisional = true
  return pieces
}

function rightEdge(cols: number, pack: Pack): number {
  if (pack.text.width.from === 'fixed') return Math.min(cols, pack.text.width.width)
  return cols - (pack.byStructure ? UNKNOWN_MARGIN : pack.text.width.minus)
}

/** Where the blocks of a transcript start and end, without chrome, panels and terminators. */
export function transcriptBlocks(rows: readonly TextRow[], pack: Pack): OutlineBlock[] {
  return splitRows(screenRowsOf(rows), pack).map(outlineBlock)
}

/** Some agents mark no paragraphs: blocks without a mark belong to the one above. */
function joinUnmarked(blocks: readonly RowBlock[], seen: readonly ScreenRow[]): RowBlock[] {
  const joined: RowBlock[] = []
  for (const block of blocks) {
    const above = joined.at(-1)
    const isNext =
      above?.kind === 'prose' &&
      block.kind === 'prose' &&
      seen.slice(above.last + 1, block.first).every(row => isBlank(row))
    const strip = (block.spec ?? above?.spec)?.strip ?? 0
    const isBare =
      seen[block.first]!.text.slice(0, strip).trim() === '' && (block.spec === null || block.spec === above?.spec)
    if (isNext && isBare) above.last = block.last
    else joined.push({ ...block })
  }
  return joined
}

function splitRows(seen: readonly ScreenRow[], pack: Pack): RowBlock[] {
  const chrome = chromeRows(seen, pack)
  const panels = panelRows(seen, pack)
  const marksOf = markReader(pack)
  const roleOf = (row: ScreenRow): RowRole | null => {
    if (EDGE.test(row.text)) return 'chrome'
    if (chrome.has(row.index) || panels.has(row.index)) return 'chrome'
    const marks = marksOf(row)
    if (marks.terminator) return 'terminator'
    if (marks.isQueued) return 'queued'
    // A status row that the agent left in the scrollback is not part of the answer.
    return marks.isWorking ? 'working' : null
  }
  if (pack.byStructure) return genericBlocks(seen, pack, roleOf)
  // Rows without a mark, such as those after a gap, belong to the answer: quoted text may have any
  // form.
  return splitBlocks(seen, pack, roleOf).map(block =>
    block.spec === null ? { ...block, kind: 'prose' as const } : block,
  )
}

/** The last row of a growing answer may be incomplete: it waits for the next one. */
function withoutGrowingRows(blocks: readonly RowBlock[], { isOpen, growingRows = 1 }: ExtractOptions): RowBlock[] {
  const newest = blocks.at(-1)
  if (!isOpen || newest?.kind !== 'prose' || growingRows === 0) return [...blocks]
  const last = newest.last - growingRows
  return last < newest.first ? blocks.slice(0, -1) : [...blocks.slice(0, -1), { ...newest, last }]
}

function readRowBlock(block: RowBlock, rows: readonly TextRow[], style: ProseStyle): Piece[] {
  const strip = block.spec?.strip ?? genericStrip(block, rows)
  const whole = (content: BlockContent): Piece[] => [{ content, first: 0, last: rows.length - 1 }]
  const lines = () => rows.map(row => textFrom(row, strip))
  switch (block.kind) {
    case 'tool_call':
      return whole({
        kind: 'tool_call',
        tool: toolOf(
          lines()
            .map(line => line.trim())
            .join(' '),
        ),
      })
    case 'tool_result':
      return readResult(rows, strip, block.spec?.failed?.test(rows[0]!.text) ? false : null, style)
    case 'todo':
      return whole({ kind: 'todo', items: readTodo(lines()) })
    case 'user':
    case 'thought':
    case 'notice':
    case 'error':
      return whole({ kind: block.kind, text: lines().join('\n').trim() })
    default:
      return readProse(
        // Only a mark is stripped, and only the first row has one: the rows below it start at the
        // edge in screen-reader mode.
        rows.map((row, index) => proseRow(row, index === 0 ? strip : Math.min(strip, blanksBefore(row)), style)),
        style,
      )
  }
}

function blanksBefore({ text }: TextRow): number {
  const first = text.search(/[^\s\u00a0]/u)
  return first < 0 ? Number.POSITIVE_INFINITY : first
}

/** Without a pack: a mark at the front and the indented rows below it. */
function genericStrip(block: RowBlock, rows: readonly TextRow[]): number {
  const first = rows[0]!.text
  const mark = /^\s{0,3}[^\p{L}\p{N}\s"'`([{<\\/@#$.,;:-]\s+(?=\S)/u.exec(first)?.[0].length
  if (mark !== undefined && block.kind !== 'user') return mark
  const indents = rows.filter(row => row.text.trim() !== '').map(row => row.text.search(/\S/u))
  return Math.min(...indents)
}

/** The output of a tool; a change in it becomes a separate diff. */
function readResult(rows: readonly TextRow[], strip: number, ok: boolean | null, style: ProseStyle): Piece[] {
  const read = rows.map(row => proseRow(row, strip, style))
  const pieces: Piece[] = []
  let plain = 0
  const addLines = (to: number) => {
    const lines = read.slice(plain, to).map(row => row.text.trimEnd())
    if (lines.some(line => line !== ''))
      pieces.push({ content: { kind: 'tool_result', lines, ok }, first: plain, last: to - 1 })
  }
  for (let at = 0; at < read.length; at++) {
    const end = diffEnd(read, at)
    if (end < 0) continue
    addLines(at)
    pieces.push({ content: readDiff(read.slice(at, end + 1)), first: at, last: end })
    plain = end + 1
    at = end
  }
  addLines(read.length)
  return pieces
}

/*
 * After a resize the normal buffer contains rows that were drawn at another width, and nothing on
 * the screen says which. But a paragraph shows its width: at the right one every row but the last
 * is full. So each part of the text gets one of the widths that the screen has had: the one at
 * which most of its rows are full, in a tie the current one.
 */
function inferWidths(
  rows: readonly TextRow[],
  widths: readonly number[],
  rightAt: (cols: number) => number,
): TextRow[] {
  if (new Set(widths).size < 2) return [...rows]
  const inferred: TextRow[] = []
  for (let at = 0; at < rows.length; ) {
    let end = at
    while (end < rows.length && rows[end]!.text.trim() !== '') end++
    const chunk = rows.slice(at, end)
    const cols = bestWidth(chunk, widths, rightAt)
    inferred.push(
      ...chunk.map(row => (row.cols === undefined && cols !== null ? { ...row, cols } : row)),
      ...rows.slice(end, end + 1),
    )
    at = end + 1
  }
  return inferred
}

/** `widths`: the current one first. */
function bestWidth(
  chunk: readonly TextRow[],
  widths: readonly number[],
  rightAt: (cols: number) => number,
): number | null {
  if (chunk.length < 2) return null
  const measured = chunk.map(({ text }) => ({ text, width: displayWidth(text) }))
  const widest = Math.max(...measured.map(row => row.width))
  let best: number | null = null
  let most = -1
  for (const cols of new Set(widths)) {
    if (widest > rightAt(cols)) continue
    const room = { right: rightAt(cols), left: 0 }
    const full = measured.filter((row, index) => {
      const below = measured[index + 1]
      return below !== undefined && isContinuation(row, below, room)
    }).length
    if (full > most) {
      most = full
      best = cols
    }
  }
  return best
}

const ITEM = /^\s*(?:⎿\s*)?(?<mark>\[[ xX~]\]|[☐◻□○☑☒✔✓◼■◐▣▪])\s+(?<text>\S.*)$/u

/** Task rows as items; a row without a mark continues the one above. */
function readTodo(lines: readonly string[]): TodoItem[] {
  const items: TodoItem[] = []
  for (const line of lines) {
    const match = ITEM.exec(line)
    if (match) items.push({ text: match.groups!.text!.trim(), status: statusOf(match.groups!.mark!) })
    else if (items.length > 0 && line.trim() !== '') items.at(-1)!.text += ` ${line.trim()}`
  }
  return items
}

function statusOf(mark: string): TodoItem['status'] {
  if (/[xX☑☒✔✓■]/u.test(mark)) return 'done'
  return /[◼◐▣▪~]/u.test(mark) ? 'in_progress' : 'open'
}
