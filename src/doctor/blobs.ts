import type { Home } from '../host/home/index.js'
import { waitingBundles, waitingDirectoryOf } from '../runs/index.js'
import { openBlobs } from '../store/blobs/index.js'
import { plural } from '../text/index.js'
import { type DoctorFinding, failure } from './finding.js'

/** A name that no bytes have. */
const NO_BLOB = '0'.repeat(64)

/** Whether the place of `blobs.url` works, and what waits for it; nothing without that setting. */
export async function checkBlobs({ loaded, settings }: Home, env: NodeJS.ProcessEnv): Promise<DoctorFinding[]> {
  const { url } = loaded.config.blobs
  if (url === null || url === 'postgres:') return []
  const { dataDirectory } = settings
  const waiting = waitingBundles(waitingDirectoryOf(dataDirectory)).length
  const waits = waiting === 0 ? '' : `; ${plural(waiting, 'workspace')} of this server wait for it`
  try {
    await (await openBlobs(url, { dataDirectory, env })).get(NO_BLOB)
    return [{ check: 'blobs', level: 'ok', message: `${url}${waits}` }]
  } catch (error) {
    const found = failure('blobs', error)
    return [{ ...found, message: found.message + waits }]
  }
}
