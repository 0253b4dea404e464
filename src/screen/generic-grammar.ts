import type { RowBlock, RowRole } from './grammar.js'
import type { ScreenBlockKind } from './pack/pack.js'
import { isBlank, type ScreenRow } from './screen-row.js'
import { isWarning } from './style-match.js'

/*
 * Blocks of an agent that no pack describes. Agents agree on more than their looks suggest: a block begins with a mark (a symbol and a
 * blank) at the left edge and goes on indented; what a person wrote carries the mark of the input box, or a background of its own; what a
 * tool printed hangs on the call below it behind a corner or a gutter. Where nothing of this shows, paragraphs are prose.
 */
const MARK = /^(?<indent>\s{0,2})(?<glyph>[^\p{L}\p{N}\s"'`([{<\\/@#$.,;:─━│┃╭╮╰╯┌┐└┘▄▀█▌▐-])\s+(?=\S)/u
const CORNER = /^\s{1,4}[⎿└╰├│┆┊┃↳]\s/u
const PROMPT = /^\s{0,2}[❯›>▷»➜▶]\s+\S/u
const CALL = /^\s{0,3}\S?\s*(?:[A-Z][\w]{1,20}\(|\$ |[a-z_]{3,30}\()/u

/** What a row begins that carries no mark the pack knows. */
export function unmarkedKind(
  row: ScreenRow,
  next: ScreenRow | undefined,
  isPrompt: (row: ScreenRow) => boolean,
): ScreenBlockKind {
  if (isPrompt(row)) return 'user'
  if (CORNER.test(row.text)) return 'tool_result'
  return MARK.test(row.text) && isCall(row, next) ? 'tool_call' : 'prose'
}

/** `$ npm test` behind a corner is the command that was called; what it prints comes instead of it, or below. */
export function isCommandOnly(rows: readonly ScreenRow[]): boolean {
  return /^\s{1,4}[⎿└╰├↳]\s+\$ \S/u.test(rows[0]?.text ?? '') && rows.slice(1).every(row => row.indent > 5)
}

/** A row that begins nothing by itself. */
export function isUnmarked(row: ScreenRow): boolean {
  return !MARK.test(row.text) && !CORNER.test(row.text) && !hasBackground(row)
}

export function genericBlocks(rows: readonly ScreenRow[], roleOf: (row: ScreenRow) => RowRole | null): RowBlock[] {
  const blocks: RowBlock[] = []
  let current: RowBlock | null = null
  let indent = 0
  let blanks = 0
  const begin = (kind: ScreenBlockKind, index: number, at: number) => {
    current = { kind, spec: null, first: index, last: index, isRunning: false }
    indent = at
    blocks.push(current)
  }
  rows.forEach((row, index) => {
    if (isBlank(row)) {
      blanks++
      return
    }
    if (roleOf(row)) return
    const isPrompt = PROMPT.test(row.text) || hasBackground(row)
    if (isPrompt || !isUnmarked(row))
      begin(
        unmarkedKind(row, rows[index + 1], () => isPrompt),
        index,
        row.indent,
      )
    else if (current && blanks <= 1 && row.indent > indent) current.last = index
    else if (current && blanks === 0) current.last = index
    else begin('prose', index, row.indent)
    blanks = 0
  })
  return mergeResults(blocks)
}

function isCall(row: ScreenRow, next: ScreenRow | undefined): boolean {
  return CALL.test(row.text) || (next !== undefined && !isBlank(next) && CORNER.test(next.text))
}

/** A whole block in a colour of warning, where everything else that is said has none: nothing that an answer looks like. */
export function isAlarm(rows: readonly ScreenRow[], { first, last }: RowBlock): boolean {
  return rows
    .slice(first, last + 1)
    .every(row => isBlank(row) || row.spans.every(span => span.text.trim() === '' || isWarning(span.fg)))
}

/** A row that is filled with a colour from the left edge on. */
function hasBackground(row: ScreenRow): boolean {
  const first = row.spans.find(span => span.text.trim() !== '')
  return (
    first !== undefined && first.bg !== null && row.spans.every(span => span.bg === first.bg || span.text.trim() === '')
  )
}

/** Rows behind one gutter are one result. */
function mergeResults(blocks: readonly RowBlock[]): RowBlock[] {
  const merged: RowBlock[] = []
  for (const block of blocks) {
    const above = merged.at(-1)
    if (
      above?.kind === block.kind &&
      (block.kind === 'tool_result' || block.kind === 'user') &&
      block.first === above.last + 1
    )
      above.last = block.last
    else merged.push({ ...block })
  }
  return merged
}
