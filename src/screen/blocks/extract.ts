import type { Row } from '../../terminal/index.js'
import { genericBlocks } from '../generic-grammar.js'
import { chromeRows, panelRows, type RowBlock, splitBlocks, terminatorOf } from '../grammar.js'
import type { Pack } from '../pack/pack.js'
import { toScreenRow } from '../screen-row.js'
import { toolOf } from '../tool.js'
import type { Block, BlockContent, InlineRun, ListItem } from './block.js'
import { inlineRuns, mergeRuns } from './inline.js'
import { LIST_MARK, type RowKind, rowKind } from './row-kind.js'
import { parseDiff, parseTable } from './structured.js'
import { isContinuation, joint } from './unwrap.js'

/** Rows of one turn → its blocks, the same code while it streams and when it has ended. */
export function extractBlocks(rows: readonly Row[], options: { pack: Pack; cols: number; turn: string; isOpen: boolean }): Block[] {
  const { pack } = options
  const textWidth = pack.text.width.from === 'fixed' ? pack.text.width.width : options.cols - pack.text.width.minus
  const seen = rows.map((row, index) => toScreenRow(row, index))
  const chrome = chromeRows(seen, pack)
  const panels = panelRows(seen, pack)
  const roleOf = (row: (typeof seen)[number]) => (chrome.has(row.index) || panels.has(row.index) ? 'chrome' : terminatorOf(row, pack) ? 'terminator' : null)
  const blocks: Block[] = []
  const add = (content: BlockContent, first: Row, last: Row) => {
    blocks.push({
      id: `${options.turn}.${blocks.length}`,
      rows: [first.id, last.id],
      provisional: false,
      missing: false,
      source: 'screen',
      ...content,
    })
  }
  const split = pack.blocks.length === 0 ? genericBlocks(seen, roleOf) : splitBlocks(seen, pack, roleOf)
  for (const rowBlock of split) {
    const part = rows.slice(rowBlock.first, rowBlock.last + 1)
    for (const { content, first, last } of readRowBlock(rowBlock, part, pack, textWidth)) add(content, part[first]!, part[last]!)
  }
  const newest = blocks.at(-1)
  if (newest && options.isOpen) newest.provisional = true
  return blocks
}

interface Piece {
  content: BlockContent
  first: number
  last: number
}

function readRowBlock(block: RowBlock, rows: readonly Row[], pack: Pack, textWidth: number): Piece[] {
  const strip = block.spec?.strip ?? 0
  const whole = (content: BlockContent): Piece[] => [{ content, first: 0, last: rows.length - 1 }]
  const lines = () => rows.map(row => row.text.slice(strip).trimEnd())
  switch (block.kind) {
    case 'tool_call':
      return whole({ kind: 'tool_call', tool: toolOf(lines().join(' ')) })
    case 'tool_result':
      return whole({ kind: 'tool_result', lines: lines(), ok: block.spec?.failed?.test(rows[0]!.text) ? false : null })
    case 'user':
    case 'thought':
    case 'notice':
    case 'error':
      return whole({ kind: block.kind, text: lines().join('\n').trim() })
    default:
      return readProse(rows, strip, pack, textWidth)
  }
}

interface ProseRow {
  row: Row
  text: string
  kind: RowKind
  index: number
}

function readProse(rows: readonly Row[], strip: number, pack: Pack, textWidth: number): Piece[] {
  const read = rows.map((row, index): ProseRow => {
    const text = row.text.slice(strip)
    return { row, text, index, kind: rowKind(row, text, strip, pack) }
  })
  const pieces: Piece[] = []
  for (let at = 0; at < read.length; ) {
    const start = read[at]!
    if (start.kind === 'blank') {
      at++
      continue
    }
    const end = runEnd(read, at, textWidth)
    pieces.push({ content: contentOf(start.kind, read.slice(at, end + 1), strip, pack, textWidth), first: at, last: end })
    at = end + 1
  }
  return pieces
}

