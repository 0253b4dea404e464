import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobBackend } from './blob-store.js'

/** Blobs as files of a directory. */
export function fileBlobs(directory: string): BlobBackend {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = (name: string) => join(directory, `${name}.br`)
  return {
    has: async name => existsSync(path(name)),
    write: async (name, compressed) => {
      const draft = `${path(name)}.${randomBytes(4).toString('hex')}`
      await writeFile(draft, compressed, { mode: 0o600, flush: true })
      await rename(draft, path(name))
    },
    read: name =>
      readFile(path(name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      }),
  }
}
