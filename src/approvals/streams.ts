import { grantsProjection } from './grants.js'
import { lockdownProjection } from './lockdown.js'
import { approvalsProjection } from './record.js'

/**
 * The streams of the ledger. They are hash-chained, so that `doctor` detects changed and removed
 * events.
 */
export const LEDGER_STREAMS: readonly string[] = ['approval/', 'grant/']

export const ledgerProjections = [approvalsProjection, grantsProjection, lockdownProjection] as const
