import type { Span } from '../terminal/index.js'
import { displayWidth, graphemes } from '../text/index.js'
import { isCornerPrompt, namedPromptWidth } from './find-composer.js'
import type { Composer } from './observation.js'
import type { Region } from './region.js'
import { isBlank, type ScreenRow } from './screen-row.js'
import { isFaint } from './style-match.js'

/** A gutter, or the lower left corner as the prompt. */
const GUTTER = /^\s*(?:[│┃]|[╰└][─━]{1,2}(?=[\s\u00a0]|$))/u
/** Any symbol that is not on a keyboard, and the few on it that agents draw: `- ` begins a text. */
const GLYPH = /^(?:[!$%*>]|[^\p{L}\p{N}\s\u0021-\u007e])(?:[\s\u00a0]|$)/u
/** A block character with a blank, a placeholder or nothing after it. */
const DRAWN_CURSOR = /[▉▊▋▌▍▎▏█](?=[\s\p{L}"]|$)/u
const EDGE = /[─━═▔▁▄▀]{3}/u
/** Zero-width characters that some boxes draw under their cursor; they are not typed text. */
const INVISIBLE = /[\u200b\u2060\ufeff]/gu
/** `[Pasted text #1 +40 lines]`, `[Paste #1 - 40 lines]`, `[line 1 of… Pasted +40 lines]`. */
const PASTE_MARK = /\[[^\]]*\bpasted?\b[^\]]*(?:\]|$)/giu

/** How many long texts an agent shows as a mark instead of their words. */
export function countPasteMarks(text: string): number {
  return text.match(PASTE_MARK)?.length ?? 0
}

export interface ReadComposerOptions {
  /** Rows in the box that are neither draft nor placeholder. */
  ignore?: RegExp | null
  /** The hardware cursor, if it is visible. */
  cursor?: { x: number; y: number } | null
  /** No pack describes the box: its glyph may be below an empty row. */
  isGuessed?: boolean
}

/**
 * Reads the input box: its text, and whether that is a draft or a placeholder. The cursor
 * distinguishes them in every theme: it is before a placeholder and after what was typed, also in
 * the rows above. Where none is visible, a placeholder is fainter than the other text. The cell
 * under a drawn cursor belongs to neither.
 */
export function readComposer(
  rows: readonly ScreenRow[],
  box: Region,
  { ignore = null, cursor = null, isGuessed = false }: ReadComposerOptions = {},
): Composer {
  const isCorner = isCornerPrompt(rows[box.last]!.text)
  const body = rows.slice(box.first, box.last + 1).filter((row, index, all) => {
    const isEdge =
      (index === 0 && (isCorner || EDGE.test(row.text))) ||
      (index === all.length - 1 && !isCorner && EDGE.test(row.text))
    return !isEdge && !ignore?.test(row.text)
  })
  if (isGuessed && cursor) body.splice(endOfDraft(body, cursor.y))
  let placeholder = ''
  let isShell = false
  const lines: string[] = []
  const top = isGuessed
    ? Math.max(
        0,
        body.findIndex(row => !isEmpty(row.text)),
      )
    : 0
  const starts = body.map((row, index) => textStart(row, index === top))
  const cursors = body.map((row, index) => (cursor?.y === row.index ? cursor.x : drawnCursor(row, starts[index]!.text)))
  const typedTo = body.findLastIndex(
    (row, index) => cursors[index] !== null && !isEmpty(textBefore(row, starts[index]!.text, cursors[index]!)),
  )
  body.forEach((row, index) => {
    const start = starts[index]!
    if (index === top && row.text[start.glyph] === '!') isShell = true
    const at = cursors[index]!
    const parts =
      index < typedTo
        ? { plain: textBefore(row, start.text, Number.POSITIVE_INFINITY), dim: '' }
        : at === null
          ? splitByDimness(row, start.text)
          : splitAtCursor(row, start.text, at)
    lines.push(withoutRightEdge(row, parts.plain).trimEnd())
    if (placeholder === '') placeholder = parts.dim.replace(/[│┃]\s*$/u, '').trim()
  })
  const draft = lines.join('\n').replace(INVISIBLE, '').replace(/\n+$/, '').trim()
  return {
    empty: draft === '',
    draft,
    placeholder: draft === '' ? placeholder : '',
    shell: isShell,
    pasted: countPasteMarks(draft),
    queued: [],
    completion: null,
    rows: [box.first, box.last],
  }
}

/** Below the cursor, an empty row separates the draft from what the box says about itself. */
function endOfDraft(body: readonly ScreenRow[], cursorRow: number): number {
  const at = body.findIndex(row => row.index >= cursorRow)
  const gap = at < 0 ? -1 : body.findIndex((row, index) => index > at && isEmpty(row.text))
  return gap < 0 ? body.length : gap
}

/** A framed box has its edge on both sides. */
function withoutRightEdge(row: ScreenRow, text: string): string {
  return GUTTER.test(row.text) ? text.replace(/[│┃║]\s*$/u, '') : text
}

