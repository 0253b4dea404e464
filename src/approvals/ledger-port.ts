import type { Ledger } from './ledger.js'

/**
 * The operations of the ledger that a session needs: it raises requests and reports what became of
 * them, and decides nothing. A session on a worker asks a server for them.
 */
export const LEDGER_OPERATIONS = [
  'get',
  'isProven',
  'list',
  'recent',
  'request',
  'replace',
  'join',
  'delivering',
  'applied',
  'observed',
  'stale',
  'cancelled',
] as const

export type LedgerOperation = (typeof LEDGER_OPERATIONS)[number]
export type LedgerPort = Pick<Ledger, LedgerOperation>
