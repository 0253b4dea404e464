import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SignalboxError } from '../../errors/index.js'
import type { EventStore } from '../event-store.js'
import { BlobStore } from './blob-store.js'
import { fileBlobs } from './file-blobs.js'
import { s3Blobs } from './s3-blobs.js'
import { storeBlobs } from './store-blobs.js'

/**
 * The blobs of a server, by the setting `blobs.url`; null: in the database of a shared store, else
 * files in the data directory. A directory of the setting is not created: where it is missing, its
 * disk may be.
 * @throws SignalboxError `E_CONFIG`
 */
export async function openBlobs(
  url: string | null,
  { dataDirectory, env, store }: { dataDirectory: string; env: NodeJS.ProcessEnv; store?: EventStore },
): Promise<BlobStore> {
  if (store?.isShared && (url === null || url === 'postgres:')) return new BlobStore(storeBlobs(store))
  if (url === 'postgres:')
    throw new SignalboxError('E_CONFIG', 'blobs.url is postgres:, and the store is not in PostgreSQL', {
      next: 'set store.url, or leave blobs.url out',
    })
  if (url === null) {
    const directory = join(dataDirectory, 'blobs')
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return new BlobStore(fileBlobs(directory))
  }
  if (!URL.canParse(url)) throw unusable(url)
  const parsed = new URL(url)
  if (parsed.password !== '' || parsed.username !== '')
    throw new SignalboxError('E_CONFIG', 'blobs.url must not contain keys', {
      next: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for the server',
    })
  if (parsed.protocol === 'file:') return new BlobStore(fileBlobs(fileURLToPath(parsed)))
  if (parsed.protocol === 's3:' && parsed.hostname !== '') return new BlobStore(await s3Blobs(parsed, env))
  throw unusable(url)
}

function unusable(url: string): SignalboxError {
  return new SignalboxError('E_CONFIG', `blobs.url cannot be used: ${url.slice(0, 200)}`, {
    next: 'file:///directory, postgres:, or s3://bucket?endpoint=https://…',
  })
}
