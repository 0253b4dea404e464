import { isEvent } from '../events/index.js'
import type { EventStore, StoredEvent } from '../store/index.js'
import { csvCell, type RequestState } from '../text/index.js'
import { type GrantRecord, grantsProjection, isGrant } from './grants.js'
import { type HistoryFilter, type HistoryItem, historyItemOf, isInHistory } from './history.js'
import { type ApprovalRecord, approvalsProjection, isSuperseded } from './record.js'
import { isDeniedRequest } from './request-state.js'

interface Times {
  count: number
  medianMs: number | null
  p95Ms: number | null
}

interface Tally {
  name: string
  requests: number
  allowed: number
  denied: number
  toDecision: Times
}

export interface ApprovalReport {
  requests: number
  /** By what became of them. */
  states: Partial<Record<RequestState, number>>
  toDecision: Times
  toApplied: Times
  byPerson: Tally[]
  bySurface: Tally[]
  byTool: Tally[]
  byRisk: Tally[]
  denials: { id: string; tool: string; by: string; surface: string; at: number; note: string | null }[]
  grants: (GrantRecord & { usedBy: { approval: string; at: number }[] })[]
  closed: { id: string; state: string; reason: string; at: number }[]
  refused: { id: string; by: string; surface: string; code: string; reason: string; at: number }[]
  items: HistoryItem[]
}

const PAGE = 1_000

/** Every event of the ledger, oldest first. */
export async function readLedgerEvents(store: EventStore): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let after = 0; ; ) {
    const page = await store.readAll({ after, limit: PAGE, types: REPORT_TYPES })
    events.push(...page)
    if (page.length < PAGE) return events
    after = page.at(-1)!.position
  }
}

const REPORT_TYPES: readonly string[] = [...approvalsProjection.types, ...grantsProjection.types]

/** The report from the ledger's events in order. Pure. */
export function buildReport(events: Iterable<StoredEvent>, filter: HistoryFilter = {}): ApprovalReport {
  const { records, grants, refused } = fold(events)
  const chosen = [...records.values()].filter(record => !isSuperseded(record) && isInHistory(record, filter))
  const ids = new Set(chosen.map(({ id }) => id))
  const items = chosen.map(historyItemOf)
  return {
    requests: chosen.length,
    states: countBy(items.map(({ result }) => result)),
    toDecision: timesOf(items.map(item => item.decisionMs)),
    toApplied: timesOf(items.map(item => item.appliedMs)),
    byPerson: countByName(items, item => item.by),
    bySurface: countByName(items, item => item.surface),
    byTool: countByName(items, item => item.tool),
    byRisk: countByName(items, item => item.risk),
    denials: chosen.filter(isDeniedRequest).map(({ id, request, decision, outcome }) => ({
      id,
      tool: request.tool,
      by: (decision ?? outcome!.observed!).actor.name,
      surface: (decision ?? outcome!.observed!).surface,
      at: decision?.at ?? outcome!.at,
      note: decision?.note ?? null,
    })),
    grants: [...grants.values()].filter(
      ({ approval, usedBy }) => ids.has(approval) || usedBy.some(use => ids.has(use.approval)),
    ),
    closed: chosen
      .filter(({ state, outcome }) => ['stale', 'expired', 'cancelled'].includes(state) && outcome)
      .map(({ id, state, outcome }) => ({ id, state, reason: outcome!.reason ?? '', at: outcome!.at })),
    refused: refused.filter(({ id }) => ids.has(id)),
    items,
  }
}

interface Folded {
  records: Map<string, ApprovalRecord>
  grants: Map<string, ApprovalReport['grants'][number]>
  refused: ApprovalReport['refused']
}

function fold(events: Iterable<StoredEvent>): Folded {
  const folded: Folded = { records: new Map(), grants: new Map(), refused: [] }
  for (const event of events) {
    const id = event.stream.slice(event.stream.indexOf('/') + 1)
    const { at } = event
    if (event.stream.startsWith('grant/')) {
      const before = folded.grants.get(id)
      const next = grantsProjection.evolve(before ?? null, event)
      if (!next || !isGrant(next)) continue
      const usedBy = before?.usedBy ?? []
      if (isEvent(event, 'grant.used')) usedBy.push({ approval: event.data.approval, at })
      folded.grants.set(id, { ...next, usedBy })
      continue
    }
    const record = approvalsProjection.evolve(folded.records.get(id) ?? null, event)
    if (record) folded.records.set(id, record)
    if (isEvent(event, 'approval.refused')) {
      const { actor, surface, code, reason } = event.data
      folded.refused.push({ id, by: actor.name, surface, code, reason, at })
    }
  }
  return folded
}

function countByName(items: readonly HistoryItem[], nameOf: (item: HistoryItem) => string | null): Tally[] {
  const groups = new Map<string, HistoryItem[]>()
  for (const item of items) {
    const name = nameOf(item)
    if (name !== null) groups.set(name, [...(groups.get(name) ?? []), item])
  }
  return [...groups]
    .map(([name, group]) => ({
      name,
      requests: group.length,
      allowed: group.filter(item => item.decidedAt !== null && !item.isDenied).length,
      denied: group.filter(item => item.isDenied).length,
      toDecision: timesOf(group.map(item => item.decisionMs)),
    }))
    .sort((a, b) => b.requests - a.requests || (a.name < b.name ? -1 : 1))
}

/** Nearest rank: a value that occurred. */
function timesOf(values: readonly (number | null)[]): Times {
  const sorted = values.filter(value => value !== null).sort((a, b) => a - b)
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
  return { count: sorted.length, medianMs: rank(0.5), p95Ms: rank(0.95) }
}

function countBy<K extends string>(names: readonly K[]): Partial<Record<K, number>> {
  const counts: Partial<Record<K, number>> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const COLUMNS = [
  'id',
  'requestedAt',
  'project',
  'agent',
  'session',
  'run',
  'kind',
  'tool',
  'risk',
  'state',
  'decidedAt',
  'by',
  'surface',
  'option',
  'note',
  'grant',
  'decisionMs',
  'appliedMs',
  'reason',
] as const satisfies readonly (keyof HistoryItem)[]

/** The items as CSV, times in ISO form; no cell is read as a formula. */
export function reportRows({ items }: Pick<ApprovalReport, 'items'>): string[] {
  const cell = (item: HistoryItem, column: (typeof COLUMNS)[number]) => {
    const value = item[column]
    return csvCell(typeof value === 'number' && column.endsWith('At') ? new Date(value).toISOString() : value)
  }
  return [COLUMNS.join(','), ...items.map(item => COLUMNS.map(column => cell(item, column)).join(','))]
}
