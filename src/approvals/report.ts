import { isEvent } from '../events/index.js'
import type { EventStore, StoredEvent } from '../store/index.js'
import { csvCell } from '../text/index.js'
import { decisionWords } from './decision-words.js'
import { isDenialMeaning } from './denial.js'
import { type GrantRecord, grantsProjection, isGrant } from './grants.js'
import { type ApprovalRecord, approvalsProjection, isSuperseded } from './record.js'
import { requestTitle } from './request-title.js'

export interface ReportFilter {
  /** Requests raised at this time or later. */
  since?: number
  /** And before this time. */
  until?: number
  run?: string
  /** Decided by this person, by id or name. */
  person?: string
}

/** One request with its outcome: a line of the history. */
interface ReportItem {
  id: string
  requestedAt: number
  project: string
  agent: string
  session: string | null
  run: string | null
  kind: string
  tool: string
  /** What was asked, as one sentence. */
  title: string
  risk: string
  state: string
  decidedAt: number | null
  by: string | null
  surface: string | null
  option: string | null
  /** The decision in the words of every surface. */
  decided: string | null
  isDenied: boolean
  note: string | null
  grant: string | null
  /** From the request to the decision. */
  decisionMs: number | null
  /** From the decision until the agent or the run had it. */
  appliedMs: number | null
  reason: string | null
}

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
  states: Record<string, number>
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
  items: ReportItem[]
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
export function buildReport(events: Iterable<StoredEvent>, filter: ReportFilter = {}): ApprovalReport {
  const { records, grants, refused } = fold(events)
  const chosen = [...records.values()].filter(record => !isSuperseded(record) && isMatch(record, filter))
  const ids = new Set(chosen.map(({ id }) => id))
  const items = chosen.map(itemOf)
  return {
    requests: chosen.length,
    states: countBy(chosen.map(({ state }) => state)),
    toDecision: timesOf(items.map(item => item.decisionMs)),
    toApplied: timesOf(items.map(item => item.appliedMs)),
    byPerson: countByName(items, item => item.by),
    bySurface: countByName(items, item => item.surface),
    byTool: countByName(items, item => item.tool),
    byRisk: countByName(items, item => item.risk),
    denials: chosen.filter(isDenied).map(({ id, request, decision, outcome }) => ({
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

function isMatch(
  { requestedAt, subject, decision }: ApprovalRecord,
  { since, until, run, person }: ReportFilter,
): boolean {
  if (since !== undefined && requestedAt < since) return false
  if (until !== undefined && requestedAt >= until) return false
  if (run !== undefined && subject.run !== run) return false
  return person === undefined || decision?.actor.id === person || decision?.actor.name === person
}

function itemOf(record: ApprovalRecord): ReportItem {
  const { subject, request, decision, outcome } = record
  const by = decision ?? outcome?.observed
  const label = decision && request.options.find(option => option.key === decision.option)?.label
  const isApplied = record.state === 'applied' && outcome !== undefined
  return {
    id: record.id,
    requestedAt: record.requestedAt,
    project: subject.project,
    agent: subject.agent,
    session: subject.session ?? null,
    run: subject.run ?? null,
    kind: record.kind,
    tool: request.tool,
    title: requestTitle(record),
    risk: record.risk.level,
    state: record.state,
    decidedAt: decision?.at ?? null,
    by: by?.actor.name ?? null,
    surface: by?.surface ?? null,
    option: label ?? by?.option ?? null,
    decided: decision ? decisionWords(record, decision) : null,
    isDenied: isDenied(record),
    note: decision?.note ?? null,
    grant: decision?.grantId ?? null,
    // Not negative, also when the wall clock was set back.
    decisionMs: decision ? Math.max(0, decision.at - record.requestedAt) : null,
    appliedMs: isApplied && decision ? Math.max(0, outcome.at - decision.at) : null,
    reason: outcome?.reason ?? null,
  }
}

function isDenied({ decision, outcome }: ApprovalRecord): boolean {
  return decision ? isDenialMeaning(decision.tier) : outcome?.observed?.result === 'denied'
}

function countByName(items: readonly ReportItem[], nameOf: (item: ReportItem) => string | null): Tally[] {
  const groups = new Map<string, ReportItem[]>()
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

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
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
] as const satisfies readonly (keyof ReportItem)[]

/** The items as CSV, times in ISO form; no cell is read as a formula. */
export function reportRows({ items }: Pick<ApprovalReport, 'items'>): string[] {
  const cell = (item: ReportItem, column: (typeof COLUMNS)[number]) => {
    const value = item[column]
    return csvCell(typeof value === 'number' && column.endsWith('At') ? new Date(value).toISOString() : value)
  }
  return [COLUMNS.join(','), ...items.map(item => COLUMNS.map(column => cell(item, column)).join(','))]
}
