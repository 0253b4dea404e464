import type { Clock, Timer } from '../../clock/index.js'
import { newEvent } from '../../events/index.js'
import { type SessionRecord, sessionStream } from '../../sessions/index.js'
import type { EventStore } from '../../store/index.js'
import { readPart, recordingSize } from '../../terminal/recording/index.js'
import type { ServerPort } from '../../workers/index.js'

/** The largest blob, and the size from which a live session uploads one. */
const PART_MAX = 2 * 1024 * 1024
const PART_LIVE = 256 * 1024
const LIVE_MS = 5_000
/** When to retry an upload that failed because the blob store was unreachable. */
const RETRY_MS = 60_000

export interface RecordingUploadOptions {
  /** While sessions are live, or only when they have ended. */
  when: 'live' | 'end'
  store: EventStore
  server: Pick<ServerPort, 'call'>
  clock: Clock
  /** The sessions of this worker, ended ones too. */
  records(): Promise<SessionRecord[]>
  fileOf(session: string): string
  onError(error: unknown): void
}

/**
 * Sends recordings to the blobs of the server, so that they outlive this machine. The log says how
 * much a server has; after a restart the upload continues there.
 */
export class RecordingUpload {
  readonly #options: RecordingUploadOptions
  readonly #saved = new Map<string, number>()
  readonly #busy = new Map<string, Promise<void>>()
  #timer: Timer | null = null
  #isClosed = false

  constructor(options: RecordingUploadOptions) {
    this.#options = options
  }

  /**
   * Sends what earlier starts of this worker left, and then every live session's if it is wanted.
   */
  start(): void {
    const { when } = this.#options
    void this.#sendAll().catch(error => this.#failed(error))
    if (when === 'live') this.#startAgainIn(LIVE_MS)
  }

  /** A session has ended. */
  ended(session: string): void {
    void this.#send(session, { least: 1 }).catch(error => this.#failed(error))
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
  }

  #failed(error: unknown): void {
    this.#options.onError(error)
    this.#startAgainIn(RETRY_MS)
  }

  #startAgainIn(ms: number): void {
    if (this.#isClosed || this.#timer) return
    this.#timer = this.#options.clock.setTimer(ms, () => {
      this.#timer = null
      this.start()
    })
  }

  async #sendAll(): Promise<void> {
    for (const record of await this.#options.records()) {
      if (!this.#saved.has(record.id)) this.#saved.set(record.id, savedBytes(record))
      const isOver = record.state === 'ended' || record.state === 'lost'
      if (isOver || this.#options.when === 'live') await this.#send(record.id, { least: isOver ? 1 : PART_LIVE })
    }
  }

  /** One upload per session at a time. */
  async #send(session: string, options: { least: number }): Promise<void> {
    const before = this.#busy.get(session) ?? Promise.resolve()
    const sending = before.catch(() => undefined).then(() => this.#sendParts(session, options))
    this.#busy.set(session, sending)
    await sending
    if (this.#busy.get(session) === sending) this.#busy.delete(session)
  }

  async #sendParts(session: string, { least }: { least: number }): Promise<void> {
    const { store, server, fileOf } = this.#options
    const path = fileOf(session)
    for (;;) {
      const from = this.#saved.get(session) ?? 0
      const size = await recordingSize(path).catch(() => 0)
      if (this.#isClosed || size - from < least) return
      const part = await readPart(path, from, Math.min(PART_MAX, size - from))
      const blob = (await server.call('blob.put', { data: part.toString('base64') })) as string
      const saved = newEvent('recording.saved', { session, from, bytes: part.length, blob })
      await store.append(sessionStream(session), 'any', [saved])
      this.#saved.set(session, from + part.length)
    }
  }
}

function savedBytes({ saved = [] }: SessionRecord): number {
  return saved.reduce((total, { bytes }) => total + bytes, 0)
}
