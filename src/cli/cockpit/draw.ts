import { displayWidth, truncate, visibleText } from '../../text/index.js'
import { type Cell, fitLine, lineWidth, toWidth, wrapLine } from '../cells.js'
import { clean, STATUS_STYLE, shortAge } from '../watch/watch-rows.js'
import { answerKeys, type Detail, drawDetail, type PaneScreenText, runKeys } from './detail.js'
import { FRAME_ROWS, type Layout, layoutOf } from './layout.js'
import { type CockpitRow, isListed, nameOf, needsIn, needsYou, projectName, runOf, sinceOf, statusOf } from './rows.js'
import type { CockpitView, Mode } from './view.js'

export interface CockpitData {
  rows: readonly CockpitRow[]
  /** The screen of the selected pane, if it has arrived. */
  screen: PaneScreenText | null
  /** Why nothing can be decided in this terminal, and what to do. */
  refusal?: string | null
}

export interface Size {
  cols: number
  rows: number
}

/** Below this many columns, optional parts are left out. */
const NARROW = 80
/** The least width of the cell with the status; a longer word on the screen widens it for all. */
const STATUS_WIDTH = 9
/** A longer notice or question is not shown whole. */
const FOOTER_ROWS_MAX = 6
/** Fewer columns than this are not worth a list of keys beside a notice. */
const KEYS_COLS_MIN = 24

export function listed({ rows }: Pick<CockpitData, 'rows'>, view: CockpitView): CockpitRow[] {
  return rows.filter(row => isListed(row, view))
}

/** The view with a selection that exists and is visible. */
export function clampSelection(view: CockpitView, shown: readonly CockpitRow[], size: Size): CockpitView {
  const { list } = layoutOf(size, shown.length, view.isZoomed)
  const height = Math.max(1, list.rows)
  const at = shown.findIndex(row => row.id === view.selected)
  // Where the selected row was, if it is gone.
  const index = at < 0 ? Math.min(Math.max(0, view.at), Math.max(0, shown.length - 1)) : at
  const top = Math.max(0, Math.min(index, Math.max(view.top, index - height + 1), Math.max(0, shown.length - height)))
  const selected = shown[index]?.id ?? null
  return { ...view, selected, at: index, top: Math.min(index, top), ...(selected !== view.selected && { scroll: 0 }) }
}

export interface DrawnCockpit {
  lines: Cell[][]
  layout: Layout
  detail: Detail
}

/** The whole screen: exactly `rows` lines of exactly `cols` columns. */
export function drawCockpit(data: CockpitData, view: CockpitView, size: Size & { now: number }): DrawnCockpit {
  const { cols, rows, now } = size
  const shown = listed(data, view)
  const layout = layoutOf(size, shown.length, view.isZoomed)
  const selected = shown.find(row => row.id === view.selected) ?? null
  const detail = drawDetail(selected, data.screen, {
    rect: layout.detail,
    scroll: view.scroll,
    isZoomed: view.isZoomed,
    refusal: data.refusal ?? null,
    now,
  })
  const body = bodyLines(data, view, { shown, layout, detail, ...size })
  const height = Math.max(0, rows - FRAME_ROWS)
  const lines = [headline(data, view, cols), ...drawOverlay(body, view.mode, { cols, rows: height }).slice(0, height)]
  while (lines.length < rows - 1) lines.push([])
  const foot = footer(view, selected, { cols, isRefused: data.refusal != null })
  lines.splice(Math.max(1, rows - foot.length), rows, ...foot)
  return { lines: lines.slice(0, rows).map(line => fitLine(line, cols)), layout, detail }
}

function bodyLines(
  data: CockpitData,
  view: CockpitView,
  at: Size & { shown: readonly CockpitRow[]; layout: Layout; detail: Detail; now: number },
): Cell[][] {
  const { shown, layout, detail, cols, now } = at
  const { list } = layout
  const visible = shown.slice(view.top, view.top + list.rows)
  const status = Math.max(STATUS_WIDTH, ...visible.map(row => displayWidth(statusOf(row))))
  const rows = visible.map(row => {
    const isSelected = row.id === view.selected
    const cells = rowCells(row, { width: list.cols - 2, status, now })
    return fitLine(
      [{ text: isSelected ? '▌ ' : '  ', ...(isSelected && { style: 'bold' as const }) }, ...cells],
      list.cols,
    )
  })
  if (shown.length === 0 && list.rows > 0)
    rows.push(fitLine([{ text: emptyText(data, view), style: 'dim' }], list.cols))
  if (layout.isWide) {
    const empty: Cell[] = [{ text: ' '.repeat(list.cols) }]
    const bar: Cell = { text: '│ ', style: 'dim' }
    return Array.from({ length: list.rows }, (_, y) => [...(rows[y] ?? empty), bar, ...(detail.lines[y] ?? [])])
  }
  if (list.rows === 0) return detail.lines
  while (rows.length < list.rows) rows.push([])
  return [...rows, [{ text: '─'.repeat(cols), style: 'dim' }], ...detail.lines]
}

