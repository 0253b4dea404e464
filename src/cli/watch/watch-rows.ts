import { basename } from 'node:path'
import type { PaneInfo } from '../../supervision/index.js'
import { paneState, stateWord, statusState, visibleText } from '../../text/index.js'
import type { Style } from '../context.js'

/** The order of the list: smaller is more urgent. */
const URGENCY: Readonly<Record<PaneInfo['status'], number>> = {
  'waiting-approval': 0,
  failed: 1,
  done: 2,
  running: 4,
  'long-running': 4,
  idle: 5,
}

export const STATUS_STYLE: Readonly<Record<PaneInfo['status'], { mark: string; style: Style }>> = {
  'waiting-approval': { mark: '▲', style: 'yellow' },
  failed: { mark: '✗', style: 'red' },
  done: { mark: '✓', style: 'green' },
  running: { mark: '●', style: 'blue' },
  'long-running': { mark: '●', style: 'blue' },
  idle: { mark: '·', style: 'dim' },
}

/** By urgency, then by waiting time, then by place, so that the order is stable. */
export function sortPanes(panes: readonly PaneInfo[]): PaneInfo[] {
  return [...panes].sort((a, b) => {
    const order = urgencyOf(a) - urgencyOf(b)
    if (order !== 0) return order
    if (a.needsYou && b.needsYou) return a.since - b.since
    return collator.compare(a.place, b.place) || (a.id < b.id ? -1 : 1)
  })
}

const collator = new Intl.Collator('en', { numeric: true })

function urgencyOf(pane: PaneInfo): number {
  if (pane.stuck && (pane.status === 'running' || pane.status === 'long-running')) return 3
  return URGENCY[pane.status]
}

/** Whether the pane contains every word; a status can be given as it is shown. */
export function matchesFilter(pane: PaneInfo, filter: string): boolean {
  const text = [
    pane.status,
    stateWord(statusState(pane.status)),
    pane.agent,
    pane.job,
    pane.cwd,
    pane.place,
    pane.name,
    pane.doing,
    pane.id,
    pane.source,
  ]
    .join(' ')
    .toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

export function statusWord(pane: PaneInfo): string {
  const word = stateWord(paneState(pane))
  return pane.status === 'done' && pane.background > 0 ? `${word} +${pane.background}` : word
}

/** Why a pane has its status: source, rule and confidence. */
export function whyText({ why, isInMode, isMuted }: PaneInfo): string {
  const stale =
    why.staleForS === null ? '' : `unknown (${why.claim ?? 'no status'} ${shortAge(why.staleForS * 1000)} ago) · `
  const mode = `${isInMode ? 'copy mode · ' : ''}${isMuted ? 'muted · ' : ''}`
  if (why.authority === 'none') return `${mode}${stale}no report yet`
  return `${mode}${stale}${why.authority} ${why.rule} · ${why.confidence.toFixed(2)}`
}

/** Four columns: `12s`, `5m`, `3h`, `2d`. */
export function shortAge(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  if (s < 60) return `${s}s`
  if (s < 3600) return `${Math.floor(s / 60)}m`
  return s < 86_400 ? `${Math.floor(s / 3600)}h` : `${Math.floor(s / 86_400)}d`
}

export function projectOf({ cwd }: PaneInfo): string {
  return cwd === '' ? '' : basename(cwd) || '/'
}

/** Text of programs as one safe line. */
export function clean(text: string): string {
  return visibleText(text.replace(/\s+/gu, ' '))
}

/** A line for pipes and screen readers: words only, no marks or cursor movement. */
export function plainLine(pane: PaneInfo, now: number): string {
  const who = [pane.agent ?? pane.job, pane.place, projectOf(pane)].filter(Boolean).join(' ')
  const what = clean(pane.doing)
  const age = shortAge(Math.max(0, now - pane.since))
  return `${new Date(now).toISOString().slice(11, 19)}  ${statusWord(pane).padEnd(9)}  ${who}${what ? `  ${what}` : ''}  (${age}; ${clean(whyText(pane))})`
}
