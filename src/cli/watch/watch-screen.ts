import type { PaneInfo } from '../../supervision/index.js'
import { displayWidth, visibleText } from '../../text/index.js'
import type { Style } from '../context.js'
import {
  type Cell,
  clean,
  matchesFilter,
  paneCells,
  projectOf,
  shortAge,
  sortPanes,
  statusWord,
  toWidth,
  whyText,
} from './watch-rows.js'

/** The state of the screen apart from the panes: selection, scrolling, filter. */
export interface WatchView {
  selected: string | null
  top: number
  filter: string
  isTypingFilter: boolean
  /** Also shows idle panes. */
  showsAll: boolean
  overlay: 'none' | 'help' | 'why'
  why: readonly string[]
  notice: string
}

/** Below this many columns, optional parts are left out. */
const NARROW = 80

export const INITIAL_VIEW: WatchView = {
  selected: null,
  top: 0,
  filter: '',
  isTypingFilter: false,
  showsAll: true,
  overlay: 'none',
  why: [],
  notice: '',
}

const HELP = [
  'j k ↑ ↓    move            g G   first, last',
  'enter      open: attach to the session, or select the pane in tmux',
  'space      mark as seen (done, failed)     S   all of them',
  'x          clear: reset the status until the pane starts working again',
  'h          heuristics for this pane off or on     m   its notifications off or on',
  'w          why: the reports of the last hour',
  '/          filter by status, agent, project or place    esc   clear the filter',
  'a          show or hide idle panes',
  '?          this help      q   quit',
]

export function listed(panes: readonly PaneInfo[], view: WatchView): PaneInfo[] {
  return sortPanes(panes).filter(
    pane =>
      (view.showsAll || pane.shown !== 'idle') &&
      !(pane.isFaded && !view.showsAll) &&
      (view.filter === '' || matchesFilter(pane, view.filter)),
  )
}

/** The view with a selection that exists and is visible. */
export function settle(view: WatchView, shown: readonly PaneInfo[], rows: number): WatchView {
  const at = shown.findIndex(pane => pane.id === view.selected)
  const index = at < 0 ? Math.min(Math.max(0, view.top), Math.max(0, shown.length - 1)) : at
  const height = listHeight(rows)
  const top = Math.max(0, Math.min(index, Math.max(view.top, index - height + 1), Math.max(0, shown.length - height)))
  return { ...view, selected: shown[index]?.id ?? null, top: index < top ? index : top }
}

export function listHeight(rows: number): number {
  return Math.max(1, rows - 4)
}

/** The whole screen: exactly `rows` lines of cells, none wider than `cols`. */
export function drawWatch(
  panes: readonly PaneInfo[],
  view: WatchView,
  size: { cols: number; rows: number; now: number },
): Cell[][] {
  const { cols, rows, now } = size
  const shown = listed(panes, view)
  const lines: Cell[][] = [headline(panes, view, cols)]
  if (view.overlay !== 'none') {
    const text = view.overlay === 'help' ? HELP : view.why
    const wrapped = text.flatMap(line => hang(visibleText(line), cols))
    for (const line of wrapped.slice(0, rows - 3)) lines.push([{ text: toWidth(line, cols) }])
  } else {
    const height = listHeight(rows)
    for (const pane of shown.slice(view.top, view.top + height)) {
      const cells = paneCells(pane, { width: cols - 2, now, isWide: cols >= 120 })
      const isSelected = pane.id === view.selected
      lines.push([{ text: isSelected ? '▌ ' : '  ', ...(isSelected && { style: 'bold' as Style }) }, ...cells])
    }
    if (shown.length === 0) lines.push([{ text: toWidth(emptyText(panes, view), cols), style: 'dim' }])
  }
  while (lines.length < rows - 2) lines.push([{ text: '' }])
  const selected = shown.find(pane => pane.id === view.selected)
  lines.push([{ text: toWidth(selected ? detail(selected, now) : '', cols), style: 'dim' }])
  lines.push([{ text: toWidth(footer(view, shown.length, { cols, rows }), cols - 1), style: 'inverse' }])
  return lines.slice(0, rows)
}

/** Wraps a long line with an indent. */
function hang(line: string, cols: number): string[] {
  const indent = ' '.repeat(Math.min(12, Math.floor(cols / 4)))
  const rows: string[] = []
  let rest = line
  while (displayWidth(rest) > cols) {
    const cut = rest.lastIndexOf(' ', cols)
    const at = rest.slice(0, cut).trim() === '' ? cols : cut
    rows.push(rest.slice(0, at).trimEnd())
    rest = `${indent}${rest.slice(at).trimStart()}`
  }
  return [...rows, rest]
}

function headline(panes: readonly PaneInfo[], view: WatchView, cols: number): Cell[] {
  const count = (wanted: (pane: PaneInfo) => boolean) => panes.filter(wanted).length
  const needs = count(pane => pane.needsYou)
  // The compact list leaves these panes out, so the headline mentions them for a while.
  const recent = view.showsAll ? 0 : count(pane => pane.isRecent)
  const parts = [
    `${panes.length} panes`,
    needs > 0 ? `${needs} ${needs === 1 ? 'needs' : 'need'} you` : 'nothing needs you',
    `${count(pane => pane.status === 'running' || pane.status === 'long-running')} working`,
    `${count(pane => pane.status === 'done')} done`,
    `${count(pane => pane.status === 'failed')} failed`,
    ...(recent > 0 ? [`${recent} just finished`] : []),
  ]
  // The filter hides panes, so it replaces the program's name and is never cut off.
  const head = view.filter !== '' ? `filter: ${view.filter}   ` : cols < NARROW ? '' : 'signalbox watch   '
  return [
    {
      text: toWidth(`${head}${parts.join(' · ')}`, cols),
      style: needs > 0 ? 'yellow' : 'bold',
    },
  ]
}

function emptyText(panes: readonly PaneInfo[], view: WatchView): string {
  if (panes.length === 0) return '  No panes yet. Start one: signalbox start demo, or open tmux.'
  return view.filter === ''
    ? '  All panes are idle. Press a to show them.'
    : '  No pane matches. Press esc to clear the filter.'
}

function detail(pane: PaneInfo, now: number): string {
  const since = shortAge(Math.max(0, now - pane.since))
  const parts = [statusWord(pane), clean(whyText(pane)), since, projectOf(pane), clean(pane.command)]
  return parts.filter(part => part !== '').join(' · ')
}

function footer(view: WatchView, count: number, { cols, rows }: { cols: number; rows: number }): string {
  if (view.isTypingFilter) return ` /${view.filter}▏  enter: keep, esc: clear`
  if (view.notice !== '') return ` ${view.notice}`
  if (view.overlay !== 'none') return ' any key: back'
  const height = listHeight(rows)
  const place = count > height ? `${view.top + 1}–${Math.min(count, view.top + height)} of ${count}   ` : ''
  return cols < NARROW
    ? ` ${place}enter open · w why · ? help · q quit`
    : ` ${place}enter open · space seen · w why · / filter · ? help · q quit`
}
