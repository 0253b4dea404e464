import type { EventStore } from './event-store.js'
import type { OpenPostgresOptions } from './postgres/open.js'
import { type OpenSqliteOptions, openSqlite } from './sqlite/open.js'

/** `path` opens a SQLite file, `url` a PostgreSQL database. */
export async function openStore(options: OpenSqliteOptions | OpenPostgresOptions): Promise<EventStore> {
  if ('path' in options) return openSqlite(options)
  // The library is loaded only where a PostgreSQL store is used.
  const { openPostgres } = await import('./postgres/open.js')
  return openPostgres(options)
}