/** Index of the last row that belongs to the piece which begins at `at`. */
function runEnd(rows: readonly ProseRow[], at: number, textWidth: number): number {
  const { kind } = rows[at]!
  let end = at
  for (let next = at + 1; next < rows.length; next++) {
    const row = rows[next]!
    const above = rows[next - 1]!
    if (kind === 'code') {
      // Uncoloured rows between two code rows (blank lines, lone brackets) belong to the code.
      if (row.kind === 'code') end = next
      else if (next - end > 2 || !(row.kind === 'blank' || isBracketRow(row.text))) break
      else if (isBracketRow(row.text)) end = next
      continue
    }
    if (kind === 'list') {
      const goesOn = row.kind === 'list' || (row.kind !== 'blank' && /^\s{2,}\S/.test(row.text)) || (row.kind === 'blank' && rows[next + 1]?.kind === 'list')
      if (!goesOn) break
      end = next
      continue
    }
    if (kind === 'text') {
      if (row.kind !== 'text' || !isContinuation(measure(above), { text: row.text, wrapped: row.row.wrapped }, textWidth)) break
      end = next
      continue
    }
    if (kind === 'heading' || row.kind !== kind) break
    end = next
  }
  return end
}

function isBracketRow(text: string): boolean {
  return /^\s*[{}()[\];,]+\s*$/.test(text)
}

function measure({ row, text }: ProseRow): { width: number; text: string } {
  return { width: row.width, text }
}

function contentOf(kind: RowKind, rows: readonly ProseRow[], strip: number, pack: Pack, textWidth: number): BlockContent {
  switch (kind) {
    case 'table':
      return parseTable(rows.map(({ row }) => row), strip, pack)
    case 'diff':
      return parseDiff(rows.map(({ text }) => text))
    case 'code':
      return { kind: 'code', language: '', lines: dedent(rows.map(({ text }) => text.trimEnd())) }
    case 'list':
      return { kind: 'list', items: readList(rows, strip, pack, textWidth) }
    case 'heading':
      return { kind: 'prose', variant: 'heading', runs: inlineRuns(rows[0]!.row, strip, pack).map(({ bold: _, ...run }) => run) }
    case 'quote':
      return { kind: 'prose', variant: 'quote', runs: joinRows(rows, strip + 2, pack, textWidth) }
    default:
      return { kind: 'prose', variant: 'paragraph', runs: joinRows(rows, strip, pack, textWidth) }
  }
}

function joinRows(rows: readonly ProseRow[], from: number, pack: Pack, textWidth: number): InlineRun[] {
  const runs: InlineRun[] = []
  rows.forEach((row, index) => {
    const own = inlineRuns(row.row, from, pack)
    if (own.length > 0) own[0] = { ...own[0]!, text: own[0]!.text.trimStart() }
    const above = rows[index - 1]
    if (above) runs.push({ text: joint(measure(above), { text: row.text, wrapped: row.row.wrapped }, textWidth) })
    runs.push(...own)
  })
  return mergeRuns(runs.filter(run => run.text !== ''))
}

function readList(rows: readonly ProseRow[], strip: number, pack: Pack, textWidth: number): ListItem[] {
  const items: { item: ListItem; rows: ProseRow[]; from: number }[] = []
  for (const row of rows) {
    const match = LIST_MARK.exec(row.text)
    if (match) {
      const { indent, number, check } = match.groups!
      const item: ListItem = {
        depth: Math.floor(indent!.length / 2),
        number: number === undefined ? null : Number(number),
        checked: check === undefined ? null : /[xX✔☑☒]/u.test(check),
        runs: [],
      }
      items.push({ item, rows: [row], from: strip + match[0].length })
    } else if (row.kind !== 'blank') items.at(-1)?.rows.push(row)
  }
  return items.map(({ item, rows: own, from }) => ({ ...item, runs: joinRows(own, from, pack, textWidth) }))
}

function dedent(lines: readonly string[]): string[] {
  const indents = lines.filter(line => line.trim() !== '').map(line => line.length - line.trimStart().length)
  const common = indents.length === 0 ? 0 : Math.min(...indents)
  return lines.map(line => line.slice(common))
}
