import { appendFileSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SignalboxError } from '../../errors/index.js'
import type { SessionRecord } from '../../sessions/index.js'
import type { BlobStore } from '../../store/blobs/index.js'

const PART_BYTES = 1024 * 1024

export interface RemoteRecordingsOptions {
  /** Where copies are kept. */
  directory: string
  blobs: BlobStore
  isConnected(worker: string): boolean
  ask(worker: string, method: string, params: Record<string, unknown>): Promise<unknown>
  nameOf(record: SessionRecord): string
}

/**
 * Recordings of sessions on workers, as files of this machine: from the blobs as far as they were
 * sent, the rest from the worker while it is connected. A recording only grows, so a copy is
 * continued.
 */
export class RemoteRecordings {
  readonly #options: RemoteRecordingsOptions
  readonly #fetching = new Map<string, Promise<string>>()

  constructor(options: RemoteRecordingsOptions) {
    this.#options = options
  }

  /** @throws SignalboxError `E_WORKER_AWAY` if nothing of it is here. */
  fetch(record: SessionRecord): Promise<string> {
    const running = this.#fetching.get(record.id)
    if (running) return running
    const fetching = this.#fetch(record).finally(() => this.#fetching.delete(record.id))
    this.#fetching.set(record.id, fetching)
    return fetching
  }

  async #fetch(record: SessionRecord): Promise<string> {
    const { directory, nameOf } = this.#options
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const path = join(directory, `${record.id}.cast`)
    let size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    for (;;) {
      const part = (await this.#fromBlob(record, size)) ?? (await this.#fromWorker(record, size))
      if (part === null || part.length === 0) break
      appendFileSync(path, part, { mode: 0o600 })
      size += part.length
    }
    if (size > 0) return path
    throw new SignalboxError('E_WORKER_AWAY', `the recording of ${record.id} is on worker ${nameOf(record)}`, {
      next: 'try again when it is back: signalbox workers',
    })
  }

  async #fromBlob({ saved = [] }: SessionRecord, offset: number): Promise<Buffer | null> {
    const found = saved.find(({ from, bytes }) => from <= offset && offset < from + bytes)
    const bytes = found && (await this.#options.blobs.get(found.blob))
    return bytes ? bytes.subarray(offset - found.from) : null
  }

  async #fromWorker({ id, worker }: SessionRecord, offset: number): Promise<Buffer | null> {
    const { isConnected, ask } = this.#options
    if (worker === undefined || !isConnected(worker)) return null
    try {
      const part = await ask(worker, 'session.recording', { session: id, offset, most: PART_BYTES })
      return Buffer.from(String(part), 'base64')
    } catch (error) {
      // Its connection has just broken: what was saved is what there is.
      if (error instanceof SignalboxError && error.code === 'E_WORKER_AWAY') return null
      throw error
    }
  }
}
