import { createReadStream, existsSync, mkdirSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Clock, Timer } from '../clock/index.js'
import type { Activity } from './activity.js'

const BATCH_MS = 50
const BATCH_RECORDS = 64

/** With more unwritten bytes than this, the producer is asked to wait. */
const PENDING_BYTES_MAX = 4 * 1024 * 1024

/**
 * The file with the activities of a step, outside the journal. `step` is `node@visit#attempt`.
 */
export function segmentPath(runDirectory: string, step: string): string {
  return join(runDirectory, 'activity', `${step.replaceAll('/', '~')}.ndjson`)
}

/** Appends activities as lines of JSON; `flush` resolves when all are in the file. */
export class SegmentWriter {
  readonly #file: Promise<FileHandle>
  readonly #clock: Clock
  #pending: string[] = []
  #timer: Timer | null = null
  #written: Promise<void> = Promise.resolve()
  #failure: unknown = null
  #pendingBytes = 0

  constructor(path: string, clock: Clock) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    this.#clock = clock
    this.#file = open(path, 'a', 0o600)
    this.#file.catch(error => {
      this.#failure = error
    })
  }

  append(activity: Activity): void {
    this.#pending.push(`${JSON.stringify(activity)}\n`)
    if (this.#pending.length >= BATCH_RECORDS) this.#write()
    else this.#timer ??= this.#clock.setTimer(BATCH_MS, () => this.#write())
  }

  /**
   * Null while the disk keeps up; else resolves when it has caught up. `flush` reports failures.
   */
  caughtUp(): Promise<void> | null {
    return this.#pendingBytes > PENDING_BYTES_MAX ? this.#written : null
  }

  /** @throws the error that prevented writing */
  async flush(): Promise<void> {
    this.#write()
    await this.#written
    if (this.#failure) throw this.#failure
  }

  async close(): Promise<void> {
    try {
      await this.flush()
    } finally {
      await (await this.#file.catch(() => null))?.close()
    }
  }

  #write(): void {
    this.#timer?.cancel()
    this.#timer = null
    const lines = this.#pending.splice(0)
    if (lines.length === 0) return
    const text = lines.join('')
    this.#pendingBytes += text.length
    this.#written = this.#written.then(async () => {
      try {
        await (await this.#file).appendFile(text)
      } catch (error) {
        this.#failure ??= error
      }
      this.#pendingBytes -= text.length
    })
  }
}

/** The activities of a step, oldest first. An incomplete last line, left by a crash, is skipped. */
export async function* readSegment(path: string): AsyncGenerator<Activity, void, undefined> {
  if (!existsSync(path)) return
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    try {
      yield JSON.parse(line) as Activity
    } catch {
      // Only a line that its writer could not complete does not parse.
    }
  }
}
