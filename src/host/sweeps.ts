import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock, Timer } from '../clock/index.js'
import { newEvent } from '../events/index.js'
import { removeUploads, type SessionRecord, sessionStream } from '../sessions/index.js'
import type { EventStore } from '../store/index.js'
import { compressRecording } from '../terminal/recording/index.js'
import type { HostSettings } from './settings.js'

const EVERY_MS = 3_600_000
const DAY_MS = 86_400_000
/** Recordings that have just ended are often replayed, and workers upload them. */
const COMPRESS_AFTER_MS = 60_000

interface SweepOptions {
  settings: HostSettings
  clock: Clock
  records(): Promise<SessionRecord[]>
  onError(error: unknown): void
}

/** Runs a sweep when the host opens, and then once an hour. */
abstract class HourlySweep<T extends SweepOptions> {
  protected readonly options: T
  #timer: Timer | null = null

  constructor(options: T) {
    this.options = options
  }

  abstract sweep(): Promise<void>

  start(): void {
    void this.sweep().catch(this.options.onError)
    this.startAfter(EVERY_MS)
  }

  protected startAfter(ms: number): void {
    this.#timer = this.options.clock.setTimer(ms, () => HourlySweep.prototype.start.call(this))
  }

  stop(): void {
    this.#timer?.cancel()
  }
}

/**
 * Removes sessions that ended longer ago than the person wants to keep them: first the recording
 * and the uploads, then the log records it and the session leaves the lists. In that order, so that
 * a host that dies in between repeats it. It leaves recordings outside Signalbox's own directory
 * alone.
 */
export class SessionSweep extends HourlySweep<SweepOptions & { store: EventStore }> {
  override async sweep(): Promise<void> {
    const { settings, clock, store, records } = this.options
    const keptDays = settings.keepDays ?? null
    if (keptDays === null) return
    const before = clock.now() - keptDays * DAY_MS
    for (const record of await records()) {
      if (record.endedAt === undefined || record.endedAt > before) continue
      if (!isOver(record)) continue
      await this.#remove(record)
      await store.append(sessionStream(record.id), 'any', [newEvent('session.forgotten', { keptDays })])
    }
  }

  async #remove({ id, recording }: SessionRecord): Promise<void> {
    const { settings } = this.options
    const isRemoved = isOwnRecording({ id, recording }, settings)
    if (isRemoved) for (const file of [recording, `${recording}.gz`]) await rm(file, { force: true })
    await removeUploads(join(settings.dataDirectory, 'uploads', id))
  }
}

/** Removes uploads of sessions that ended long ago; leaves unknown folders alone. */
export class UploadSweep extends HourlySweep<SweepOptions> {
  override async sweep(): Promise<void> {
    const { settings, clock, records } = this.options
    const directory = join(settings.dataDirectory, 'uploads')
    const names = await readdir(directory).catch(() => [])
    if (names.length === 0) return
    const ended = new Map((await records()).map(record => [record.id, record.endedAt]))
    for (const name of names) {
      const at = ended.get(name)
      if (at !== undefined && at + settings.files.keepMs <= clock.now()) await removeUploads(join(directory, name))
    }
  }
}

/**
 * Compresses the recordings of sessions a minute after their end. One at a time, and outside the
 * event loop: only reading and writing happens there.
 */
export class RecordingCompressor extends HourlySweep<SweepOptions> {
  readonly #timers = new Set<Timer>()
  #compressing: Promise<void> = Promise.resolve()

  /** A new host has sessions to read first. */
  override start(): void {
    this.startAfter(COMPRESS_AFTER_MS)
  }

  override async sweep(): Promise<void> {
    const before = this.options.clock.now() - COMPRESS_AFTER_MS
    for (const record of await this.options.records()) {
      if (record.endedAt === undefined || !isOver(record)) continue
      if (record.endedAt <= before) await this.#compress(record)
      else this.ended(record)
    }
  }

  /** A session has ended, and its recording with it. */
  ended(record: Pick<SessionRecord, 'id' | 'recording'>): void {
    const { clock, onError } = this.options
    const timer = clock.setTimer(COMPRESS_AFTER_MS, () => {
      this.#timers.delete(timer)
      void this.#compress(record).catch(onError)
    })
    this.#timers.add(timer)
  }

  override stop(): void {
    super.stop()
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
  }

  #compress(record: Pick<SessionRecord, 'id' | 'recording'>): Promise<void> {
    const { settings, onError } = this.options
    if (!isOwnRecording(record, settings) || !existsSync(record.recording)) return Promise.resolve()
    // One that cannot be compressed stays as it is.
    const compress = () => compressRecording(record.recording).then(() => undefined, onError)
    this.#compressing = this.#compressing.then(compress)
    return this.#compressing
  }
}

function isOver({ state }: SessionRecord): boolean {
  return state === 'ended' || state === 'lost'
}

/** It is in Signalbox's own directory, under its session's name. */
function isOwnRecording(
  { id, recording }: Pick<SessionRecord, 'id' | 'recording'>,
  { dataDirectory }: HostSettings,
): boolean {
  return dirname(recording) === join(dataDirectory, 'recordings') && basename(recording).startsWith(id)
}
