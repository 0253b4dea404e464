import { closeSync, copyFileSync, existsSync, openSync, readSync, writeSync } from 'node:fs'
import type { Database, Driver } from './driver.js'
import { isCorrupt } from './sqlite-errors.js'

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
export function openReadableCopy(driver: Driver, path: string, copy: string, pristine: string): Database | null {
  for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix)
  for (const repair of [() => undefined, () => graftFirstPage(pristine, copy)]) {
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

function graftFirstPage(from: string, to: string): void {
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
