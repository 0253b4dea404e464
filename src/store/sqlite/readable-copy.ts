import { closeSync, copyFileSync, existsSync, openSync, readSync, writeSync } from 'node:fs'
import type { Database, Driver } from './driver.js'
import { isCorrupt } from './sqlite-errors.js'

/** Offsets in the first page, https://www.sqlite.org/fileformat.html#the_database_header. */
const CHANGE_COUNTER = 24
const VERSION_VALID_FOR = 92
const PAGE_SIZE = 4096

/**
 * Opens a copy of a damaged file at `copy`, changed so that SQLite reads what is still there; the original keeps its evidence.
 * - A file that was cut: SQLite refuses it because its header promises more pages. The promise counts only while two counters in the
 *   header agree, so the copy's are made to differ, and then only the missing pages are missing.
 * - A damaged first page (the header and the list of tables): `pristine`, an empty store, has the same one, because tables are made
 *   in the same order in every store. Rows that a wrong guess would bring up do not fit their sums.
 * Null when neither helps.
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