/** One row of the list; a narrow one leaves out cells, but never the status. */
function rowCells(row: CockpitRow, { width, status, now }: { width: number; status: number; now: number }): Cell[] {
  const { pane, request, halt, work } = row
  const isFailed = !request && !pane && !work && halt?.isFailed === true
  const going = work?.word === 'working' ? 'running' : 'idle'
  const style = STATUS_STYLE[isFailed ? 'failed' : needsYou(row) ? 'waiting-approval' : (pane?.shown ?? going)]
  const word = statusOf(row)
  const age = shortAge(Math.max(0, now - (sinceOf(row) ?? now)))
  const cells: Cell[] = [
    { text: `${style.mark} ${toWidth(word, status)}`, style: style.style },
    { text: ` ${age.padStart(4)} `, style: 'dim' },
    { text: `${toWidth(pane?.place ?? 'run', width >= 60 ? 8 : 4)} `, style: 'dim' },
  ]
  const left = Math.max(0, width - lineWidth(cells))
  const project = projectName(row)
  // The name says more than the project, which the detail shows as well.
  const projectWidth = left >= 44 ? 14 : left >= 36 ? 9 : 0
  const agentWidth = left >= 60 ? 9 : 0
  const doing = clean(request ? '' : (halt?.why ?? work?.at ?? pane?.doing ?? ''))
  const doingWidth = left >= 70 ? Math.floor((left - projectWidth - agentWidth) / 2) : 0
  const nameWidth = Math.max(0, left - doingWidth - agentWidth - (projectWidth > 0 ? projectWidth + 1 : 0))
  cells.push({ text: toWidth(nameOf(row), nameWidth), ...(needsYou(row) && { style: 'bold' as const }) })
  if (projectWidth > 0) cells.push({ text: ` ${toWidth(project, projectWidth)}`, style: 'cyan' })
  if (agentWidth > 0) cells.push({ text: ` ${toWidth(pane?.agent ?? pane?.job ?? '', agentWidth - 1)}`, style: 'dim' })
  if (doingWidth > 0) cells.push({ text: ` ${toWidth(doing, doingWidth - 1)}` })
  return cells
}

