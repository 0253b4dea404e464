import { grantsProjection } from './grants.js'
import { lockdownProjection } from './lockdown.js'
import { approvalsProjection } from './record.js'

/** Streams of the ledger: chained, so that `doctor` can tell that nothing was changed or taken out. */
export const LEDGER_STREAMS: readonly string[] = ['approval/', 'grant/']

export const ledgerProjections = [approvalsProjection, grantsProjection, lockdownProjection] as const
