import type { Frame } from '../terminal/index.js'
import { confirmsOrLeaves, fragments } from './menu/menu-head.js'
import type { Region } from './region.js'
import { isBlank, isRule, type ScreenRow } from './screen-row.js'
import { isBoxedWork, isWorkingHint } from './working-row.js'

/*
 * Finds an input box that no pack describes. Agents draw it in few ways: between two rules, in a
 * frame with corners, on a band of half blocks, after a gutter, in the corner of a frame without
 * sides, or as a bare prompt row. Two properties distinguish a live box from an echo or an image of
 * one: it is the lowest such structure on the screen, with only a few footer rows below it, and the
 * cursor is in it: the hardware cursor, a cell drawn inverse, or a block character. Some programs
 * hide the hardware cursor or leave it below their output, and a drawn one blinks: then the first
 * property and the glyph of the box must suffice, as in a frame from plain text.
 */
const FOOTER_ROWS = 6
const BODY_ROWS = 20
const PROMPT =
  /^\s{0,3}[│┃]?\s{0,2}([❯›>▷→»»➜▶$%#!*+~λ⟩⋊▌]|[^\p{L}\p{N}\s─━│┃╭╮╰╯┌┐└┘▄▀█·•●○◆◇■□✓✗⎿└├┆\u2800-\u28ff])(?:[\s\u00a0]|$)/u

/** `╰─ `: the lower left corner of a frame is the prompt, and its upper edge a row of figures. */
const CORNER_PROMPT = /^\s{0,2}[╰└][─━]{1,2}(?:[\s\u00a0]|$)/u
/** `│ `: a row of a draft above its last one. */
const CORNER_BODY = /^\s{0,2}[│┃](?:[\s\u00a0]|$)/u
/** The upper edge is at least this part of the screen wide. */
const EDGE_SHARE = 0.6

/** Any symbol inside a frame with corners: `│ ● Ask anything │`. */
const BOXED_PROMPT = /^\s*[│┃║|]\s{0,2}[^\p{L}\p{N}\s─━│┃\u2800-\u28ff](?:[\s\u00a0]|$)/u

interface SearchOptions {
  /** The glyph of the program's bare prompt, once it is known: another one is not a prompt. */
  glyph: string | null
  /** Rows that are known to be something else. */
  taken: (row: ScreenRow) => boolean
  /** A pack describes the agent's box: another one counts only with a cursor in it. */
  needsCursor: boolean
}

export function findStructuralComposer(
  frame: Frame,
  rows: readonly ScreenRow[],
  { taken, needsCursor, glyph }: SearchOptions,
): Region | null {
  const isParked = !needsCursor && isCursorParked(frame, rows)
  const betweenEdges = (isTop: Edge, isBottom: Edge) => findBetween(frame, rows, { isTop, isBottom, isParked })
  return (
    betweenEdges(
      row => isRule(row, frame.cols) || isLabelledRule(row, frame.cols),
      row => isRule(row, frame.cols),
    ) ??
    betweenEdges(isBandTop, isBandBottom) ??
    betweenEdges(isBandBottom, isBandTop) ??
    betweenEdges(isCornerTop, isCornerBottom) ??
    findBehindGutter(frame, rows) ??
    (isParked ? lowestGutter(rows) : null) ??
    aboveCorner(frame, rows) ??
    barePrompt(frame, rows, taken, glyph)
  )
}

/** `── ⠧ Working ─────`: a rule with text in it. */
function isLabelledRule(row: ScreenRow, cols: number): boolean {
  const text = row.text.trim()
  return text.length >= cols * 0.8 && /^[─━]{2,} .{1,80}? [─━]+$/u.test(text)
}

function isBandTop(row: ScreenRow): boolean {
  return /^[\s╻┃]*▄{8,}\s*$/u.test(row.text)
}

function isBandBottom(row: ScreenRow): boolean {
  return /^[\s╹┃]*▀{8,}\s*$/u.test(row.text)
}

function isCornerTop(row: ScreenRow): boolean {
  return /^\s*[╭┌][─━]{8,}.*[╮┐]\s*$/u.test(row.text)
}

function isCornerBottom(row: ScreenRow): boolean {
  return /^\s*[╰└][─━]{8,}.*[╯┘]\s*$/u.test(row.text)
}

type Edge = (row: ScreenRow) => boolean

interface Edges {
  isTop: Edge
  isBottom: Edge
  /** The cursor is hidden or below all output, so its position proves nothing. */
  isParked: boolean
}

/** The lowest box with such edges; a footer may have a line of its own below it. */
function findBetween(frame: Frame, rows: readonly ScreenRow[], edges: Edges): Region | null {
  for (let bottom = rows.length - 1; bottom >= 2; bottom--) {
    if (!edges.isBottom(rows[bottom]!)) continue
    if (countBelow(rows, bottom) > FOOTER_ROWS && !isCompleting(rows, bottom)) return null
    const found = boxAbove(frame, rows, bottom, edges)
    if (found !== 'none') return found
  }
  return null
}

/** The box that ends in this row; null if it is something else, 'none' if a box may be above it. */
function boxAbove(
  frame: Frame,
  rows: readonly ScreenRow[],
  bottom: number,
  { isTop, isParked }: Edges,
): Region | null | 'none' {
  for (let top = bottom - 2; top >= 0 && bottom - top <= BODY_ROWS; top--) {
    if (!isTop(rows[top]!)) continue
    const body = rows.slice(top + 1, bottom)
    const isLive = frame.isPlainText || isParked || holdsCursor(frame, top, bottom) || hasDrawnCursor(body)
    if (isBoxedWork(rows, top + 1)) return null
    if (rows.slice(bottom + 1).some(row => isCornerTop(row)) || isCard(rows, top)) return null
    const isDialog = rows
      .slice(bottom + 1)
      .some(row => isWorkingHint(row.text) || (namesCancelKey(row) && !isCompleting(rows, bottom)))
    if (isParked && !hasDrawnCursor(body) && isDialog) return null
    const isBox =
      isLive &&
      (isPrompt(body[0]!, frame) ||
        body.every(row => isBlank(row)) ||
        (frame.cursor.y === body[0]!.index && !/^\s*[\u2801-\u28ff]/u.test(body[0]!.text)) ||
        (isParked &&
          isCornerTop(rows[top]!) &&
          (BOXED_PROMPT.test(body[0]!.text) || isLoneField(rows[top]!, body, frame))))
    if (isBox && !looksLikeOptions(body)) return { name: 'composer', first: top, last: bottom }
    // Few rows between two lines, without the cursor: a part of the footer.
    return body.length <= 3 && !isLive ? 'none' : null
  }
  return null
}

/** Rows after one gutter around the cursor, without an upper edge: the lowest such block. */
function findBehindGutter(frame: Frame, rows: readonly ScreenRow[]): Region | null {
  const { cursor } = frame
  const gutter = /^(\s*)([┃▌▎▐])(?=\s|$)/u.exec(rows[cursor.y]?.text ?? '')
  if (!gutter || frame.isPlainText || !cursor.visible || cursor.x <= gutter[0].length) return null
  const isInside = (row: ScreenRow | undefined) => row?.text.startsWith(gutter[0]) === true
  let [first, last] = [cursor.y, cursor.y]
  while (isInside(rows[first - 1])) first--
  while (isInside(rows[last + 1])) last++
  const edge = rows[last + 1]
  if (edge && /^\s*[╹┗▝▘▀▁▔]\s*[▀▔─]*\s*$/u.test(edge.text)) last++
  const isSmall = last - first <= BODY_ROWS && countBelow(rows, last) <= FOOTER_ROWS
  return isSmall && !looksLikeOptions(rows.slice(first, last + 1)) ? { name: 'composer', first, last } : null
}

/**
 * Rows after one gutter with an empty one above and below, where the cursor shows nothing. Answers
 * look the same, but have the box or the sign of work below them.
 */
function lowestGutter(rows: readonly ScreenRow[]): Region | null {
  const last = rows.findLastIndex(row => /^\s{0,2}[┃▌▎▐]\s*$/u.test(row.text))
  const gutter = /^\s*[┃▌▎▐]/u.exec(rows[last]?.text ?? '')?.[0]
  if (gutter === undefined) return null
  let first = last
  while (rows[first - 1]?.text.startsWith(gutter)) first--
  const isPadded = last - first >= 2 && rows[first]!.text.trim() === gutter.trim()
  const below = rows.slice(last + 1)
  const isLowest = countBelow(rows, last) <= FOOTER_ROWS && !below.some(row => row.text.startsWith(gutter))
  const isIdle = !below.some(row => isWorkingHint(row.text)) && !hasPointedList(below)
  const body = rows.slice(first, last + 1)
  return isPadded && isLowest && isIdle && body.length <= BODY_ROWS && !looksLikeOptions(body)
    ? { name: 'composer', first, last }
    : null
}

/** A pointer with another entry right above or below it: a list that has the keyboard. */
function hasPointedList(rows: readonly ScreenRow[]): boolean {
  return rows.some((row, at) => {
    const pointer = /^\s{0,3}[❯›>▸→▶]\s+(?=[^/@\s])/u.exec(row.text)?.[0]
    return pointer !== undefined && [rows[at - 1], rows[at + 1]].some(next => next?.indent === pointer.length)
  })
}

/** Frames of one width below each other are entries of a list. */
function isCard(rows: readonly ScreenRow[], top: number): boolean {
  const above = rows[top - 1]
  if (!above || !isCornerTop(rows[top]!) || !isCornerBottom(above)) return false
  return above.indent === rows[top]!.indent && above.text.trimEnd().length === rows[top]!.text.trimEnd().length
}

/** A frame across the screen with little text: other frames are as wide as their text. */
function isLoneField(top: ScreenRow, body: readonly ScreenRow[], { cols }: Frame): boolean {
  return body.length <= 3 && top.text.trim().length >= cols - 6
}

/** `Esc to cancel`: a field of a dialog is above it. */
function namesCancelKey(row: ScreenRow): boolean {
  return fragments(row).some(
    ({ keys, verb }) => /\besc\b/iu.test(keys) && /^(?:cancel|close|back|go back|exit|dismiss|quit)\b/iu.test(verb),
  )
}

/** The cursor is hidden, or was left below everything that the program has drawn. */
function isCursorParked({ cursor, isPlainText }: Frame, rows: readonly ScreenRow[]): boolean {
  if (isPlainText) return false
  return !cursor.visible || (cursor.x === 0 && cursor.y > rows.findLastIndex(row => !isBlank(row)))
}

/** A box whose text starts with the sign of a command or a file. */
const DRAFTED = /^\s*[│┃║]?\s{0,2}[^\p{L}\p{N}\s]?\s{0,2}[/@]/u
const COMPLETION = /^\s*(?:[❯›>▸→]\s*)?[/@]\S/u

/**
 * A command or a file is being typed: the list below the box completes it. A status row may be
 * between them.
 */
function isCompleting(rows: readonly ScreenRow[], bottom: number): boolean {
  const below = rows.slice(bottom + 1).filter(row => !isBlank(row))
  const first = below.findIndex(row => COMPLETION.test(row.text))
  if (first === 0) return true
  const isListed = !isBlank(rows[bottom + 1])
  return DRAFTED.test(rows[bottom - 1]?.text ?? '') && (isListed || (first > 0 && first <= 2))
}

/**
 * A prompt in the lower left corner of a frame without a right side: the cursor is in its row, and
 * above it is a row of the mode, the model or other figures. A tree of files has short rows.
 */
function aboveCorner(frame: Frame, rows: readonly ScreenRow[]): Region | null {
  const { cols, cursor, isPlainText } = frame
  const last = isPlainText ? rows.findLast(row => !isBlank(row)) : rows[cursor.y]
  if (!last || !isCornerPrompt(last.text) || (!isPlainText && cursor.x < last.text.indexOf('─'))) return null
  let first = last.index - 1
  while (first >= 0 && last.index - first < BODY_ROWS && CORNER_BODY.test(rows[first]!.text)) first--
  const edge = rows[first]
  if (!edge || isBlank(edge) || (edge.text.trim().length < cols * EDGE_SHARE && !/^\s{0,2}[╭┌]/u.test(edge.text)))
    return null
  if (countBelow(rows, last.index) > FOOTER_ROWS || isWorkingHint(last.text)) return null
  return { name: 'composer', first, last: last.index }
}

/** Whether the lower left corner of a frame is the prompt in this row. */
export function isCornerPrompt(text: string): boolean {
  return CORNER_PROMPT.test(text)
}

/** A row with a prompt glyph and the cursor, and only indented footer rows below. */
function barePrompt(
  frame: Frame,
  rows: readonly ScreenRow[],
  taken: (row: ScreenRow) => boolean,
  glyph: string | null,
): Region | null {
  const last = frame.isPlainText ? rows.findLast(other => isPromptRow(other, frame)) : rows[frame.cursor.y]
  const row = last && (glyph === null ? last : startOfDraft(rows, last, glyph))
  if (!last || !row || taken(row) || isWorkingHint(row.text)) return null
  if (!isPromptRow(row, frame) && !isNamedPrompt(rows, row, glyph)) return null
  if (glyph !== null && promptGlyph(row) !== glyph && !MODE.test(row.text)) return null
  const below = rows.slice(last.index + 1).filter(other => !isBlank(other))
  if (below.length > FOOTER_ROWS || below.some(other => other.indent < 1)) return null
  // `Enter to view · Esc to close` below a pointer: a list with one entry.
  if (below.some(other => confirmsOrLeaves(other))) return null
  return { name: 'composer', first: row.index, last: last.index }
}

/** `zwarb> `: the program's own name is its prompt. */
const NAMED = /^(?<prompt>\p{L}[\w.-]{1,20}>)(?:\s|$)/u
const COMMAND = /(?:^|[\s"'`])\/(?:help|exit|quit|clear|model|reset)\b/u

/** Where the text after a named prompt starts; 0 if there is none. */
export function namedPromptWidth(text: string): number {
  const prompt = NAMED.exec(text)?.groups?.prompt
  return prompt === undefined ? 0 : prompt.length + 1
}

/**
 * A shell of a database has such a prompt too. One that is known from before, or below rows that
 * name slash commands, is that of an agent.
 */
function isNamedPrompt(rows: readonly ScreenRow[], row: ScreenRow, glyph: string | null): boolean {
  const prompt = NAMED.exec(row.text)?.groups?.prompt
  if (prompt === undefined) return false
  return glyph === null ? rows.slice(0, row.index).some(other => COMMAND.test(other.text)) : prompt === glyph
}

/** Prompts of other modes: a shell command, a note. */
const MODE = /^\s{0,2}[!#$?&](?:\s|$)/u

/** The glyph of a bare prompt: its first character, or the name in front of it. */
export function promptGlyph(row: ScreenRow): string {
  return NAMED.exec(row.text)?.groups?.prompt ?? [...row.text.trimStart()][0] ?? ''
}

/** A draft of several lines continues indented below its prompt. */
function startOfDraft(rows: readonly ScreenRow[], last: ScreenRow, glyph: string): ScreenRow {
  for (let row = last; row.index > last.index - BODY_ROWS; row = rows[row.index - 1]!) {
    if (promptGlyph(row) === glyph && row.indent <= 2) return row
    if (row.indent < 1 || row.index === 0) break
  }
  return last
}

/** Without a cursor only glyphs that are used for prompts count. */
function isPrompt(row: ScreenRow, frame: Frame): boolean {
  return PROMPT.test(row.text) && (!frame.isPlainText || /^\s*[│┃]?\s*(?:[❯›>▷»➜▶!*]|\(r:\))/u.test(row.text))
}

function isPromptRow(row: ScreenRow, frame: Frame): boolean {
  return row.indent >= 0 && row.indent <= 2 && isPrompt(row, frame)
}

function countBelow(rows: readonly ScreenRow[], index: number): number {
  return rows.slice(index + 1).filter(row => !isBlank(row)).length
}

function holdsCursor(frame: Frame, top: number, bottom: number): boolean {
  return frame.cursor.y > top && frame.cursor.y < bottom
}

/** A single inverse cell or a block character: a cursor that the program draws itself. */
function hasDrawnCursor(body: readonly ScreenRow[]): boolean {
  return body.some(
    row => row.spans.some(span => span.inverse && span.width === 1) || /\s[▉▊▋▌▍▎▏█](?=[\s\p{L}]|$)/u.test(row.text),
  )
}

/** `1. Yes`, `┃ 2 (○) No`. */
const OPTION = /^\s*(?:[┃│▌▎▐]\s+)?(?:[❯›>●→▶▸]\s*)?\d{1,2}(?:[.)] \S|\s+\([ •●○◉◯]\)\s)/u

/** Two numbered rows, or a pointer with other rows next to it: a menu between rules. */
function looksLikeOptions(body: readonly ScreenRow[]): boolean {
  return body.filter(row => OPTION.test(row.text)).length >= 2
}
