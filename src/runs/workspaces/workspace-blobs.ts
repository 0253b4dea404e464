import { readFileSync } from 'node:fs'
import { SignalboxError } from '../../errors/index.js'
import { BLOB_MAX, type BlobStore } from '../../store/blobs/index.js'
import type { EventStore } from '../../store/index.js'
import type { BlobFiles } from '../../workers/index.js'

export interface WorkspaceBlobsOptions {
  files: BlobFiles
  store: EventStore
  blobs: BlobStore
}

/**
 * The bundles of workspaces on a server: as files, and, if several servers share the store, in
 * parts where all of them find them. So a run continues when the server that started it is gone.
 */
export class WorkspaceBlobs {
  readonly files: BlobFiles
  readonly #options: WorkspaceBlobsOptions
  readonly #fetching = new Map<string, Promise<void>>()

  constructor(options: WorkspaceBlobsOptions) {
    this.files = options.files
    this.#options = options
  }

  /** Gives a bundle that this server has to the others. */
  async share(blob: string): Promise<void> {
    const { store, blobs, files } = this.#options
    if (!store.isShared || (await store.loadSnapshot(partsKey(blob)))) return
    const bytes = readFileSync(files.path(blob))
    const parts: string[] = []
    for (let offset = 0; offset < bytes.length; offset += BLOB_MAX)
      parts.push(await blobs.put(bytes.subarray(offset, offset + BLOB_MAX)))
    await store.saveSnapshot(partsKey(blob), { version: 1, state: parts })
  }

  /** Its path on this machine. @throws SignalboxError `E_BLOB` if no server has given it. */
  async path(blob: string): Promise<string> {
    const { files } = this.#options
    if (!files.has(blob)) {
      const fetching = this.#fetching.get(blob) ?? this.#fetch(blob).finally(() => this.#fetching.delete(blob))
      this.#fetching.set(blob, fetching)
      await fetching
    }
    return files.path(blob)
  }

  async #fetch(blob: string): Promise<void> {
    const { store, blobs, files } = this.#options
    const found = store.isShared ? await store.loadSnapshot(partsKey(blob)) : null
    const draft = files.draft(`shared-${blob.slice(0, 12)}`)
    let offset = 0
    for (const part of (found?.state ?? []) as string[]) {
      const bytes = await blobs.get(part)
      if (!bytes) break
      files.write(draft, offset, bytes)
      offset += bytes.length
    }
    if (offset === 0)
      throw new SignalboxError('E_BLOB', `the files of the run (${blob.slice(0, 12)}…) are on another server`)
    files.keep(draft, blob)
  }
}

function partsKey(blob: string): string {
  return `bundle/${blob}`
}
