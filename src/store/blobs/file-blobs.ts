import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobBackend } from './blob-store.js'
import { blobsAway } from './blobs-away.js'

/**
 * Blobs as files of a directory that exists. If it is gone, such as with its disk, that is not an
 * empty blob store.
 */
export function fileBlobs(directory: string): BlobBackend {
  const path = (name: string) => join(directory, `${name}.br`)
  const away = (error: NodeJS.ErrnoException) => blobsAway(directory, error.message)
  const missing = () => blobsAway(directory, 'the directory does not exist')
  return {
    has: async name => existsSync(path(name)),
    write: async (name, compressed) => {
      const draft = `${path(name)}.${randomBytes(4).toString('hex')}`
      try {
        await writeFile(draft, compressed, { mode: 0o600, flush: true })
        await rename(draft, path(name))
      } catch (error) {
        throw existsSync(directory) ? away(error as NodeJS.ErrnoException) : missing()
      }
    },
    read: name =>
      readFile(path(name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw away(error)
        if (existsSync(directory)) return null
        throw missing()
      }),
  }
}
