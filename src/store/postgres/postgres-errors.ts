import { SignalboxError } from '../../errors/index.js'

/** How long a call waits for a database that does not answer, or for its locks. */
export const AWAY_LIMIT_MS = 15_000

/**
 * Classes and codes of SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
const CONNECTION_LOST = /^(08...|57P0[1-3]|25P0[34])$/
const SERVER_BUSY = /^(55P03|57014|40001|40P01|53300)$/
/** `read_only_sql_transaction` */
const READ_ONLY = '25006'
const NOT_ALLOWED = /^(28...|3D000|42501)$/

function sqlState(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : ''
}

/**
 * Errors of Node for a certificate that no known authority signed, that is for another name or not
 * valid now: https://nodejs.org/api/tls.html#x509-certificate-error-codes. And of the client
 * library, which sends nothing to a server without TLS if it is to be verified.
 */
const CERTIFICATE_REFUSED = /CERT|LEAF_SIGNATURE|^INVALID_(CA|PURPOSE)$|^HOSTNAME_MISMATCH$/
const WITHOUT_TLS = /does not support SSL|establishing an SSL connection/

/** Of the client library: the server asks for a password, and there is none. */
const NO_PASSWORD = /client password must be/

function hasNoPassword(error: unknown): boolean {
  return NO_PASSWORD.test(String((error as Error | null)?.message))
}

function isUntrusted(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return CERTIFICATE_REFUSED.test(String(code)) || WITHOUT_TLS.test(String(message))
}

/** Whether the outcome of the statement is unknown: it may have been committed or not. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof SignalboxError || hasNoPassword(error)) return false
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
  const reason = hasNoPassword(error)
    ? 'it asks for a password'
    : error instanceof Error
      ? error.message
      : String(error)
  if (isUntrusted(error))
    return new SignalboxError('E_STORE_AWAY', `the server of the store ${shown} is not trusted: ${reason}`, {
      next: 'PostgreSQL needs ssl = on and a certificate for the name in `store.url`; NODE_EXTRA_CA_CERTS=FILE adds your own authority',
      cause: error,
    })
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
  if (sqlState(error) === READ_ONLY)
    return new SignalboxError('E_STORE_ACCESS', `the store ${shown} is read-only, as a standby is`, {
      next: 'set `store.url` to the primary',
      cause: error,
    })
  if (hasNoPassword(error) || NOT_ALLOWED.test(sqlState(error)))
    return new SignalboxError('E_STORE_ACCESS', `the store ${shown} cannot be used: ${reason}`, {
      next: 'check the user, the password (`store.password_file`) and the rights of the role',
      cause: error,
    })
  return new SignalboxError('E_STORE', `the store ${shown} failed: ${reason}`, { cause: error })
}
