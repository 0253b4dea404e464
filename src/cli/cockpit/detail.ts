import { denyingOption, requestTitle } from '../../approvals/index.js'
import type { Frame, Row, Span } from '../../terminal/index.js'
import { rowToAnsi } from '../../terminal/index.js'
import { displayWidth, plainLabel, truncate, visibleText } from '../../text/index.js'
import type { ApprovalInfo } from '../approvals/approval-info.js'
import { contentLines, factLines, type RequestLine } from '../approvals/request-lines.js'
import { cutTo, firstShown } from '../attach/fit-screen.js'
import { type Cell, fitLine, wrapLine } from '../cells.js'
import { shortAge } from '../watch/watch-rows.js'
import type { Rect } from './layout.js'
import { type CockpitRow, nameOf, projectName, sinceOf, statusOf } from './rows.js'

/** The screen of a pane, as the daemon sends it. */
export interface PaneScreenText {
  pane: string
  cols: number
  rows: number
  cursor: Frame['cursor']
  lines: readonly (readonly Span[])[]
}

export interface Detail {
  lines: Cell[][]
  /** How far the request can be scrolled. */
  maxScroll: number
  /** The last line of the request is shown. */
  reachesEnd: boolean
}

/** Below this many rows, the screen under a request is not worth showing. */
const SCREEN_ROWS_MIN = 5
const PROMPT_COLUMNS = 160

/** The selected row: who it is, what it asks for, and its screen. */
export function drawDetail(
  row: CockpitRow | null,
  screen: PaneScreenText | null,
  at: { rect: Rect; scroll: number; isZoomed: boolean; refusal: string | null; now: number },
): Detail {
  const { rect, scroll, isZoomed, refusal, now } = at
  const { cols, rows } = rect
  if (!row || rows <= 0) return { lines: blank(rows, cols), maxScroll: 0, reachesEnd: true }
  const head = fitLine(headOf(row, now), cols)
  const height = rows - 1
  const asked = row.request ? requestText(row, { cols, refusal }) : row.work ? workText(row, cols) : haltText(row, cols)
  if (asked.length > height) {
    const shown = Math.max(1, height - 1)
    const maxScroll = asked.length - shown
    const from = Math.min(scroll, maxScroll)
    const remark = `lines ${from + 1}–${from + shown} of ${asked.length}: PgUp, PgDn; ${isZoomed ? 'z shows the list' : 'z zooms'}`
    const lines = [head, ...asked.slice(from, from + shown), [{ text: remark, style: 'dim' as const }]]
    return { lines: lines.map(line => fitLine(line, cols)), maxScroll, reachesEnd: from >= maxScroll }
  }
  const left = height - asked.length - (asked.length > 0 ? 1 : 0)
  const isShown = screen !== null && row.pane !== null && screen.pane === row.pane.id && left >= SCREEN_ROWS_MIN
  const rule: Cell[][] = asked.length > 0 && isShown ? [[{ text: '─'.repeat(cols), style: 'dim' }]] : []
  const lines = [head, ...asked, ...rule, ...(isShown ? screenLines(screen, { cols, rows: left }) : [])]
  return {
    lines: [...lines.map(line => fitLine(line, cols)), ...blank(rows - lines.length, cols)],
    maxScroll: 0,
    reachesEnd: true,
  }
}

function headOf(row: CockpitRow, now: number): Cell[] {
  const { pane } = row
  const since = sinceOf(row) ?? now
  const who = pane ? (pane.agent ?? pane.job ?? '') : 'run'
  const facts = [pane?.place ?? '', who, projectName(row), statusOf(row), shortAge(now - since)]
  return [
    { text: nameOf(row), style: 'bold' },
    { text: `  ${facts.filter(fact => fact !== '').join(' · ')}`, style: 'dim' },
  ]
}

/** The whole request, broken at the width: nothing is cut off. */
function requestText(
  { request, prompt, file, more }: CockpitRow,
  { cols, refusal }: { cols: number; refusal: string | null },
): Cell[][] {
  if (!request) return []
  const dim = (text: string): RequestLine => ({ cells: [{ text, style: 'dim' }] })
  return [
    { cells: [{ text: requestTitle(request), style: 'yellow' as const }] },
    ...(prompt ? [dim(`You asked: ${truncate(visibleText(prompt.replace(/\s+/gu, ' ')), PROMPT_COLUMNS)}`)] : []),
    ...contentLines(request, file),
    ...answerLines(request),
    ...factLines(request),
    ...(refusal === null ? [keyLine(answerKeys(request))] : refusalLines(refusal)),
    ...(more > 0 ? [dim(`${more} more of this session after it`)] : []),
  ].flatMap(({ cells, mark }: RequestLine) => wrapLine(cells, cols, mark))
}

