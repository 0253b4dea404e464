import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock/index.js'
import { removeUploads, type SessionRecord } from '../sessions/index.js'
import { Hourly } from './hourly.js'
import type { HostSettings } from './settings.js'

/** Removes the uploads of sessions that ended long enough ago. Folders of sessions that the log does not know are left alone. */
export class UploadSweep extends Hourly {
  readonly #options: {
    settings: HostSettings
    clock: Clock
    records(): Promise<SessionRecord[]>
    onError(error: unknown): void
  }

  constructor(options: {
    settings: HostSettings
    clock: Clock
    records(): Promise<SessionRecord[]>
    onError(error: unknown): void
  }) {
    super(options)
    this.#options = options
  }

  override async sweep(): Promise<void> {
    const { settings, clock } = this.#options
    const directory = join(settings.dataDirectory, 'uploads')
    const names = await readdir(directory).catch(() => [])
    if (names.length === 0) return
    const ended = new Map((await this.#options.records()).map(record => [record.id, record.endedAt]))
    for (const name of names) {
      const at = ended.get(name)
      if (at !== undefined && at + settings.files.keepMs <= clock.now()) await removeUploads(join(directory, name))
    }
  }
}
