/*
 * The ledger of decisions: every request for a decision by an agent, a graph or a pipeline, each
 * decided once and applied once. It is not a user interface: every surface shows the same records
 * and calls the same `Ledger.decide`.
 *
 *   Ledger.request ─► pending ─► Ledger.decide ─► decided ─► delivered by its owner ─► applied
 *        └── a grant covers it ─────────────────────▲           └─► stale, expired, cancelled
 *
 * From a report to a record:
 *   request-from-menu    a live menu becomes an `ApprovalRequest`
 *   request-from-report  a hook's report becomes one
 *   join-reports         which reports are about one request (match-menu: what a menu shows of it)
 *   fingerprint          the hash of exactly what was asked; a decision is bound to it
 *   display              the one rendering that all surfaces show, hidden characters made visible
 *   risk.ts, risk/       the risk of a request, from its command, paths and tool: it never decides
 *   stored-request       what the log keeps: without secrets, of bounded size
 *   record               the record as a projection of its stream; approval-table has its states
 *
 * A decision:
 *   ledger               reads, judges, appends at the judged version; judges again on a conflict
 *   decide (pure)        every rule, in order: form, role, surface, state, fingerprint, option,
 *                        lockdown, grants, display, step-up, edits. A new rule belongs there
 *   policy, lockdown     the settings and the state that the rules depend on
 *   denial               which answers are denials; the dashboard imports it as well
 *   decision-words       what was decided, in the words of every surface
 *   request-content      what a request asks for as lines of text: an edit as a diff
 *   request-state        what became of a request, in one word; the dashboard imports it as well
 *   request-title        what a request is about, as one sentence; the dashboard imports it as well
 *   grants, manual-only  decisions in advance, and what only a person may decide
 *   standing             decisions in advance by pattern, until they are revoked
 *   batch                several requests at once, each decided on its own
 *
 * Afterwards:
 *   ledger-sweeper       deadlines, and the ends of grants
 *   wait-for-record      waits for the outcome, whichever process brings it about
 *   history              one line for each request, and which of them are wanted
 *   report               the whole history, with times, refusals and grants
 *
 * requests/ is a narrow entry point for rooms that create requests and do not decide them.
 *
 * `host/open-ledger.ts` opens the ledger of a home, with its settings: outside tests, use that
 * and not `new Ledger`. The owner of a request delivers its decision: sessions/ for a session,
 * runs/ for a run's agent. The answer of a gate is written in the transaction of its decision.
 */
export { approvalTable } from './approval-table.js'
export { type BatchResult, decideBatch, denyAll, denyBatch } from './batch.js'
export { blockersOf } from './blocked-requests.js'
export type { ProposedDecision } from './decide.js'
export { decisionWords } from './decision-words.js'
export { DENIAL_MEANINGS, denyingOption, isDenialMeaning } from './denial.js'
export { displayOf, displayText } from './display.js'
export { fingerprintOf, sha256 } from './fingerprint.js'
export type { GrantRequest } from './grants.js'
export { type HistoryFilter, historyItemOf, isInHistory } from './history.js'
export { type Join, joinReports } from './join-reports.js'
export { Ledger, type LedgerOptions } from './ledger.js'
export { LEDGER_OPERATIONS, type LedgerOperation, type LedgerPort } from './ledger-port.js'
export { LedgerSweeper } from './ledger-sweeper.js'
export { terminalOnlyReason } from './manual-only.js'
export { matchMenu } from './match-menu.js'
export { type Actor, type ApprovalPolicy, DEFAULT_POLICY } from './policy.js'
export {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalRequest,
  approvalStream,
  approvalsProjection,
  isOpen,
  isSuperseded,
} from './record.js'
export { buildReport, readLedgerEvents, reportRows } from './report.js'
export { type ContentLine, contentText, requestContent } from './request-content.js'
export { approvalKindOf, requestFromMenu } from './request-from-menu.js'
export { requestFromReport, type StructuredReport } from './request-from-report.js'
export { LOOP_COUNT, LOOP_MS } from './request-history.js'
export { DECISIONS, requestState } from './request-state.js'
export { agentName, requestTitle } from './request-title.js'
export { plainWords } from './risk/plain-command.js'
export { isSecretPath } from './risk/secret-names.js'
export { readToolUse } from './risk/tool-input.js'
export { rateRisk } from './risk.js'
export { previewStanding, standingGrant } from './standing.js'
export { LEDGER_STREAMS, ledgerProjections } from './streams.js'
export { waitForRecord } from './wait-for-record.js'
