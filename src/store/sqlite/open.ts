import { resolve } from 'node:path'
import type { Clock } from '../../clock/index.js'
import type { EventValidator } from '../encode-event.js'
import type { EventStore, Projection } from '../event-store.js'
import { BLOCKING_WAIT_MS, BUSY_LIMIT_MS, Connection } from './connection.js'
import { type Database, loadDriver, type SqliteDriver } from './driver.js'
import { migrate, readStoreId, requireNotMoved } from './schema.js'
import { toStoreError } from './sqlite-errors.js'
import { SqliteEventStore } from './sqlite-store.js'
import { ensureStoreFile, makePrivate } from './store-file.js'

export interface OpenSqliteOptions {
  path: string
  clock: Clock
  projections?: readonly Projection[]
  /** Prefixes of chained streams: `checkChain()` detects any change or removal. */
  chained?: readonly string[]
  /** Throws for an invalid event. Injected, because the store knows no event types. */
  validate?: EventValidator
  /** Errors that belong to no call, such as a subscriber's. Default: a warning. */
  onError?: (error: unknown) => void
  /** How long a call waits for another process before `E_STORE_BUSY`. */
  busyLimitMs?: number
  /** The file's maximum size in pages of 4 KiB; beyond it, as on a full disk. */
  maxPages?: number
}

/** The journal is truncated to this size after a checkpoint, however large a burst has made it. */
const JOURNAL_SIZE_BYTES = 16 * 1024 * 1024

/**
 * Pages in the journal before a checkpoint. Each checkpoint syncs twice, even if commits do not; in
 * between, a page that is written repeatedly is copied once. A higher value would only make the
 * first reader after a crash wait longer.
 */
const CHECKPOINT_PAGES = 4_000

/**
 * Opens the store at `path`, and creates it if there is none. A file that is damaged, foreign or
 * from a newer version is refused and left unchanged.
 */
export async function openSqlite(options: OpenSqliteOptions): Promise<EventStore> {
  const { clock, projections = [], validate, onError = warn, busyLimitMs = BUSY_LIMIT_MS } = options
  const path = resolve(options.path)
  const driver = await loadDriver()
  const database = await openFile(driver, path, clock)
  const connection = new Connection({ database, path, clock, busyLimitMs })
  try {
    const id = await connection.read(() => {
      // First, because nothing may be changed in a file that turns out not to be ours.
      migrate(database, path)
      requireNotMoved(database, path)
      makePrivate(path)
      prepareConnection(database, options.maxPages)
      return readStoreId(database, path)
    })
    const store = new SqliteEventStore({ id, connection, projections, clock, validate, onError })
    await store.prepareDocuments()
    if (options.chained) await store.chain(options.chained)
    return store
  } catch (error) {
    await connection.close()
    throw toStoreError(error, path)
  }
}

async function openFile(driver: SqliteDriver, path: string, clock: Clock): Promise<Database> {
  try {
    ensureStoreFile(driver, path, clock.now())
    return new driver(path, { timeout: BLOCKING_WAIT_MS })
  } catch (error) {
    throw toStoreError(error, path)
  }
}

function prepareConnection(database: Database, maxPages: number | undefined): void {
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = ${JOURNAL_SIZE_BYTES}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  )
  if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`)
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
