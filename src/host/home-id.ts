import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The id of a home directory, created with its first use. Several home directories may share one
 * store; host names and paths may be the same for several of them.
 */
export function homeId(dataDirectory: string): string {
  const file = join(dataDirectory, 'home-id')
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const id = `home_${randomBytes(6).toString('hex')}`
  const draft = `${file}.${id}`
  writeFileSync(draft, `${id}\n`, { mode: 0o600 })
  try {
    // Of two processes that create it at the same moment, one fails here.
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(file, 'utf8').trim()
}
