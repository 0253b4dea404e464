import type { ChainEnd } from '../chain.js'
import { decodeJson } from '../encode-event.js'
import { type Database, loadDriver } from '../sqlite/driver.js'

/** The end of the chain as the file has it. */
export async function readFileChainEnd(path: string): Promise<ChainEnd | null> {
  return withFile(path, database => {
    const row = database.prepare("SELECT value FROM meta WHERE key = 'chain'").get() as { value: string } | undefined
    return row ? (decodeJson(row.value) as ChainEnd) : null
  })
}

/** From now on the file is not opened as a store any more. */
export async function markMoved(path: string, to: string): Promise<void> {
  await withFile(path, database => {
    database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('moved_to', ?)").run(to)
  })
}

async function withFile<T>(path: string, work: (database: Database) => T): Promise<T> {
  const driver = await loadDriver()
  const database = new driver(path, { timeout: 5_000 })
  try {
    return work(database)
  } finally {
    database.close()
  }
}
