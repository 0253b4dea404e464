import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'

/**
 * Replaces a file that only its owner may read. Atomic; never follows a symbolic link at that path.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  const handle = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, path).catch(async error => {
    await rm(temporary, { force: true })
    throw error
  })
}

/** Returns null if the file does not exist. */
export async function readPrivateFile(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(error => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  })
}
