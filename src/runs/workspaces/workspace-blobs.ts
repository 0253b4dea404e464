import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Timer } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { BLOB_MAX, type BlobStore, isBlobsAway } from '../../store/blobs/index.js'
import type { EventStore } from '../../store/index.js'
import type { BlobFiles } from '../../workers/index.js'

/** How soon what waits for the blob store is sent again. */
const RETRY_MS = 10_000

export interface WorkspaceBlobsOptions {
  files: BlobFiles
  /** Of this server: which bundles wait for the blob store, as names of files. */
  waitingDirectory: string
  store: Pick<EventStore, 'isShared' | 'loadSnapshot' | 'saveSnapshot' | 'deleteSnapshot'>
  blobs: BlobStore
  clock: Clock
  onError(error: unknown): void
}

/**
 * The bundles of workspaces on a server: as files, and, if several servers share the store, in
 * parts where all of them find them. So a run continues when the server that started it is gone.
 * While the blob store does not work, bundles wait on the server that has them: steps continue, and
 * a server that needs such a bundle is told to wait.
 */
export class WorkspaceBlobs {
  readonly files: BlobFiles
  readonly #options: WorkspaceBlobsOptions
  readonly #fetching = new Map<string, Promise<void>>()
  #timer: Timer | null = null
  #isAway = false

  constructor(options: WorkspaceBlobsOptions) {
    this.files = options.files
    this.#options = options
  }

  /** Sends what waits for the blob store, also from earlier starts, as soon as it works. */
  start(): void {
    const { clock, onError } = this.#options
    this.#timer = clock.setTimer(RETRY_MS, () => {
      void this.shareWaiting()
        .catch(onError)
        .finally(() => {
          if (this.#timer) this.start()
        })
    })
  }

  close(): void {
    this.#timer?.cancel()
    this.#timer = null
  }

  /** Gives a bundle that this server has to the others, now or when the blob store works again. */
  async share(blob: string): Promise<void> {
    const { store, onError } = this.#options
    if (!store.isShared || (await store.loadSnapshot(partsKey(blob)))) return
    try {
      // Each attempt can take as long as a network needs to give up.
      if (!this.#isAway) return await this.#send(blob)
    } catch (error) {
      if (!isBlobsAway(error)) throw error
      this.#isAway = true
      onError(error)
    }
    this.#wait(blob)
    await store.saveSnapshot(waitingKey(blob), { version: 1, state: true })
  }

  /** Called by a timer, and by tests. Stops at the first bundle that cannot be sent yet. */
  async shareWaiting(): Promise<void> {
    const { store } = this.#options
    for (const blob of waitingBundles(this.#options.waitingDirectory)) {
      try {
        await this.#send(blob)
      } catch (error) {
        if (isBlobsAway(error)) return
        throw error
      }
      await store.deleteSnapshot(waitingKey(blob))
      rmSync(join(this.#options.waitingDirectory, blob), { force: true })
    }
    this.#isAway = false
  }

  /**
   * Its path on this machine. @throws SignalboxError `E_BLOB` if no server has given it,
   * `E_BLOBS_AWAY` if it waits for the blob store on the server that has it.
   */
  async path(blob: string): Promise<string> {
    const { files } = this.#options
    if (!files.has(blob)) {
      const fetching = this.#fetching.get(blob) ?? this.#fetch(blob).finally(() => this.#fetching.delete(blob))
      this.#fetching.set(blob, fetching)
      await fetching
    }
    return files.path(blob)
  }

  async #send(blob: string): Promise<void> {
    const { store, blobs, files } = this.#options
    const bytes = readFileSync(files.path(blob))
    const parts: string[] = []
    for (let offset = 0; offset < bytes.length; offset += BLOB_MAX)
      parts.push(await blobs.put(bytes.subarray(offset, offset + BLOB_MAX)))
    await store.saveSnapshot(partsKey(blob), { version: 1, state: parts })
  }

  #wait(blob: string): void {
    const { waitingDirectory } = this.#options
    mkdirSync(waitingDirectory, { recursive: true, mode: 0o700 })
    writeFileSync(join(waitingDirectory, blob), '', { mode: 0o600 })
  }

  async #fetch(blob: string): Promise<void> {
    const { store, blobs, files } = this.#options
    const found = store.isShared ? await store.loadSnapshot(partsKey(blob)) : null
    if (!found && store.isShared && (await store.loadSnapshot(waitingKey(blob))))
      throw new SignalboxError(
        'E_BLOBS_AWAY',
        'another server has the files of the run, and waits for the blob store',
        {
          next: 'check blobs.url there; the run continues by itself',
        },
      )
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

/** Where a server remembers which bundles wait for the blob store. */
export function waitingDirectoryOf(dataDirectory: string): string {
  return join(dataDirectory, 'blobs', 'waiting')
}

export function waitingBundles(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : []
}

function partsKey(blob: string): string {
  return `bundle/${blob}`
}

function waitingKey(blob: string): string {
  return `bundle-waits/${blob}`
}
