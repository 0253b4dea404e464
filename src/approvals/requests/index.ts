/** A second, narrow door for whoever makes requests and names them, without the ledger that decides them. */
export { fingerprintOf, sha256 } from '../fingerprint.js'
export { type ApprovalRequest, approvalStream } from '../record.js'
