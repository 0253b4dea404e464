/** A narrow entry point for rooms that create requests and do not decide them. */
export { fingerprintOf, sha256 } from '../fingerprint.js'
export { type ApprovalRequest, approvalStream } from '../record.js'
