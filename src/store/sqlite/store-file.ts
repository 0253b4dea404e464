import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Driver } from './driver.js'
import { createSchema } from './schema.js'
import { corruptStore, unusableHome } from './sqlite-errors.js'

/** What SQLite keeps beside the database; they take over its mode. */
export const COMPANIONS = ['-wal', '-shm'] as const

const PRIVATE_FILE = 0o600
const PRIVATE_DIRECTORY = 0o700

/**
 * Makes sure that a whole store is at `path`. A new one is built under another name and then put in place, so that nobody ever sees
 * half a store. That is also why an empty file can be told apart: it is never a store that somebody was about to make.
 */
export function ensureStoreFile(driver: Driver, path: string, now: number): void {
  if (!existsSync(path)) {
    // Seeing the journal and then still no database: it was lost or moved, for whoever makes a store makes the database first.
    if (existsSync(`${path}-wal`) && !existsSync(path))
      throw corruptStore(path, 'the file is gone but its journal is still there')
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY })
    placeNewFile(buildStoreFile(driver, path, now), path)
  }
  const stat = statSync(path)
  if (!stat.isFile()) throw unusableHome(path, 'it is not a file')
  if (stat.size === 0) throw corruptStore(path, 'the file is empty')
}

/** For a store that came from elsewhere, with a mode that lets others read it. */
export function makePrivate(path: string): void {
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, PRIVATE_FILE)
}

/** Builds an empty store beside `path` and returns its temporary name. */
export function buildStoreFile(driver: Driver, path: string, now: number): string {
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

/** Links instead of renaming: of two processes that make the first store, the second must not replace the one of the first. */
function placeNewFile(temporary: string, path: string): void {
  try {
    linkSync(temporary, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') {
      // A file system without hard links.
      if (!existsSync(path)) renameSync(temporary, path)
    } else if (code !== 'EEXIST') throw error
  } finally {
    removeStoreFile(temporary)
  }
}
