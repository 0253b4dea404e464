export { type ApplyOutcome, chooseOption, type MenuPort } from './apply-menu.js'
export { type ApprovalState, approvalTable } from './approval-table.js'
export { type DecisionRequest, judgeDecision } from './decide.js'
export { approvalKindOf, requestFromMenu } from './from-menu.js'
export { Ledger } from './ledger.js'
export {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalRequest,
  approvalStream,
  approvalsProjection,
} from './record.js'
