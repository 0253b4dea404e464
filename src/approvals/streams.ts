import { grantsProjection } from './grants.js'
import { lockdownProjection } from './lockdown.js'
import { approvalsProjection } from './record.js'

/** The ledger's streams, hash-chained: `doctor` detects changes and removals. */
export const LEDGER_STREAMS: readonly string[] = ['approval/', 'grant/']

export const ledgerProjections = [approvalsProjection, grantsProjection, lockdownProjection] as const
