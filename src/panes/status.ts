import { lookup } from '../machine/index.js'
import type { Awaiting, TerminalView } from '../screen/index.js'
import { type Authority, type Claim, rankOf } from './evidence.js'
import { type PaneStatus, type StatusAction, type StatusEvent, statusTable } from './status-table.js'

/** A pane's status and its details. Times are seconds since the pane's start. */
export interface StatusState {
  status: PaneStatus
  /** The source of the report that led to this status. */
  source: Authority | 'timer' | 'user' | 'none'
  startedAt: number
  label: string
  exitCode?: number | null
  seen: boolean
  /** Grows when the pane's process is replaced. */
  generation: number
  /** Grows with every change. */
  stateId: number
  background: number
  stuck: null | 'frozen' | 'no-progress'
  waitedSince?: number
  /** Who started the open work, and until when that report counts. */
  work: { authority: StatusState['source']; expires: number | null } | null
}

/** One thing that happened to a pane. */
export interface StatusSignal {
  event: StatusEvent
  source: StatusState['source']
  t: number
  generation: number
  expires?: number | null
  label?: string
  exitCode?: number | null
  background?: number
  /** A live menu is on screen, or an approval is pending. */
  isAsking?: boolean
  /** It won a reading: every higher report has expired. */
  isReading?: boolean
}

/** An accepted or refused event, for the pane's history. */
export interface StatusEntry {
  t: number
  event: StatusEvent
  source: StatusState['source']
  from: PaneStatus
  to: PaneStatus
  /** `applied`, or why not: `stale_generation`, `no_rule`, `guard:not-asking` … */
  reason: string
}

export const INITIAL_STATUS: StatusState = {
  status: 'idle',
  source: 'none',
  startedAt: 0,
  label: '',
  seen: true,
  generation: 0,
  stateId: 0,
  background: 0,
  stuck: null,
  work: null,
}

/** The status after a signal. Pure; a signal without a row is refused with a reason. */
export function applySignal(state: StatusState, signal: StatusSignal): { state: StatusState; entry: StatusEntry } {
  const entry = (to: PaneStatus, reason: string): StatusEntry => ({
    t: signal.t,
    event: signal.event,
    source: signal.source,
    from: state.status,
    to,
    reason,
  })
  if (signal.generation < state.generation) return { state, entry: entry(state.status, 'stale_generation') }
  const found = lookup(statusTable, state.status, signal.event, {
    isOtherSource:
      signal.generation > state.generation || (state.work !== null && signal.source !== state.work.authority),
    isAsking: signal.isAsking ?? false,
    isEntitled: isEntitled(state, signal),
    isGuessedWait: state.source === 'silence',
  })
  if (found.unlisted) {
    const guard = found.refusedBy.at(-1)
    return { state, entry: entry(state.status, guard === undefined ? 'no_rule' : `guard:${guard}`) }
  }
  return { state: changed(state, signal, found.next, found.actions, found.isStay), entry: entry(found.next, 'applied') }
}

/**
 * A person, a timer and the process itself end any work; a report only one of its own rank or
 * lower.
 */
function isEntitled(state: StatusState, signal: StatusSignal): boolean {
  const { work } = state
  if (signal.isReading || work === null || (work.expires !== null && signal.t >= work.expires)) return true
  const rank = (source: StatusState['source']) =>
    source === 'none' || source === 'user' || source === 'timer' ? -1 : rankOf(source)
  return rank(signal.source) <= rank(work.authority)
}

function changed(
  state: StatusState,
  signal: StatusSignal,
  next: PaneStatus,
  actions: readonly StatusAction[],
  isStay: boolean,
): StatusState {
  const isWork = isActive(next)
  const isStarted = signal.event === 'start' && actions.includes('restart-clock')
  const after: StatusState = {
    ...state,
    status: next,
    generation: signal.generation,
    stateId: state.stateId + 1,
    background: signal.background ?? (isStay ? state.background : 0),
    seen: next === 'idle' || (isStay && state.seen),
    ...(signal.label !== undefined && { label: signal.label }),
    ...(signal.exitCode !== undefined && { exitCode: signal.exitCode }),
    ...(!isStay && { source: signal.source, stuck: null }),
    work: isStarted
      ? { authority: signal.source, expires: signal.expires ?? null }
      : isWork || next === 'waiting-approval'
        ? (state.work ?? (isWork ? { authority: signal.source, expires: null } : null))
        : null,
  }
  if (next === 'waiting-approval') after.waitedSince = state.waitedSince ?? signal.t
  else delete after.waitedSince
  return Object.assign(after, ...actions.map(action => ACTION_EFFECTS[action](signal)))
}

const ACTION_EFFECTS: Readonly<Record<StatusAction, (signal: StatusSignal) => Partial<StatusState>>> = {
  'restart-clock': ({ t }) => ({ startedAt: t }),
  acknowledge: () => ({ seen: true }),
}

function isActive(status: PaneStatus): boolean {
  return status === 'running' || status === 'long-running'
}

/** The part of a reading that the status needs. */
export interface StatusReading {
  claim: Claim | null
  authority: Authority | 'none'
  view: TerminalView
  awaiting: Awaiting | null
  /** The turn on the screen was ended by a `done` terminator, or the pack has no terminators. */
  isTurnClosed: boolean
  /** An approval of this pane is pending. */
  isPending?: boolean
}

/** The event that a claim causes. Null if it does not concern the status. */
export function eventOfClaim(reading: StatusReading, before: Claim | null, status: PaneStatus): StatusEvent | null {
  const { claim, authority, view } = reading
  if (!claim) return null
  if (claim.is === 'working' || (view === 'parallel_agents' && claim.is !== 'exited')) {
    if (status === 'waiting-approval') return before?.is === 'blocked' ? 'answered' : 'activity'
    return before?.is === 'working' && isActive(status) ? 'activity' : 'start'
  }
  const isRunOpen = isActive(status) || status === 'waiting-approval'
  switch (claim.is) {
    case 'blocked':
      return claim.awaiting === 'picker' || claim.awaiting === 'exit_confirm' ? null : 'ask'
    case 'done':
      return 'finish-ok'
    case 'failed':
      return 'finish-fail'
    case 'stopped':
      return 'idle'
    case 'idle': {
      if (claim.fresh || !isRunOpen) return 'idle'
      const isReported = authority === 'osc7501' || authority === 'hook' || authority === 'transcript'
      return !isReported && reading.isTurnClosed ? 'finish-ok' : 'idle'
    }
    case 'exited':
      return claim.code === 0 && claim.signal === null ? 'gone-ok' : 'gone-fail'
    case 'starting':
      return null
  }
}
