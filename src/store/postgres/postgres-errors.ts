import { SignalboxError } from '../../errors/index.js'

/** How long a call waits for a database that does not answer, or for its locks. */
export const AWAY_LIMIT_MS = 15_000

/**
 * Classes and codes of SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
const CONNECTION_LOST = /^(08...|57P0[1-3]|25P0[34])$/
const SERVER_BUSY = /^(55P03|57014|40001|40P01|53300)$/
const NOT_ALLOWED = /^(28...|3D000|42501)$/

function sqlState(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : ''
}

/** Whether the outcome of the statement is unknown: it may have been committed or not. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof SignalboxError) return false
  const state = sqlState(error)
  // Errors of the socket and of the client library have no SQLSTATE.
  return state === '' ? error instanceof Error && !(error instanceof TypeError) : CONNECTION_LOST.test(state)
}

/** Whether the statement was rolled back because the server was busy: it may be tried again. */
export function isBusy(error: unknown): boolean {
  return SERVER_BUSY.test(sqlState(error))
}

/** Converts an error of the database; a SignalboxError stays as it is. */
export function toStoreError(error: unknown, shown: string): SignalboxError {
  if (error instanceof SignalboxError) return error
  const reason = error instanceof Error ? error.message : String(error)
  if (isConnectionLost(error))
    return new SignalboxError('E_STORE_AWAY', `the store ${shown} does not answer: ${reason}`, {
      next: 'check that PostgreSQL runs and can be reached',
      cause: error,
    })
  if (isBusy(error))
    return new SignalboxError('E_STORE_BUSY', `the store ${shown} is busy: ${reason}`, {
      next: 'try again; if it persists, look for long transactions in the database',
      cause: error,
    })
  if (NOT_ALLOWED.test(sqlState(error)))
    return new SignalboxError('E_STORE_ACCESS', `the store ${shown} cannot be used: ${reason}`, {
      next: 'check the user, the password (`store.password_file`) and the rights of the role',
      cause: error,
    })
  return new SignalboxError('E_STORE', `the store ${shown} failed: ${reason}`, { cause: error })
}
