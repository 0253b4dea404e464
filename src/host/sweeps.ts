import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock, Timer } from '../clock/index.js'
import { newEvent } from '../events/index.js'
import { removeUploads, type SessionRecord, sessionStream } from '../sessions/index.js'
import type { EventStore } from '../store/index.js'
import type { HostSettings } from './settings.js'

const EVERY_MS = 3_600_000
const DAY_MS = 86_400_000

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
    const { clock, onError } = this.options
    void this.sweep().catch(onError)
    this.#timer = clock.setTimer(EVERY_MS, () => this.start())
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
      if (record.state !== 'ended' && record.state !== 'lost') continue
      await this.#remove(record)
      await store.append(sessionStream(record.id), 'any', [newEvent('session.forgotten', { keptDays })])
    }
  }

  async #remove({ id, recording }: SessionRecord): Promise<void> {
    const { dataDirectory } = this.options.settings
    const own = join(dataDirectory, 'recordings')
    if (dirname(recording) === own && basename(recording).startsWith(id)) await rm(recording, { force: true })
    await removeUploads(join(dataDirectory, 'uploads', id))
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
