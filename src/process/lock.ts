import { chmodSync } from 'node:fs'

/** Held until it is released or this process ends in any way: the kernel releases it. */
export interface Lock {
  release(): void
}

interface LockDatabase {
  exec: (sql: string) => void
  close(): void
}

/**
 * An exclusive lock on a file, or null when another process holds it.
 *
 * Node has no flock. A file with a process id becomes stale with every crash; SQLite's exclusive
 * transaction is a kernel lock that cannot, and the library is already a dependency. The file
 * contains no data.
 */
export async function acquireLock(path: string): Promise<Lock | null> {
  const database = await openDatabase(path)
  try {
    database.exec('PRAGMA busy_timeout = 0')
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
    chmodSync(path, 0o600)
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if (/locked|busy/i.test(String((error as Error).message))) return null
    throw error
  }
}

async function openDatabase(path: string): Promise<LockDatabase> {
  const { DatabaseSync } = await import('@photostructure/sqlite')
  return new DatabaseSync(path) as unknown as LockDatabase
}
