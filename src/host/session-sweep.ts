import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../clock/index.js'
import { newEvent } from '../events/index.js'
import { removeUploads, type SessionRecord, sessionStream } from '../sessions/index.js'
import type { EventStore } from '../store/index.js'
import { Hourly } from './hourly.js'
import type { HostSettings } from './settings.js'

const DAY_MS = 86_400_000

export interface SessionSweepOptions {
  store: EventStore
  settings: HostSettings
  clock: Clock
  records(): Promise<SessionRecord[]>
  onError(error: unknown): void
}

/**
 * Forgets sessions that ended longer ago than the person wants to keep them: recording and uploads are removed, then the log says so, and
 * the session leaves the lists. In that order: a host that dies in between does it again. Recordings elsewhere than in our own directory
 * are left alone.
 */
export class SessionSweep extends Hourly {
  readonly #options: SessionSweepOptions

  constructor(options: SessionSweepOptions) {
    super(options)
    this.#options = options
  }

  override async sweep(): Promise<void> {
    const { settings, clock, store, records } = this.#options
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
    const { dataDirectory } = this.#options.settings
    const own = join(dataDirectory, 'recordings')
    if (dirname(recording) === own && basename(recording).startsWith(id)) await rm(recording, { force: true })
    await removeUploads(join(dataDirectory, 'uploads', id))
  }
}
