import { closeSync, copyFileSync, existsSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { BLOCKING_WAIT_MS } from './connection.js'
import { type Database, loadDriver, releaseClosedDatabases, type SqliteDriver } from './driver.js'
import { type SalvageCounts, salvage } from './salvage.js'
import { busyStore, isBusy, isCorrupt, toStoreError } from './sqlite-errors.js'
import { buildStoreFile, COMPANIONS, removeStoreFile } from './store-file.js'

export interface Quarantine {
  /** The new path of the damaged file; its journal is next to it. */
  movedTo: string
  /** What the new store contains; null if nothing was readable and none was created. */
  salvaged: SalvageCounts | null
}

/**
 * Moves a damaged store aside and replaces it with a new one that contains everything readable. The
 * new store is complete before anything moves, and nothing is deleted.
 * @throws SignalboxError `E_STORE_BUSY` while another process has the store open: it would continue
 * writing to the moved file.
 */
export async function quarantine(path: string, options: { clock: Clock }): Promise<Quarantine> {
  const original = resolve(path)
  const now = options.clock.now()
  const driver = await loadDriver()
  if (partsOf(original).length === 0) throw new SignalboxError('E_UNKNOWN', `there is no store at ${original}`)
  try {
    await requireUnused(driver, original)
    const replacement = buildReplacement(driver, original, now)
    const movedTo = freeName(`${original}.quarantine-${new Date(now).toISOString().replace(/[-:.]/g, '')}`)
    for (const suffix of partsOf(original)) renameSync(original + suffix, movedTo + suffix)
    if (replacement) renameSync(replacement.file, original)
    return { movedTo, salvaged: replacement?.counts ?? null }
  } catch (error) {
    throw toStoreError(error, original)
  }
}

/**
 * A check, not a lock: copying the file closes a handle of it, and POSIX then drops every lock of
 * the process on it. A process that opens the store just after this check is refused because of the
 * damage itself.
 */
async function requireUnused(driver: SqliteDriver, path: string): Promise<void> {
  if (!existsSync(path) || !isInUse(driver, path)) return
  await releaseClosedDatabases()
  if (isInUse(driver, path)) throw busyStore(path)
}

/** In exclusive mode SQLite refuses the lock while another process has the file. */
function isInUse(driver: SqliteDriver, path: string): boolean {
  const database = new driver(path, { timeout: BLOCKING_WAIT_MS })
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; ROLLBACK')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    if (isCorrupt(error)) return false
    throw error
  } finally {
    database.close()
  }
}

interface Replacement {
  file: string
  counts: SalvageCounts
}

function buildReplacement(driver: SqliteDriver, path: string, now: number): Replacement | null {
  if (!existsSync(path)) return null
  const file = buildStoreFile(driver, path, now)
  const copy = `${file}-source`
  let source: Database | null = null
  let counts: SalvageCounts | null = null
  try {
    source = openReadableCopy(driver, path, copy, file)
    counts = source && salvageInto(driver, source, file)
  } finally {
    source?.close()
    removeStoreFile(copy)
    if (!counts?.events) removeStoreFile(file)
  }
  return counts?.events ? { file, counts } : null
}

function salvageInto(driver: SqliteDriver, source: Database, file: string): SalvageCounts {
  const target = new driver(file)
  try {
    return salvage(source, target)
  } finally {
    target.close()
  }
}

function partsOf(path: string): string[] {
  return ['', ...COMPANIONS].filter(suffix => existsSync(path + suffix))
}

function freeName(name: string): string {
  let candidate = name
  for (let n = 2; existsSync(candidate); n += 1) candidate = `${name}-${n}`
  return candidate
}

/** Offsets in the first page, https://www.sqlite.org/fileformat.html#the_database_header. */
const CHANGE_COUNTER = 24
const VERSION_VALID_FOR = 92
const PAGE_SIZE = 4096

/**
 * Opens a copy of a damaged file at `copy`, modified so that SQLite reads what is left; the
 * original stays as evidence.
 * - A truncated file: SQLite refuses it because its header claims more pages. The claim counts only
 *   while two counters in the header agree, so the copy's counters are made to differ; then only
 *   the missing pages are missing.
 * - A damaged first page (the header and the list of tables): it is replaced by the one of
 *   `pristine`, an empty store, because tables are created in the same order in every store. Rows
 *   from a wrong guess fail their checksums. Null if neither helps.
 */
function openReadableCopy(driver: SqliteDriver, path: string, copy: string, pristine: string): Database | null {
  for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix)
  for (const repair of [() => undefined, () => replaceFirstPage(pristine, copy)]) {
    repair()
    ignorePageCount(copy)
    const database = new driver(copy)
    if (canReadEvents(database)) return database
    database.close()
  }
  return null
}

function canReadEvents(database: Database): boolean {
  try {
    database.prepare('SELECT position FROM events WHERE position = 0').all()
    return true
  } catch (error) {
    if (isCorrupt(error) || isMissingTable(error)) return false
    throw error
  }
}

function replaceFirstPage(from: string, to: string): void {
  const page = Buffer.alloc(PAGE_SIZE)
  withFile(from, 'r', file => readSync(file, page, 0, PAGE_SIZE, 0))
  withFile(to, 'r+', file => writeSync(file, page, 0, PAGE_SIZE, 0))
}

function ignorePageCount(path: string): void {
  const counter = Buffer.alloc(4)
  withFile(path, 'r+', file => {
    readSync(file, counter, 0, 4, CHANGE_COUNTER)
    counter.writeUInt32BE((counter.readUInt32BE() ^ 1) >>> 0)
    writeSync(file, counter, 0, 4, VERSION_VALID_FOR)
  })
}

function withFile(path: string, flags: string, use: (file: number) => void): void {
  const file = openSync(path, flags)
  try {
    use(file)
  } finally {
    closeSync(file)
  }
}

function isMissingTable(error: unknown): boolean {
  return error instanceof Error && /no such table/.test(error.message)
}