/** Why it does not continue, and what continues it: a key for a run, a command for a session. */
function haltText({ halt, pane }: CockpitRow, cols: number): Cell[][] {
  if (!halt) return []
  const why = visibleText(halt.why)
  const lines: Cell[][] = [[{ text: why.charAt(0).toUpperCase() + why.slice(1), style: 'yellow' }]]
  if (!pane) lines.push(keyLine(runKeys(true)).cells)
  else if (halt.next !== null) lines.push([{ text: `Continue it: ${visibleText(halt.next)}`, style: 'bold' }])
  return lines.flatMap(cells => wrapLine(cells, cols, ''))
}

/** A run has no screen: its log is a page of the cockpit, or a command that follows it. */
function workText({ id, work }: CockpitRow, cols: number): Cell[][] {
  const at = visibleText(work?.at ?? '')
  return [
    ...wrapLine([{ text: at }], cols, ''),
    ...wrapLine(keyLine(runKeys(false)).cells, cols, ''),
    ...wrapLine([{ text: `Follow it: signalbox logs -f ${id}`, style: 'dim' }], cols, ''),
  ].slice(at === '' ? 1 : 0)
}

/** Where nothing can be decided, no key for it is offered. */
function refusalLines(refusal: string): RequestLine[] {
  const text = visibleText(refusal)
  return [
    { cells: [{ text: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`, style: 'yellow' }] },
    keyLine(['o open the dashboard']),
  ]
}

/** A key and its meaning stay on one line. */
function keyLine(keys: readonly string[]): RequestLine {
  const text = keys.map(key => key.replaceAll(' ', '\u00a0')).join(' · ')
  return { cells: [{ text: `[\u00a0${text}\u00a0]`, style: 'bold' }] }
}

/** What can be done with a run, with its keys. */
export function runKeys(isHalted: boolean): string[] {
  return isHalted ? ['e resume', 'enter log'] : ['enter log', 'x cancel']
}

/** The answers to a question. Those to a permission are the keys; `r` lists the agent's own. */
function answerLines({ kind, request: { options, questions } }: ApprovalInfo): RequestLine[] {
  if (kind === 'permission') return []
  return options.map(({ label, detail, question }) => {
    const number = questions.length > 1 ? `${(question ?? 0) + 1}. ` : ''
    const text = `• ${number}${plainLabel(label)}${detail === undefined ? '' : ` (${plainLabel(detail)})`}`
    return { cells: [{ text }], mark: '  ' }
  })
}

/** What can be done with this request, with its keys. */
export function answerKeys({ kind, request: { options } }: ApprovalInfo): string[] {
  return [
    ...(options.some(({ meaning }) => meaning === 'allow-once') ? ['a allow once'] : []),
    ...(denyingOption(options) ? ['d deny'] : []),
    ...(denyingOption(options) && kind === 'permission' ? ['D deny with a reason'] : []),
    kind === 'permission' ? 'r other answers' : 'r answer',
  ]
}

/** The part of the screen that fits: from the left edge, down to the last row with text. */
function screenLines(screen: PaneScreenText, { cols, rows }: { cols: number; rows: number }): Cell[][] {
  const lines = screen.lines.map(rowOf)
  const top = firstShown({ lines, rows: screen.rows, cursor: screen.cursor }, rows)
  return lines.slice(top, top + rows).map(row => {
    const cut = cutTo(row, cols)
    const padding = ' '.repeat(Math.max(0, cols - cut.width))
    const text = cut.spans.map(span => span.text).join('')
    return [{ text: text + padding, ansi: `${rowToAnsi(cut)}\u001b[0m${padding}` }]
  })
}

/** What an agent prints must not reorder the lines of the cockpit. */
function rowOf(drawn: readonly Span[]): Row {
  const spans = drawn.map(span => ({ ...span, text: visibleText(span.text) }))
  const text = spans.map(span => span.text).join('')
  return { id: 0, text, width: displayWidth(text), wrapped: false, spans, hash: 0, changedSeq: 0 }
}

function blank(rows: number, cols: number): Cell[][] {
  return Array.from({ length: Math.max(0, rows) }, () => [{ text: ' '.repeat(cols) }])
}