/** The columns of the prompt glyph and of the text after it; gutters and indents are skipped. */
function textStart(row: ScreenRow, isFirst: boolean): { glyph: number; text: number } {
  const gutter = GUTTER.exec(row.text)?.[0].length ?? 0
  const inner = row.text.slice(gutter)
  const indent = inner.length - inner.trimStart().length
  if (!isFirst) return { glyph: -1, text: gutter + Math.min(indent, 2) }
  const named = namedPromptWidth(row.text)
  if (named > 0) return { glyph: -1, text: named }
  const glyph = GLYPH.exec(inner.trimStart())
  return glyph
    ? { glyph: gutter + indent, text: gutter + indent + glyph[0].length }
    : { glyph: -1, text: gutter + Math.min(indent, 2) }
}

/** The column of a cursor that the program draws itself: one inverse cell, or a block character. */
function drawnCursor(row: ScreenRow, start: number): number | null {
  const inverse = row.spans.find(span => span.inverse && span.width === 1 && span.x >= start)?.x
  if (inverse !== undefined) return inverse
  const block = row.text.slice(start).search(DRAWN_CURSOR)
  return block < 0 ? null : displayWidth(row.text.slice(0, start + block))
}

/** Text left of the cursor was typed; faint text right of it is a suggestion. */
function splitAtCursor(row: ScreenRow, start: number, at: number): { plain: string; dim: string } {
  let typed = ''
  let rest = ''
  let suggested = ''
  let isColoured = true
  for (const span of row.spans) {
    const before = cellsOf(span, start, at)
    const after = cellsOf(span, Math.max(start, at), Number.POSITIVE_INFINITY)
    typed += before
    if (isFaint(span, row) || (span.inverse && span.width === 1)) suggested += after
    else {
      rest += after
      if (after.trim() !== '' && span.fg === null) isColoured = false
    }
  }
  rest = rest.replace(DRAWN_CURSOR, '')
  suggested = suggested.replace(DRAWN_CURSOR, '')
  if (!isEmpty(typed)) return { plain: typed + (isEmpty(rest) ? rest : suggested + rest), dim: '' }
  // Nothing was typed: words in a colour are a placeholder of a theme without grey.
  if (isEmpty(rest) || isColoured) return { plain: '', dim: suggested + rest }
  return { plain: suggested + rest, dim: '' }
}

/** Nearly every draft: there is nothing to segment. */
const ONE_CELL_EACH = /^[ -~]*$/

function textBefore({ spans }: ScreenRow, start: number, column: number): string {
  return spans.map(span => cellsOf(span, start, column)).join('')
}

/**
 * The characters of a span in these columns; wide characters stay with the column they start in.
 */
function cellsOf(span: Span, from: number, to: number): string {
  if (span.x >= from && span.x + span.width <= to) return span.text
  if (span.x >= to || span.x + span.width <= from) return ''
  if (ONE_CELL_EACH.test(span.text)) return span.text.slice(Math.max(0, from - span.x), to - span.x)
  let x = span.x
  let text = ''
  for (const character of graphemes(span.text)) {
    if (x >= from && x < to) text += character
    x += displayWidth(character)
  }
  return text
}

function isEmpty(text: string): boolean {
  return text.replace(/[│┃\s\u00a0]/gu, '') === ''
}

/** The text right of `start` in two parts: plain cells, and cells in a dim or grey style. */
function splitByDimness(row: ScreenRow, start: number): { plain: string; dim: string } {
  let plain = ''
  let dim = ''
  row.spans.forEach((span, index) => {
    if (span.x + span.width <= start) return
    const text = span.x >= start ? span.text : span.text.slice(start - span.x)
    if (isFaint(span, row)) dim += text
    // The drawn cursor is on the first cell of the placeholder.
    else if (span.width === 1 && plain.trim() === '' && isCursor(span, row.spans[index + 1], row)) dim += text
    else plain += text
  })
  return isEmpty(plain) ? { plain: '', dim: dim + plain } : { plain: plain + dim, dim: '' }
}

/** Drawn inverse, or with its own background before dim text, which a draft is not. */
function isCursor(span: Span, next: Span | undefined, row: ScreenRow): boolean {
  if (span.inverse) return true
  return span.bg !== null && next !== undefined && next.bg !== span.bg && next.text.trim() !== '' && isFaint(next, row)
}

/** The list of completions next to a live input box: rows with a pointer or a distinct style. */
export function readCompletion(rows: readonly ScreenRow[], from: number): Composer['completion'] {
  const listed = rows.slice(from).filter(row => !isBlank(row) && /^\s*(?:[❯›>▸]\s+)?[/@]\S/u.test(row.text))
  if (listed.length < 2) return null
  const items = listed.map(
    row =>
      row.text
        .trim()
        .replace(/^[❯›>▸]\s+/u, '')
        .split(/\s{2,}/u)[0]!,
  )
  const selected = listed.findIndex(
    row =>
      /^\s*[❯›>▸]\s/u.test(row.text) ||
      row.spans.some(span => span.inverse || (span.bg !== null && span.text.trim() !== '')),
  )
  return { items, selected: Math.max(0, selected) }
}