function headline({ rows }: CockpitData, view: CockpitView, cols: number): Cell[] {
  const count = (wanted: (row: CockpitRow) => boolean) => rows.filter(wanted).length
  const needs = rows.reduce((sum, row) => sum + needsIn(row), 0)
  const is = (...statuses: string[]) => count(row => !needsYou(row) && statuses.includes(row.pane?.status ?? ''))
  const counts: [count: number, word: string][] = [
    [is('running', 'long-running') + count(row => row.work?.word === 'working'), 'working'],
    [is('done'), 'done'],
    [is('failed') + count(row => row.halt?.isFailed === true), 'failed'],
    [is('idle'), 'idle'],
  ]
  const parts = [
    needs > 0 ? `${needs} ${needs === 1 ? 'needs' : 'need'} you` : 'nothing needs you',
    ...counts.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`),
  ]
  // The filter hides rows, so it replaces the program's name and is never cut off.
  const head = view.filter !== '' ? `filter: ${view.filter}   ` : cols < NARROW ? '' : 'signalbox   '
  return [{ text: toWidth(`${head}${parts.join(' · ')}`, cols), style: needs > 0 ? 'yellow' : 'bold' }]
}

function emptyText({ rows }: CockpitData, view: CockpitView): string {
  if (rows.length === 0) return '  No sessions yet. Press n to start one.'
  return view.filter === '' ? '  All are idle. Press i to show them.' : '  No match. Press esc to clear the filter.'
}

function pageLines(lines: readonly string[], cols: number): Cell[][] {
  return lines.flatMap(line => wrapLine([{ text: visibleText(line) }], cols, '    '))
}

/** The first line of a page that is shown when it is scrolled to its end. */
export function endOfPage(lines: readonly string[], { cols, rows }: Size): number {
  return Math.max(0, pageLines(lines, cols).length - (rows - FRAME_ROWS))
}

/** A page or a menu lies over the body. */
function drawOverlay(body: Cell[][], mode: Mode, { cols, rows }: Size): Cell[][] {
  if (mode.kind === 'page') {
    const lines = pageLines(mode.lines, cols)
    const from = Math.max(0, Math.min(mode.top, lines.length - rows))
    return lines.slice(from, from + rows)
  }
  if (mode.kind !== 'choose') return body
  const entries: Cell[][] = [
    [{ text: ` ${visibleText(mode.question)}`, style: 'bold' }],
    ...mode.choices.map(({ label }, index) => [
      {
        text: `${index === mode.at ? ' ▌' : '  '}${index < 9 ? index + 1 : ' '}  ${clean(label)}`,
        ...(index === mode.at && { style: 'bold' as const }),
      },
    ]),
  ]
  const menu = entries.flatMap(line => wrapLine(line, cols, '     '))
  const height = Math.min(menu.length, rows - 1)
  // The chosen line stays visible in a menu that is longer than the screen.
  const from = Math.max(0, Math.min(mode.at + 2 - height, menu.length - height))
  const shown = menu.slice(from, from + height)
  return [...padTo(body, rows - height - 1), [{ text: '─'.repeat(cols), style: 'dim' }], ...shown]
}

function padTo(lines: Cell[][], rows: number): Cell[][] {
  return [...lines.slice(0, rows), ...Array.from({ length: Math.max(0, rows - lines.length) }, () => [])]
}

interface FooterOptions {
  cols: number
  isRefused: boolean
}

/** The last line of the screen; a notice or a question that is longer lies over more of them. */
function footer(view: CockpitView, selected: CockpitRow | null, { cols, isRefused }: FooterOptions): Cell[][] {
  const { mode } = view
  const width = Math.max(1, cols - 1)
  const bar = (text: string): Cell[] => [{ text: toWidth(text, width), style: 'inverse' }]
  if (mode.kind === 'line' || mode.kind === 'filter') {
    const [label, value] = mode.kind === 'line' ? [mode.label, mode.value] : ['filter', view.filter]
    const head = ` ${visibleText(label)}: `
    const typed = visibleText(value.replaceAll('\n', '⏎'))
    // The end of a long text is what the person types.
    const room = Math.max(8, width - displayWidth(head) - 2)
    return [bar(`${head}${endOf(typed, room)}▏`)]
  }
  if (mode.kind === 'choose') return [bar(' enter: choose · 1–9 · esc: back')]
  if (mode.kind === 'page') return [bar(' ↑ ↓ scroll · any other key: back')]
  const notice = visibleText(view.notice)
  const left = mode.kind === 'confirm' ? 0 : width - 1 - (notice === '' ? 0 : displayWidth(notice) + 3)
  const keys = left < KEYS_COLS_MIN ? '' : keysFor(selected, { width: left, isRefused, isZoomed: view.isZoomed })
  const text =
    mode.kind === 'confirm'
      ? `${visibleText(mode.question)} y: yes, any other key: no`
      : // A notice leaves room for some keys, where the terminal has it.
        [notice, keys].filter(part => part !== '').join(' │ ')
  const lines = wrapLine([{ text }], width - 1, '').map(line => bar(` ${line.map(cell => cell.text).join('')}`))
  return lines.length > FOOTER_ROWS_MAX ? [...lines.slice(0, FOOTER_ROWS_MAX - 1), lines.at(-1)!] : lines
}

function endOf(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let kept = ''
  for (const character of [...text].reverse()) {
    if (displayWidth(character + kept) > width - 1) break
    kept = character + kept
  }
  return `…${kept}`
}

/** Always shown, whatever else fits. */
const LEAVING_KEYS = '? help · q quit'

/** The keys that make sense for the selected row; as many as fit. */
function keysFor(
  row: CockpitRow | null,
  { width, isRefused, isZoomed }: { width: number; isRefused: boolean; isZoomed: boolean },
): string {
  const isSession = row?.pane?.source === 'session'
  const keys = [
    ...(row?.request ? (isRefused ? ['o dashboard'] : answerKeys(row.request)) : []),
    ...(row?.pane ? ['enter open'] : []),
    ...(row && runOf(row) !== null && !row.request ? runKeys(row.halt !== undefined) : []),
    ...(isSession ? ['p prompt'] : []),
    'n new',
    ...(isSession ? ['x stop'] : []),
    '/ filter',
    isZoomed ? 'z list' : 'z zoom',
    'tab next request',
  ]
  let text = ''
  for (const key of keys) {
    const next = `${text}${key} · `
    if (displayWidth(next + LEAVING_KEYS) > width) break
    text = next
  }
  return truncate(text + LEAVING_KEYS, width)
}
