import type { BlockContent } from './block.js'
import { codeEnd, readCode } from './code.js'
import { diffEnd, readDiff } from './diff.js'
import { inlineRuns, mergeRuns } from './inline.js'
import { listEnd, listMark, readList } from './list.js'
import { isBlankRow, joinRows, type ProseRow, type ProseStyle, separatorOf, spansFrom } from './prose-row.js'
import { isEmphasised } from './row-style.js'
import { readTable, tableEnd } from './table.js'

/** The content of a block and the rows that it was read from, first and last. */
export interface Piece {
  content: BlockContent
  first: number
  last: number
}

const QUOTE = /^\s*(?:▎|▌|│|┃|>)(?: |$)/u
const HEADING_MARK = /^#{1,6} +(?=\S)/u

/** Splits an answer into blocks: the first kind that matches a row sets the end. */
export function readProse(rows: readonly ProseRow[], style: ProseStyle): Piece[] {
  const pieces: Piece[] = []
  for (let at = 0; at < rows.length; ) {
    if (isBlankRow(rows[at]!)) {
      at++
      continue
    }
    const piece = readPiece(rows, at, style)
    pieces.push(piece)
    at = piece.last + 1
  }
  return pieces
}

function readPiece(rows: readonly ProseRow[], at: number, style: ProseStyle): Piece {
  const upTo = (last: number, read: (own: readonly ProseRow[]) => BlockContent): Piece => ({
    content: read(rows.slice(at, last + 1)),
    first: at,
    last,
  })
  const table = tableEnd(rows, at)
  if (table >= 0) return upTo(table, own => readTable(own, style))
  const diff = diffEnd(rows, at)
  if (diff >= 0) return upTo(diff, readDiff)
  const code = codeEnd(rows, at, style)
  if (code >= 0) return upTo(code, own => readCode(own, style))
  if (listMark(rows[at]!.text))
    return upTo(listEnd(rows, at, style), own => ({ kind: 'list', items: readList(own, style) }))
  if (QUOTE.test(rows[at]!.text)) return upTo(quoteEnd(rows, at), own => readQuote(own, style))
  if (isHeading(rows, at)) return upTo(at, own => readHeading(own[0]!, style))
  return upTo(paragraphEnd(rows, at, style), own => ({
    kind: 'prose',
    variant: 'paragraph',
    runs: joinRows(own, () => 0, style),
  }))
}

function quoteEnd(rows: readonly ProseRow[], at: number): number {
  let end = at
  while (end + 1 < rows.length && QUOTE.test(rows[end + 1]!.text)) end++
  return end
}

function readQuote(rows: readonly ProseRow[], style: ProseStyle): BlockContent {
  const bare = rows.map(row => ({ ...row, text: row.text.replace(QUOTE, mark => ' '.repeat(mark.length)) }))
  const runs = joinRows(bare, (_, index) => rows[index]!.text.match(QUOTE)![0].length, style)
  const isAllItalic = runs.every(run => run.italic || run.text.trim() === '')
  // Some agents draw quotes in italics: then italics are not an emphasis.
  return {
    kind: 'prose',
    variant: 'quote',
    runs: isAllItalic ? mergeRuns(runs.map(({ italic: _, ...run }) => run)) : runs,
  }
}

function isHeading(rows: readonly ProseRow[], at: number): boolean {
  const { row, from, text } = rows[at]!
  const below = rows[at + 1]
  return isEmphasised(row, from) && !/[.,;]$/u.test(text.trimEnd()) && (below === undefined || isBlankRow(below))
}

function readHeading(row: ProseRow, style: ProseStyle): BlockContent {
  const mark = HEADING_MARK.exec(row.text.trimStart())?.[0].length ?? 0
  const runs = inlineRuns(spansFrom(row, row.indent + mark), style.body)
  const isAllItalic = runs.every(run => run.italic || run.code)
  // A style of the whole row is that of the heading, not an emphasis.
  return {
    kind: 'prose',
    variant: 'heading',
    runs: runs.map(({ bold: _, italic, ...run }) => ({ ...run, ...(italic && !isAllItalic && { italic }) })),
  }
}

/** A paragraph ends at a blank row, or where a row starts something else. */
function paragraphEnd(rows: readonly ProseRow[], at: number, style: ProseStyle): number {
  let end = at
  for (let next = at + 1; next < rows.length; next++) {
    const row = rows[next]!
    if (isBlankRow(row) || tableEnd(rows, next) >= 0 || diffEnd(rows, next) >= 0 || /^\s*(?:```|~~~)/u.test(row.text))
      break
    const isWrapped = separatorOf(rows[next - 1]!, row, style) !== null && row.indent === rows[at]!.indent
    if (!isWrapped && (listMark(row.text) || QUOTE.test(row.text))) break
    if (row.colours.syntax >= 2 && codeEnd(rows, next, style) >= 0) break
    end = next
  }
  return end
}
