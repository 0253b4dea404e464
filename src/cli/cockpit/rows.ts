import { basename } from 'node:path'
import type { PaneInfo } from '../../supervision/index.js'
import { visibleText } from '../../text/index.js'
import type { ApprovalInfo } from '../approvals/approval-info.js'
import { matchesFilter, sortPanes } from '../watch/watch-rows.js'

/** What a run is called, and its project; its request names the worktree. */
export interface RunName {
  title: string
  project: string
}

/** A row of the list: a pane, with the request that it waits for; or a request of a run. */
export interface CockpitRow {
  id: string
  pane: PaneInfo | null
  request: ApprovalInfo | null
  /** The run that asks, if it is known. */
  run?: RunName
  /** What the person asked the session for, as far as it is known. */
  prompt?: string | null
  /** Requests of the same session that can be answered only after this one. */
  more: number
}

/** Requests of runs first, the oldest at the top; then panes by urgency. */
export function rowsOf(
  panes: readonly PaneInfo[],
  requests: readonly ApprovalInfo[],
  runs: ReadonlyMap<string, RunName> = new Map(),
  prompts: ReadonlyMap<string, string | null> = new Map(),
): CockpitRow[] {
  const pending = requests
    .filter(({ state }) => state === 'pending')
    .sort((a, b) => Number(a.behind !== undefined) - Number(b.behind !== undefined) || a.requestedAt - b.requestedAt)
  const own = new Map<string, ApprovalInfo[]>()
  const others: ApprovalInfo[] = []
  const ids = new Set(panes.map(({ id }) => id))
  for (const request of pending) {
    const { session } = request.subject
    if (session !== undefined && ids.has(session)) own.set(session, [...(own.get(session) ?? []), request])
    else others.push(request)
  }
  return [
    ...others.map(request => {
      const run = runs.get(request.subject.run ?? '')
      return { id: request.id, pane: null, request, more: 0, ...(run && { run }) }
    }),
    ...sortPanes(panes).map(pane => {
      const [request = null, ...rest] = own.get(pane.id) ?? []
      const prompt = request && prompts.get(request.id)
      return { id: pane.id, pane, request, more: rest.length, ...(prompt && { prompt }) }
    }),
  ]
}

export function needsYou({ pane, request }: CockpitRow): boolean {
  return request !== null || (pane?.needsYou ?? false)
}

export function isListed(row: CockpitRow, { filter, showsAll }: { filter: string; showsAll: boolean }): boolean {
  const { pane } = row
  if (!showsAll && pane && !needsYou(row) && (pane.shown === 'idle' || pane.isFaded)) return false
  if (filter === '') return true
  if (pane) return matchesFilter(pane, filter)
  const text = `needs you ${nameOf(row)} ${projectName(row)} ${row.request?.subject.agent} ${row.id}`.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

export function nameOf({ pane, request, run }: CockpitRow): string {
  return visibleText((pane?.name || run?.title || request?.display.title || '').replace(/\s+/gu, ' '))
}

export function projectName({ pane, request, run }: CockpitRow): string {
  const directory = pane?.cwd || run?.project || request?.subject.project || ''
  return directory === '' ? '' : basename(directory) || '/'
}
