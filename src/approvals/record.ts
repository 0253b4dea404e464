import { type EventData, type EventType, isEvent } from '../events/index.js'
import { lookup, transition } from '../machine/index.js'
import type { ProjectedEvent, Projection } from '../store/index.js'
import { type ApprovalEvent, type ApprovalState, approvalTable } from './approval-table.js'

export type ApprovalRequest = EventData<'approval.requested'>
export type ApprovalDecision = EventData<'approval.decided'>

/** One request for a decision, with its decision and outcome: a projection of its stream. */
export interface ApprovalRecord extends ApprovalRequest {
  id: string
  state: ApprovalState
  version: number
  requestedAt: number
  decision?: ApprovalDecision & { at: number }
  delivery: (EventData<'approval.delivering'> & { at: number })[]
  /** Reports of the same request by other channels. */
  joined?: { channel: string; requestKey: string; toolUseId?: string }[]
  /** The options of the menu on screen, where another channel reported the request. */
  screenOptions?: ApprovalRequest['request']['options']
  /** The people who have seen it, with the surface. */
  seenBy?: string[]
  outcome?: {
    at: number
    reason?: string
    /** The request that supersedes it. */
    followedBy?: string
    evidence?: EventData<'approval.applied'>['evidence']
    waitedMs?: number
    deliveredMs?: number
    /** A person answered in the agent's own dialog. */
    observed?: NonNullable<EventData<'approval.applied'>['observed']>
  }
}

/** All events of the stream: each of them changes the version. */
const TYPES: readonly EventType[] = [
  'approval.requested',
  'approval.joined',
  'approval.seen',
  'approval.decided',
  'approval.refused',
  'approval.delivering',
  'approval.applied',
  'approval.stale',
  'approval.expired',
  'approval.cancelled',
]

export const approvalsProjection: Projection<ApprovalRecord> = {
  name: 'approvals',
  version: 7,
  types: TYPES,
  key: event => event.stream.slice(event.stream.indexOf('/') + 1),
  evolve: (record, event) => {
    const next = evolve(record, event)
    return next && { ...next, version: event.version }
  },
}

function evolve(record: ApprovalRecord | null, event: ProjectedEvent): ApprovalRecord | null {
  if (isEvent(event, 'approval.requested')) {
    const id = event.stream.slice(event.stream.indexOf('/') + 1)
    const [state] = transition(approvalTable, approvalTable.initial, 'requested')
    const at = { version: event.version, requestedAt: event.at }
    return { ...event.data, id, state: state as ApprovalState, ...at, delivery: [] }
  }
  if (!record) return null
  if (isEvent(event, 'approval.joined')) return isOpen(record) ? join(record, event.data) : record
  if (isEvent(event, 'approval.seen')) {
    const who = `${event.data.actor.name} (${event.data.surface})`
    return record.seenBy?.includes(who) ? record : { ...record, seenBy: [...(record.seenBy ?? []), who] }
  }
  const moved = moveOf(event)
  if (!moved || !canMove(record.state, moved.by)) return record
  const [state] = transition(approvalTable, record.state, moved.by)
  return { ...record, state: state as ApprovalState, ...moved.change(record) }
}

/** Another channel's report adds to a request, but never changes what the fingerprint covers. */
function join(record: ApprovalRecord, data: EventData<'approval.joined'>): ApprovalRecord {
  const { channel, requestKey, toolUseId, menuHash, screenOptions, mismatch, terminalOnly, risk, display } = data
  const { terminalOnly: before, ...kept } = record
  const onlyThere = terminalOnly === undefined ? before : terminalOnly
  return {
    ...kept,
    ...(onlyThere != null && { terminalOnly: onlyThere }),
    joined: [...(record.joined ?? []), { channel, requestKey, ...(toolUseId !== undefined && { toolUseId }) }],
    ...(menuHash !== undefined && { menuHash }),
    ...(screenOptions && { screenOptions, request: withMenuOptions(record.request, screenOptions) }),
    ...(mismatch !== undefined && { source: { ...record.source, mismatch } }),
    ...(risk && { risk }),
    ...(display && { display }),
  }
}

/** Meanings that a hook's report does not offer, but the agent's own menu may. */
const MENU_MEANINGS: readonly string[] = ['allow-session', 'allow-always', 'deny-with-text']

/**
 * The request offers what its menu offers, whichever was reported first. Such an option is
 * delivered by keys.
 */
function withMenuOptions(
  request: ApprovalRequest['request'],
  shown: NonNullable<ApprovalRecord['screenOptions']>,
): ApprovalRequest['request'] {
  const added = shown.filter(
    ({ meaning }) => MENU_MEANINGS.includes(meaning) && !request.options.some(option => option.meaning === meaning),
  )
  return added.length === 0 ? request : { ...request, options: [...request.options, ...added] }
}

export function isOpen({ state }: Pick<ApprovalRecord, 'state'>): boolean {
  return state === 'pending' || state === 'decided'
}

/**
 * Superseded: a later report describes the same request in more detail, and surfaces show that one.
 */
export function isSuperseded({ outcome }: Pick<ApprovalRecord, 'outcome'>): boolean {
  return outcome?.followedBy !== undefined
}

/** Whether the table has a row for this event in this state. A closed request stays closed. */
export function canMove(state: ApprovalState, by: ApprovalEvent): boolean {
  const found = lookup(approvalTable, state, by)
  return !found.unlisted && (!found.isStay || by === 'delivering')
}

interface Move {
  by: ApprovalEvent
  change(record: ApprovalRecord): Partial<ApprovalRecord>
}

/** The table's event for a stored event, and what it changes in the record. */
function moveOf(event: ProjectedEvent): Move | null {
  const { at } = event
  const closes = (by: ApprovalEvent, outcome: Omit<NonNullable<ApprovalRecord['outcome']>, 'at'>): Move => ({
    by,
    change: () => ({ outcome: { at, ...outcome } }),
  })
  if (isEvent(event, 'approval.decided')) {
    const by = event.data.grantId === undefined ? 'decide' : 'grant'
    return { by, change: () => ({ decision: { ...event.data, at } }) }
  }
  if (isEvent(event, 'approval.delivering'))
    return { by: 'delivering', change: ({ delivery }) => ({ delivery: [...delivery, { ...event.data, at }] }) }
  if (isEvent(event, 'approval.applied')) {
    const { evidence, waitedMs, deliveredMs, observed } = event.data
    return closes(observed ? 'observed' : 'moved-on', {
      evidence,
      waitedMs,
      ...(deliveredMs !== undefined && { deliveredMs }),
      ...(observed && { observed }),
    })
  }
  if (isEvent(event, 'approval.stale')) {
    const { reason, followedBy } = event.data
    return closes(reason, { reason, ...(followedBy !== undefined && { followedBy }) })
  }
  if (isEvent(event, 'approval.expired')) return closes('deadline', { reason: event.data.reason })
  if (isEvent(event, 'approval.cancelled')) return closes('withdrawn', { reason: event.data.reason })
  return null
}

export function approvalStream(id: string): string {
  return `approval/${id}`
}
