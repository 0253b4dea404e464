import { closedReason, hasWords, plural, type RequestState, truncate, visibleText } from '../text/index.js'
import { decisionWords } from './decision-words.js'
import { displayText } from './display.js'
import type { ApprovalRecord } from './record.js'
import { type ContentLine, requestContent } from './request-content.js'
import { type Decision, decisionOf, isDeniedRequest, requestState } from './request-state.js'
import { requestTitle } from './request-title.js'

/** Which requests a history lists; every given part must match. */
export interface HistoryFilter {
  /** Requests raised at this time or later. */
  since?: number | undefined
  /** And before this time. */
  until?: number | undefined
  session?: string | undefined
  run?: string | undefined
  /** By its directory, or by the name of it. */
  project?: string | undefined
  /** Decided by this person, by id or name. */
  person?: string | undefined
  /** One of these. */
  decisions?: readonly Decision[] | undefined
  /** Every word occurs in what was asked, by whom, or in the decision. */
  words?: string | undefined
}

/** One request with its outcome: a line of the history. */
export interface HistoryItem {
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
  /** The command, the size of the change or the first line of what was asked; null: the title. */
  what: string | null
  risk: string
  state: string
  /** What became of it. */
  result: RequestState
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
  /** From the request until it was decided, also in the agent's own dialog, or closed. */
  waitedMs: number | null
  reason: string | null
  /** The reason in words. */
  why: string | null
}

const WHAT_MAX = 200

/** Pure. */
export function historyItemOf(record: ApprovalRecord): HistoryItem {
  const { subject, request, decision, outcome, requestedAt } = record
  const by = decision ?? outcome?.observed
  const label = decision && request.options.find(option => option.key === decision.option)?.label
  const isApplied = record.state === 'applied' && outcome !== undefined
  const end = decision?.at ?? outcome?.at
  return {
    id: record.id,
    requestedAt,
    project: subject.project,
    agent: subject.agent,
    session: subject.session ?? null,
    run: subject.run ?? null,
    kind: record.kind,
    tool: request.tool,
    title: requestTitle(record),
    what: whatOf(record),
    risk: record.risk.level,
    state: record.state,
    result: requestState(record),
    decidedAt: decision?.at ?? null,
    by: by?.actor.name ?? null,
    surface: by?.surface ?? null,
    option: label ?? by?.option ?? null,
    decided: decision ? decisionWords(record, decision) : null,
    isDenied: isDeniedRequest(record),
    note: decision?.note ?? null,
    grant: decision?.grantId ?? null,
    // Not negative, also when the wall clock was set back.
    decisionMs: decision ? Math.max(0, decision.at - requestedAt) : null,
    appliedMs: isApplied && decision ? Math.max(0, outcome.at - decision.at) : null,
    waitedMs: end === undefined ? null : Math.max(0, end - requestedAt),
    reason: outcome?.reason ?? null,
    why: outcome?.reason === undefined ? null : closedReason(outcome.reason),
  }
}

/** The lines of the request that say most, in one. */
function whatOf(record: ApprovalRecord): string | null {
  const lines = requestContent(record)
  const count = (kind: ContentLine['kind']) => lines.filter(line => line.kind === kind).length
  const line = (text: string) => truncate(visibleText(text, { newlines: 'blank' }).trim(), WHAT_MAX)
  const command = lines.find(({ kind }) => kind === 'command')
  if (command) return `$ ${line(command.text)}`
  const [added, removed] = [count('added'), count('removed')]
  if (added + removed > 0) return `${plural(added, 'line')} added, ${removed} removed`
  const first = lines.find(({ kind, text }) => (kind === 'text' || kind === 'fact') && text.trim() !== '')
  return first ? line(first.text) : null
}

/** Pure. */
export function isInHistory(record: ApprovalRecord, filter: HistoryFilter): boolean {
  const { requestedAt, subject, decision, outcome } = record
  const { since, until, session, run, project, person, decisions, words } = filter
  if (since !== undefined && requestedAt < since) return false
  if (until !== undefined && requestedAt >= until) return false
  if (session !== undefined && subject.session !== session) return false
  if (run !== undefined && subject.run !== run) return false
  if (project !== undefined && subject.project !== project && !subject.project.endsWith(`/${project}`)) return false
  const actor = (decision ?? outcome?.observed)?.actor
  if (person !== undefined && actor?.id !== person && actor?.name !== person) return false
  if (decisions && decisions.length > 0) {
    const made = decisionOf(requestState(record))
    if (made === null || !decisions.includes(made)) return false
  }
  return words === undefined || hasWords(words, textsOf(record))
}

/** The texts in which a search looks. */
function textsOf({ id, kind, subject, request, display, decision, outcome }: ApprovalRecord): (string | undefined)[] {
  const asked = { id, kind, subject, request, display }
  return [
    ...[id, requestTitle(asked), request.tool, subject.agent, subject.project, subject.session, subject.run],
    ...[(decision ?? outcome?.observed)?.actor.name, decision?.note, displayText(display)],
    decision && decisionWords({ kind, request }, decision),
  ]
}
