import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * The part of the `node:sqlite` API that the store uses. Node includes it from 22.5; for older
 * releases (and early ones that hide it behind a flag) `@photostructure/sqlite` provides the same
 * API with a prebuilt SQLite.
 */
export interface Database {
  exec: (sql: string) => void
  prepare(sql: string): Statement
  close(): void
}

export interface Statement {
  run(...values: SqlValue[]): unknown
  get(...values: SqlValue[]): unknown
  all(...values: SqlValue[]): unknown[]
}

export type SqlValue = string | number | Uint8Array | null

interface OpenOptions {
  readOnly?: boolean
  /** How long a call may block the event loop while another process holds the lock. */
  timeout?: number
}

export type SqliteDriver = new (path: string, options?: OpenOptions) => Database

const BUILT_IN = 'node:sqlite'
const PACKAGE = '@photostructure/sqlite'

export async function loadDriver(nodeVersion: string = process.versions.node): Promise<SqliteDriver> {
  if (hasBuiltIn(nodeVersion)) {
    try {
      return await quietly(() => importDriver(BUILT_IN))
    } catch (error) {
      // Node 22.5 to 22.12 provide the module only behind a flag.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error
    }
  }
  return importDriver(PACKAGE)
}

function hasBuiltIn(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 5)
}

/** Node 22–24 warn at the first import that the module is experimental. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { emitWarning } = process
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] !== 'ExperimentalWarning') Reflect.apply(emitWarning, process, [warning, ...rest])
  }) as typeof emitWarning
  try {
    return await work()
  } finally {
    process.emitWarning = emitWarning
  }
}

/** The name is a variable because the types of Node 20 do not know `node:sqlite`. */
async function importDriver(name: string): Promise<SqliteDriver> {
  const module = (await import(/* @vite-ignore */ name)) as { DatabaseSync: SqliteDriver }
  return module.DatabaseSync
}

/**
 * `@photostructure/sqlite` 1.2 keeps a database open after `close()`, with its lock on the file,
 * until its prepared statements are garbage collected, and has no call to release them. This
 * collects them now, where an old lock of our own would be in the way.
 */
export async function releaseClosedDatabases(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  // Native objects are released in the turn after the collection.
  await new Promise(resolve => setImmediate(resolve))
}
