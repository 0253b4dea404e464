import type { BlockContent } from './block.js'
import { isBlankRow, type ProseRow } from './prose-row.js'

export type DiffLine = Extract<BlockContent, { kind: 'diff' }>['lines'][number]

const NUMBERED = /^\s*(?<number>\d{1,6})(?: (?<sign>[+-])|(?<sign2>[+-])| {2}|\s*$)(?<text>.*)$/u
const HUNK = /^\s*@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/u
const OLD_FILE = /^\s*--- \S/u
const NEW_FILE = /^\s*\+\+\+ \S/u

/** Unchanged rows between two changes; with more of them it is not one diff. */
const CONTEXT_ROWS = 12

/**
 * The last row of a diff that starts here, or -1. A diff is recognised by its hunk header, by its
 * file header, or by numbers, signs and colours.
 */
export function diffEnd(rows: readonly ProseRow[], at: number): number {
  if (startsPatch(rows, at)) return patchEnd(rows, at)
  return numberedEnd(rows, at)
}

function startsPatch(rows: readonly ProseRow[], at: number): boolean {
  const text = rows[at]!.text
  if (HUNK.test(text)) return true
  return OLD_FILE.test(text) && NEW_FILE.test(rows[at + 1]?.text ?? '')
}

/** A patch continues with a sign, a header or the blank of a context line at its indent. */
function patchEnd(rows: readonly ProseRow[], at: number): number {
  const { indent } = rows[at]!
  let end = at
  for (let next = at + 1; next < rows.length; next++) {
    const row = rows[next]!
    if (isBlankRow(row)) {
      // An empty context line has more of the patch after it.
      const after = rows[next + 1]
      if (after && isPatchRow(after, indent) && after.indent > indent) continue
      break
    }
    if (!isPatchRow(row, indent)) break
    end = next
  }
  return end
}

function isPatchRow(row: ProseRow, indent: number): boolean {
  if (row.indent > indent) return true
  return row.indent === indent && /^[+\-@\\]|^diff |^index /u.test(row.text.slice(indent))
}

function numberedEnd(rows: readonly ProseRow[], at: number): number {
  let end = at - 1
  let signed = 0
  let unsigned = 0
  while (unsigned <= CONTEXT_ROWS && end + 1 < rows.length && NUMBERED.test(rows[end + 1]!.text)) {
    const row = rows[++end]!
    if (/^\s*\d+ ?[+-]/u.test(row.text) && (isColoured(row) || countsOn(rows[end - 1], row))) {
      signed++
      unsigned = 0
    } else unsigned++
  }
  return signed >= 2 || (signed === 1 && end > at) ? end : -1
}

/** Changed lines have a colour of their own in every theme that has any. */
function isColoured({ row, from }: ProseRow): boolean {
  return row.spans.some(span => span.x + span.width > from && span.text.trim() !== '' && (span.fg ?? span.bg) !== null)
}

/** Without colours: the line number follows that of the row above, or repeats it. */
function countsOn(above: ProseRow | undefined, row: ProseRow): boolean {
  const number = ({ text }: ProseRow) => Number(NUMBERED.exec(text)?.groups?.number ?? Number.NaN)
  return above !== undefined && (number(row) === number(above) || number(row) === number(above) + 1)
}

export function readDiff(rows: readonly ProseRow[]): BlockContent {
  const isPatch = rows.some(row => HUNK.test(row.text) || OLD_FILE.test(row.text))
  if (isPatch) {
    const { indent } = rows[0]!
    return { kind: 'diff', lines: rows.map(row => patchLine(row.text.slice(indent).trimEnd())) }
  }
  return { kind: 'diff', lines: rows.map(row => numberedLine(row.text)) }
}

export function patchLine(line: string): DiffLine {
  const sign = /^[+\-@]/u.test(line) ? (line[0] as DiffLine['sign']) : ' '
  return { sign, number: null, text: sign === ' ' ? line.replace(/^ /u, '') : line.slice(1) }
}

function numberedLine(line: string): DiffLine {
  const { number, sign, sign2, text } = NUMBERED.exec(line)!.groups!
  return { sign: ((sign ?? sign2) as '+' | '-' | undefined) ?? ' ', number: Number(number), text: text!.trimEnd() }
}
