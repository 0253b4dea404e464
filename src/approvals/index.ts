export { type ApplyOutcome, chooseOption, type MenuPort, type WantedAnswer, type WantedPage } from './apply-menu.js'
export { selectedLabel } from './apply-menu-labels.js'
export { type ApprovalState, approvalTable } from './approval-table.js'
export { type BatchItem, type BatchResult, decideBatch, denyAll, denyBatch } from './batch.js'
export { blockersOf } from './blocked-requests.js'
export { type DecisionRequest, judgeDecision } from './decide.js'
export { DENIAL_MEANINGS, denyingOption, isDenialMeaning } from './denial.js'
export { displayOf, displayText } from './display.js'
export { fingerprintOf, sha256 } from './fingerprint.js'
export type { GrantRegistry } from './grant-registry.js'
export { type GrantRecord, type GrantRequest, type GrantSwitch, grantsProjection } from './grants.js'
export { type Join, joinReports, type MenuReport, type ReportedRequest } from './join-reports.js'
export { Ledger, type LedgerOptions } from './ledger.js'
export { LedgerSweeper } from './ledger-sweeper.js'
export {
  DEFAULT_NOTIFICATION_TIMES,
  type NotificationChannel,
  type NotificationRecipient,
  type NotificationStep,
  type NotificationSubject,
  type NotificationTimes,
  planNotifications,
  type SentMessage,
} from './notification-plan.js'
export { type Actor, type ApprovalPolicy, DEFAULT_POLICY, type Role, type Surface } from './policy.js'
export {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalRequest,
  approvalStream,
  approvalsProjection,
  isOpen,
  isSuperseded,
} from './record.js'
export { type ApprovalReport, buildReport, type ReportFilter, readLedgerEvents, reportRows } from './report.js'
export { approvalKindOf, requestFromMenu } from './request-from-menu.js'
export { requestFromReport, type StructuredReport } from './request-from-report.js'
export { plainWords } from './risk/plain-command.js'
export type { Risk, RiskLevel } from './risk/reason.js'
export { isSecretPath } from './risk/secret-names.js'
export { type RatedRequest, rateRisk } from './risk.js'
export { LEDGER_STREAMS, ledgerProjections } from './streams.js'
export { waitForRecord } from './wait-for-record.js'
