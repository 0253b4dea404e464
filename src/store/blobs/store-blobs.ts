import type { EventStore } from '../event-store.js'
import type { BlobBackend } from './blob-store.js'

/**
 * Blobs in the database of a shared store: every server has them, and a backup of the database
 * includes them.
 */
export function storeBlobs(store: Pick<EventStore, 'loadSnapshot' | 'saveSnapshot'>): BlobBackend {
  const read = async (name: string) => {
    const found = await store.loadSnapshot(`blob/${name}`)
    return found ? Buffer.from(String(found.state), 'base64') : null
  }
  return {
    has: async name => (await read(name)) !== null,
    write: (name, compressed) =>
      store.saveSnapshot(`blob/${name}`, { version: 1, state: Buffer.from(compressed).toString('base64') }),
    read,
  }
}
