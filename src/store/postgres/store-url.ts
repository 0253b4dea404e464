import { readFileSync } from 'node:fs'
import { SignalboxError } from '../../errors/index.js'

const DEFAULT_SCHEMA = 'signalbox'
const DEFAULT_PORT = 5432
const PASSWORD_SOURCES = 'passwords come from `store.password_file`, `PGPASSFILE` or `PGPASSWORD`'

/** Where a PostgreSQL store is. */
export interface PostgresTarget {
  host: string
  port: number
  database: string
  user: string | undefined
  schema: string
  /** The URL without anything secret, for messages. */
  shown: string
  /**
   * `verify` checks the server's certificate and name; loopback addresses and sockets need no TLS.
   */
  tls: 'verify' | 'off'
}

export function isStoreUrl(text: string): boolean {
  return /^postgres(ql)?:/.test(text)
}

/** @throws SignalboxError `E_INPUT` for a URL that is invalid or holds a password. */
export function parseStoreUrl(text: string): PostgresTarget {
  // Never quote the text: it may hold the password.
  const wrong = (what: string, next = 'use postgres://user@host:5432/database') =>
    new SignalboxError('E_INPUT', what, { next })
  if (!URL.canParse(text)) throw wrong('the URL of the store is invalid')
  const url = new URL(text)
  if (!isStoreUrl(text)) throw wrong(`the store's URL starts with "${url.protocol}", not "postgres:"`)
  if (url.password !== '' || url.searchParams.has('password'))
    throw wrong(`the store's URL contains a password; ${PASSWORD_SOURCES}`, 'remove the password from the URL')
  const unknown = [...url.searchParams.keys()].find(name => name !== 'schema' && name !== 'host')
  if (unknown !== undefined) throw wrong(`the store's URL has the unknown parameter "${unknown}"`)
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  const database = decodeURIComponent(url.pathname.slice(1))
  if (database === '') throw wrong("the store's URL names no database")
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA
  // The name is part of the notification channel, which has at most 63 bytes.
  if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema))
    throw wrong(`the schema "${schema}" is not a name of 1 to 41 lower-case letters, digits and underscores`)
  return {
    host: host === '' ? 'localhost' : host.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    database,
    user: url.username === '' ? undefined : decodeURIComponent(url.username),
    schema,
    shown: url.href,
    tls: isLocal(host) ? 'off' : 'verify',
  }
}

function isLocal(host: string): boolean {
  return host === '' || host.startsWith('/') || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)
}

/** @throws SignalboxError `E_INPUT` */
export function readPasswordFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new SignalboxError('E_INPUT', `the password file ${path} cannot be read: ${(error as Error).message}`, {
      next: 'check `store.password_file`',
      cause: error,
    })
  }
}
