import type { Clock } from '../../clock/index.js'
import type { EventValidator } from '../encode-event.js'
import type { EventStore, Projection } from '../event-store.js'
import { openClient } from './connections.js'
import { toStoreError } from './postgres-errors.js'
import { PostgresEventStore } from './postgres-store.js'
import { migrate } from './schema.js'
import { parseStoreUrl } from './store-url.js'

export interface OpenPostgresOptions {
  url: string
  /** Without it: `PGPASSWORD`, or the file that `PGPASSFILE` names. */
  password?: string
  clock: Clock
  projections?: readonly Projection[]
  chained?: readonly string[]
  validate?: EventValidator
  onError?: (error: unknown) => void
  /** Replaces the database's clock: for tests that move time. */
  now?: () => number
}

/** Opens the store in this database, and creates or migrates its schema. */
export async function openPostgres(options: OpenPostgresOptions): Promise<EventStore> {
  const { clock, projections = [], chained = [], validate, now, password } = options
  const target = parseStoreUrl(options.url)
  let id: string
  try {
    const client = await openClient({ target, password })
    try {
      id = await migrate(client, target.schema, target.shown)
    } finally {
      await client.end()
    }
  } catch (error) {
    throw toStoreError(error, target.shown)
  }
  const onError = options.onError ?? (error => process.emitWarning(error instanceof Error ? error : String(error)))
  const store = new PostgresEventStore({ id, target, password, projections, clock, now, validate, onError })
  try {
    await store.prepare(chained)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}
