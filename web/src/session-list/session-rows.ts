import { distinctNames } from '../api/distinct-names'
import { baseName, timeOf } from '../api/format'
import type { Pane, Session } from '../api/types'
import { agentWord, sessionName } from '../store/session-name'
import { type Badge, isLiveSession, paneBadge, sessionBadge } from '../ui/status'

/** A session or a pane of tmux, as the page *Sessions* lists both. */
export interface Row {
  id: string
  name: string
  /** The number of a session; the place of a tmux pane. */
  place: string
  agent: string
  project: string
  /** Its path: two projects may have one name. */
  projectPath: string
  cwd: string
  doing: string
  badge: Badge
  state: State
  /** When its status last changed. */
  activeAt: number
  startedAt: number
  session: Session | null
  pane: Pane | null
}

export type State = 'needs' | 'working' | 'done' | 'idle' | 'ended'
export type Grouping = 'project' | 'state' | 'none'
export type Sorting = 'activity' | 'name' | 'started'

export const STATES: readonly { value: State; label: string }[] = [
  { value: 'needs', label: 'Needs you' },
  { value: 'working', label: 'Working' },
  { value: 'done', label: 'Done' },
  { value: 'idle', label: 'Idle' },
  { value: 'ended', label: 'Ended' },
]

export function sessionRow(session: Session, pane: Pane | undefined): Row {
  const badge = sessionBadge(session, pane)
  const isLive = isLiveSession(session)
  const state = isLive ? stateOf(badge) : 'ended'
  // The status of an idle session begins with the daemon; its last turn is older.
  const isIdleOrDone = (state === 'idle' || state === 'done') && session.activeAt !== undefined
  const at = isIdleOrDone
    ? session.activeAt!
    : isLive
      ? (pane?.since ?? session.startedAt)
      : (session.endedAt ?? session.startedAt)
  return {
    id: session.id,
    name: sessionName(session),
    place: String(session.number),
    agent: agentWord(session),
    project: baseName(session.project),
    projectPath: session.project,
    cwd: session.cwd,
    doing: isLive ? doingOf(session, pane) : '',
    badge,
    state,
    activeAt: timeOf(at),
    startedAt: timeOf(session.startedAt),
    session,
    pane: pane ?? null,
  }
}

/** What it does, unless its name says that. */
export function doingOf(session: Session, pane: Pick<Pane, 'doing'> | undefined): string {
  const doing = session.question ?? pane?.doing ?? ''
  return sessionName(session).toLowerCase().startsWith(doing.toLowerCase()) ? '' : doing
}

export function tmuxRow(pane: Pane): Row {
  const badge = paneBadge(pane)
  return {
    id: pane.id,
    name: pane.name || pane.title || pane.agent || pane.command,
    place: pane.place,
    agent: pane.agent ?? pane.command,
    project: baseName(pane.cwd),
    projectPath: pane.cwd,
    cwd: pane.cwd,
    doing: pane.doing,
    badge,
    state: pane.needsYou ? 'needs' : stateOf(badge),
    activeAt: timeOf(pane.since),
    startedAt: timeOf(pane.startedAt),
    session: null,
    pane,
  }
}

function stateOf({ tone }: Badge): State {
  if (tone === 'warning' || tone === 'danger') return 'needs'
  if (tone === 'active') return 'working'
  return tone === 'done' ? 'done' : 'idle'
}

/** Its status holds now: since when it does, not how long ago it changed. */
export function isNow({ state }: Row): boolean {
  return state === 'working' || state === 'needs'
}

export function countStates(rows: readonly Row[]): Record<State, number> {
  const counts: Record<State, number> = { needs: 0, working: 0, done: 0, idle: 0, ended: 0 }
  for (const { state } of rows) counts[state]++
  return counts
}

export function hasWords({ name, agent, cwd, doing, place, id }: Row, words: string): boolean {
  const text = `${name} ${agent} ${cwd} ${doing} ${place} ${id}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

const RANK: Readonly<Record<State, number>> = { needs: 0, working: 1, done: 2, idle: 3, ended: 4 }
const byName = new Intl.Collator(undefined, { numeric: true })

/** Rows in order, in groups; a group with something that needs you comes first. */
export function groupRows(
  rows: readonly Row[],
  { group, sort }: { group: Grouping; sort: Sorting },
): { name: string; rows: Row[] }[] {
  const compare: Record<Sorting, (a: Row, b: Row) => number> = {
    activity: (a, b) => RANK[a.state] - RANK[b.state] || b.activeAt - a.activeAt,
    name: (a, b) => byName.compare(a.name, b.name),
    started: (a, b) => b.startedAt - a.startedAt,
  }
  const sorted = [...rows].sort(compare[sort])
  if (group === 'none') return sorted.length > 0 ? [{ name: '', rows: sorted }] : []
  const projects = distinctNames(sorted.map(({ projectPath }) => projectPath))
  const groups = new Map<string, Row[]>()
  for (const row of sorted) {
    const name =
      group === 'project' ? projects.get(row.projectPath)! : STATES.find(({ value }) => value === row.state)!.label
    groups.set(name, [...(groups.get(name) ?? []), row])
  }
  const best = (members: Row[]) => Math.min(...members.map(({ state }) => RANK[state]))
  return [...groups]
    .map(([name, members]) => ({ name, rows: members }))
    .sort((a, b) => best(a.rows) - best(b.rows) || byName.compare(a.name, b.name))
}
