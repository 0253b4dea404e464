import { displayWidth } from '../../text/index.js'
import type { BlockContent } from './block.js'
import { diffEnd, patchLine } from './diff.js'
import { LIST_MARK } from './list.js'
import { isBlankRow, type ProseRow, type ProseStyle, roomOf } from './prose-row.js'
import { tableEnd } from './table.js'
import { lastWord } from './unwrap.js'

/*
 * Code on a screen has lost its fences; only its colours are left. Rows without a blank row between
 * them are code if one of them has two colours that plain text does not have, if all of them are
 * coloured, or if all text is in the colour of inline code (a fence without a language). Blank rows
 * between two such parts belong to the code. Without any colours (NO_COLOR, a language that the
 * agent does not know) the characters decide, and only when most of the rows agree.
 */

/** Blank rows that code may contain. */
const BLANK_ROWS = 2
const FENCE = /^\s*(?<ticks>`{3,}|~{3,})\s*(?<language>[\w+#.-]*)\s*$/u
const GUTTER = /^\s*(?<number>\d{1,5})(?:$|\s(?<code>.*)$)/u
const CODE_END = /[{};]$|[({[,]$|^\s*[)}\]]+[;,)]*$|=>$/u
const CODE_START =
  /^\s*(?:\/\/|\/\*|\*\/|#include|#!|import |from \S+ import |export |const |let |var |function |class |def |return\b|if \(|for \(|while \(|\$ \S)/u
/** These start a new line: a row that starts with one does not continue the row above. */
const STATEMENT =
  /^(?:import|export|const|let|var|function|class|def|return|if|for|while|else|try|type|interface|from|use|fn|pub|struct|#|\/\/)(?![\w-])/u
/** A row shorter than the width by this much was not wrapped for a long word. */
const WRAP_GAP_MAX_CELLS = 24

export function codeEnd(rows: readonly ProseRow[], at: number, style: ProseStyle): number {
  const fenced = fenceEnd(rows, at, style)
  if (fenced >= 0) return fenced
  const numbered = gutterEnd(rows, at)
  if (numbered >= 0) return numbered
  let end = chunkEnd(rows, at)
  if (!isCode(rows.slice(at, end + 1), style)) return -1
  for (let next = end + 1; next <= end + 1 + BLANK_ROWS && next < rows.length; next++) {
    if (isBlankRow(rows[next]!)) continue
    if (tableEnd(rows, next) >= 0 || diffEnd(rows, next) >= 0) break
    const last = chunkEnd(rows, next)
    const chunk = rows.slice(next, last + 1)
    if (!isCode(chunk, style) && !isDeeper(chunk, rows[at]!)) break
    end = last
    next = end
  }
  return end
}

/** Rows up to the next blank one. */
function chunkEnd(rows: readonly ProseRow[], at: number): number {
  let end = at
  while (end + 1 < rows.length && !isBlankRow(rows[end + 1]!)) end++
  return end
}

function fenceEnd(rows: readonly ProseRow[], at: number, style: ProseStyle): number {
  const open = FENCE.exec(rows[at]!.text)
  if (!open) return -1
  const ticks = open.groups!.ticks!
  const close = rows.findIndex((row, index) => index > at && row.text.trim().startsWith(ticks) && FENCE.test(row.text))
  if (close >= 0) return close
  return style.isOpen ? rows.length - 1 : -1
}

/** Numbered rows, counting up; numbers have their own style, or there are several. */
function gutterEnd(rows: readonly ProseRow[], at: number): number {
  const first = GUTTER.exec(rows[at]!.text)
  if (!first) return -1
  const right = numberEnd(rows[at]!.text)
  let end = at
  let count = Number(first.groups!.number)
  for (let next = at + 1; next < rows.length; next++) {
    const number = GUTTER.exec(rows[next]!.text)?.groups?.number
    const isNext = number !== undefined && numberEnd(rows[next]!.text) === right && Number(number) === count + 1
    // A long line continues below its own text.
    const isWrapped = number === undefined && rows[next]!.indent > right
    if (!isNext && !isWrapped) break
    if (isNext) count++
    end = next
  }
  const { row, from } = rows[at]!
  const number = row.spans.find(span => span.text.trim() !== '' && span.x + span.width > from)
  const isOwnSpan = number !== undefined && number.text.trim() === first.groups!.number && number.fg !== null
  return end > at || isOwnSpan ? end : -1
}

function numberEnd(text: string): number {
  return text.search(/\d(?!\d)/u)
}

function isCode(chunk: readonly ProseRow[], style: ProseStyle): boolean {
  if (chunk.every(row => row.colours.isInlineCode || row.colours.hasBackground)) return true
  // The bar of a quote and its text may each have a colour.
  if (chunk.every(row => /^\s*[▎▌│┃] /u.test(row.text))) return false
  // Several rows in one colour that the body does not have are quoted literally, even if they look
  // like a list or a sentence.
  if (chunk.length > 1 && chunk.every(row => row.colours.isWhole && row.colours.syntax === 1)) return true
  const coloured = chunk.filter(row => row.colours.syntax > 0)
  const strong = coloured.filter(row => row.colours.syntax >= 2 && !LIST_MARK.test(row.text))
  if (strong.length > 0) return strong.includes(chunk[0]!) || !isSentence(chunk[0]!.text)
  if (LIST_MARK.test(chunk[0]!.text) || isQuote(chunk[0]!.text) || chunk.some(row => isSentence(row.text))) return false
  if (coloured.length === chunk.length && (chunk.every(row => row.colours.isWhole) || !style.pack.byStructure))
    return true
  return coloured.length === 0 && looksLikeCode(chunk)
}

/** One colour in a sentence is an emphasis that the pack does not know. */
function isSentence(text: string): boolean {
  return (
    /^\s*\p{Lu}/u.test(text) && /[\p{L}\d)”"'][:.?!,]$/u.test(text.trimEnd()) && text.trim().split(/\s+/u).length >= 3
  )
}

function isQuote(text: string): boolean {
  return /^\s*(?:▎|│|>)\s/u.test(text)
}

/**
 * Without colours: most of the rows start or end as only code does; a single row must do both.
 */
function looksLikeCode(chunk: readonly ProseRow[]): boolean {
  if (chunk.length < 2) return chunk.every(({ text }) => CODE_END.test(text.trimEnd()) && CODE_START.test(text))
  const like = chunk.filter(({ text }) => CODE_END.test(text.trimEnd()) || CODE_START.test(text))
  return like.length >= Math.max(2, chunk.length * 0.6)
}

function isDeeper(chunk: readonly ProseRow[], first: ProseRow): boolean {
  return chunk.every(row => row.indent > first.indent)
}

export function readCode(rows: readonly ProseRow[], style: ProseStyle): BlockContent {
  const fence = FENCE.exec(rows[0]!.text)
  if (fence) {
    const isClosed = rows.length > 1 && FENCE.test(rows.at(-1)!.text)
    return withLanguage(linesOf(rows.slice(1, isClosed ? -1 : undefined), style), fence.groups!.language!)
  }
  const gutter = gutterEnd(rows, 0) === rows.length - 1 ? numberEnd(rows[0]!.text) + 1 : 0
  return withLanguage(gutter > 0 ? gutterLines(rows, gutter, style) : linesOf(rows, style), '')
}

/** A fenced patch is a diff, whatever its colours. */
function withLanguage(lines: string[], language: string): BlockContent {
  const isDiff =
    language === 'diff' || language === 'patch' || lines.some(line => /^@@ -\d+(?:,\d+)? \+\d+/u.test(line))
  return isDiff ? { kind: 'diff', lines: lines.map(patchLine) } : { kind: 'code', language, lines }
}

function linesOf(rows: readonly ProseRow[], style: ProseStyle): string[] {
  const indents = rows.filter(row => !isBlankRow(row)).map(row => row.indent)
  const base = indents.length === 0 ? 0 : Math.min(...indents)
  const lines: string[] = []
  rows.forEach((row, index) => {
    const above = rows[index - 1]
    const text = row.text.slice(base).trimEnd()
    const between = above && index > 0 ? codeSeparator(above, row, base, style) : null
    if (between === null) lines.push(text)
    else lines[lines.length - 1] += between + text
  })
  return lines
}

/** A line of code that was too long continues at the left edge of the block. */
function codeSeparator(above: ProseRow, below: ProseRow, base: number, style: ProseStyle): string | null {
  if (below.indent !== base || isBlankRow(above)) return null
  const { right, left } = roomOf(above, style, above.from + base)
  const word = /^\s*(\S+)/u.exec(below.text)![1]!
  if (above.width + 1 + displayWidth(word) <= right || above.width < right - WRAP_GAP_MAX_CELLS) return null
  if (above.width >= right && displayWidth(lastWord(above.text)) + displayWidth(word) > right - left) return ''
  return STATEMENT.test(word) ? null : ' '
}

function gutterLines(rows: readonly ProseRow[], gutter: number, style: ProseStyle): string[] {
  const lines: string[] = []
  for (const [index, row] of rows.entries()) {
    const isNumbered = GUTTER.test(row.text) && numberEnd(row.text) + 1 === gutter
    const code = row.text.slice(gutter + 1).trimEnd()
    if (isNumbered || lines.length === 0) lines.push(code)
    else {
      const above = rows[index - 1]!
      lines[lines.length - 1] += above.width >= style.rightOf(above.row) ? code : ` ${code.trimStart()}`
    }
  }
  return lines
}
