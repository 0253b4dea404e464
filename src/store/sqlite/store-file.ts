import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SqliteDriver } from './driver.js'
import { createSchema } from './schema.js'
import { corruptStore, unusableHome } from './sqlite-errors.js'

/** SQLite's files next to the database; they inherit its mode. */
export const COMPANIONS = ['-wal', '-shm'] as const

const PRIVATE_FILE = 0o600
const PRIVATE_DIRECTORY = 0o700

/**
 * Ensures that a complete store exists at `path`. A new one is built under another name and then
 * moved into place, so that no process ever sees a partial store. An empty file is therefore never
 * a store in the making.
 */
export function ensureStoreFile(driver: SqliteDriver, path: string, now: number): void {
  if (!existsSync(path)) {
    // A journal without a database: the database was lost or moved, because a new store is created
    // database first.
    if (existsSync(`${path}-wal`) && !existsSync(path))
      throw corruptStore(path, 'the file is missing but its journal exists')
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY })
    placeNewFile(buildStoreFile(driver, path, now), path)
  }
  const stat = statSync(path)
  if (!stat.isFile()) throw unusableHome(path, 'it is not a regular file')
  if (stat.size === 0) throw corruptStore(path, 'the file is empty')
}

/** For a store that was copied here with a mode that lets others read it. */
export function makePrivate(path: string): void {
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, PRIVATE_FILE)
}

/** Builds an empty store next to `path` and returns its temporary name. */
export function buildStoreFile(driver: SqliteDriver, path: string, now: number): string {
  const temporary = join(dirname(path), `.${basename(path)}.new-${randomBytes(6).toString('hex')}`)
  closeSync(openSync(temporary, 'wx', PRIVATE_FILE))
  try {
    const database = new driver(temporary)
    try {
      createSchema(database, { id: randomBytes(4).toString('hex'), created: now })
    } finally {
      database.close()
    }
  } catch (error) {
    removeStoreFile(temporary)
    throw error
  }
  return temporary
}

export function removeStoreFile(path: string): void {
  for (const suffix of ['', ...COMPANIONS]) rmSync(path + suffix, { force: true })
}

/** Links instead of renaming: the second creator must not replace the first's file. */
function placeNewFile(temporary: string, path: string): void {
  try {
    linkSync(temporary, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') {
      // The file system has no hard links.
      if (!existsSync(path)) renameSync(temporary, path)
    } else if (code !== 'EEXIST') throw error
  } finally {
    removeStoreFile(temporary)
  }
}
