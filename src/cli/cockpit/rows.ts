import { basename } from 'node:path'
import type { PaneInfo } from '../../supervision/index.js'
import { paneNeedsYou, type RunFacts, runWord, visibleText } from '../../text/index.js'
import type { ApprovalInfo } from '../approvals/approval-info.js'
import { matchesFilter, sortPanes, statusWord } from '../watch/watch-rows.js'

/** What a run is called, and its project; its request names the worktree. */
export interface RunName {
  title: string
  project: string
}

/** Why a run or a session does not continue, and what continues it. */
export interface StopReason {
  word: string
  /** A run that failed has ended; what is paused or interrupted continues. */
  isFailed?: boolean
  why: string
  next: string | null
  since: number
}

/** Stopped work: runs that failed or that no process drives, and sessions without budget. */
export interface StoppedWork {
  runs: readonly (RunName & { id: string; halt: StopReason })[]
  sessions: ReadonlyMap<string, StopReason>
  /** Runs that work and need no answer. */
  working?: readonly (RunName & { id: string; work: Work })[]
}

const NO_STOPPED_WORK: StoppedWork = { runs: [], sessions: new Map() }

/** What the request itself does not contain. */
export type KnownOfRequest = Pick<CockpitRow, 'prompt' | 'file'>

/** A row of the list: a pane, with the request that it waits for; a request of a run; or a run. */
export interface CockpitRow {
  id: string
  pane: PaneInfo | null
  request: ApprovalInfo | null
  /** The run that asks, if it is known. */
  run?: RunName
  /** What the person asked the session for, as far as it is known. */
  prompt?: string | null
  /** The text of the file that the request changes, as far as it is known. */
  file?: string | null
  /** Requests of the same session that can be answered only after this one. */
  more: number
  halt?: StopReason
  /** For a run that works and needs no answer. */
  work?: Work
}

/** A run that neither asks nor halted. */
export interface Work {
  word: string
  since: number
  /** Its current step and how many are done, as far as it is known. */
  at?: string
}

/**
 * Requests of runs first, the oldest at the top; then runs that halted; then panes by urgency, with
 * the runs that continue by themselves after those that need the person.
 */
export function rowsOf(
  panes: readonly PaneInfo[],
  requests: readonly ApprovalInfo[],
  runs: ReadonlyMap<string, RunName> = new Map(),
  known: ReadonlyMap<string, KnownOfRequest> = new Map(),
  halted: StoppedWork = NO_STOPPED_WORK,
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
  const asking = new Set(pending.map(({ subject }) => subject.run))
  const working = (halted.working ?? [])
    .filter(({ id }) => !asking.has(id))
    .map(({ id, title, project, work }) => ({
      id,
      pane: null,
      request: null,
      more: 0,
      run: { title, project },
      work,
    }))
  const rows = sortPanes(panes)
    .map(pane => {
      const [request = null, ...rest] = own.get(pane.id) ?? []
      const halt = halted.sessions.get(pane.id)
      return { id: pane.id, pane, request, more: rest.length, ...known.get(request?.id ?? ''), ...(halt && { halt }) }
    })
    .sort((a, b) => Number(needsYou(b)) - Number(needsYou(a)))
  return [
    ...others.map(request => {
      const run = runs.get(request.subject.run ?? '')
      return { id: request.id, pane: null, request, more: 0, ...(run && { run }) }
    }),
    ...halted.runs.map(({ id, halt, title, project }) => {
      return { id, pane: null, request: null, more: 0, run: { title, project }, halt }
    }),
    ...rows.filter(needsYou),
    ...working,
    ...rows.filter(row => !needsYou(row)),
  ]
}

export function needsYou(row: CockpitRow): boolean {
  return needsIn(row) > 0
}

/** How many things in this row need the person, as the dashboard counts them. */
export function needsIn({ pane, request, halt, more }: CockpitRow): number {
  const requests = request === null ? 0 : 1 + more
  const waits = pane !== null && paneNeedsYou(pane, new Set(request ? [pane.id] : []))
  return requests + Number(waits) + Number(halt !== undefined)
}

/** The row's status in a word. */
export function statusOf({ pane, request, halt, work }: CockpitRow): string {
  if (request) return 'needs you'
  if (work) return work.word
  if (pane && (!halt || pane.status === 'running' || pane.status === 'long-running')) return statusWord(pane)
  return halt?.word ?? 'needs you'
}

/** Since when it has this status. */
export function sinceOf({ pane, request, halt, work }: CockpitRow): number | undefined {
  return request?.requestedAt ?? halt?.since ?? work?.since ?? pane?.since
}

/** What is wrong with the run. */
export function stopReasonOf(run: {
  status: RunFacts['status']
  isUndriven: boolean
  why: string | null
  next: string | null
  endedAt: number | null
  updatedAt: number
}): StopReason {
  const { why, next, isUndriven, endedAt, updatedAt } = run
  return { word: runWord(run), isFailed: !isUndriven, why: why ?? '', next, since: endedAt ?? updatedAt }
}

export function isListed(row: CockpitRow, { filter, showsAll }: { filter: string; showsAll: boolean }): boolean {
  const { pane } = row
  if (!showsAll && pane && !needsYou(row) && (pane.shown === 'idle' || (pane.isFaded && !pane.isRecent))) return false
  if (filter === '') return true
  if (pane) return matchesFilter(pane, filter)
  const words = [
    row.work ? '' : 'needs you',
    statusOf(row),
    nameOf(row),
    projectName(row),
    row.request?.subject.agent ?? 'run',
    row.id,
  ]
  const text = words.join(' ').toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

/** The run that the row is, or whose request it is; null for a session or a pane. */
export function runOf({ id, pane, request, halt, work }: CockpitRow): string | null {
  if (pane) return null
  return request ? (request.subject.run ?? null) : halt || work ? id : null
}

export function nameOf({ pane, request, run }: CockpitRow): string {
  return visibleText((pane?.name || run?.title || request?.display.title || '').replace(/\s+/gu, ' '))
}

export function projectName({ pane, request, run }: CockpitRow): string {
  const directory = pane?.cwd || run?.project || request?.subject.project || ''
  return directory === '' ? '' : basename(directory) || '/'
}
