import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Timer } from '../clock/index.js'
import { loadConfig } from '../config/index.js'
import type { EventData } from '../events/index.js'
import { PROJECT_FILE } from '../trust/index.js'

/** How often the files are looked at. A grant is compared with them whenever it is used, however soon that is. */
const LOOK_MS = 5_000

/** Settings by key, as they are shown; a file that cannot be read is one setting, its text. */
type Shown = ReadonlyMap<string, string>

export interface SettingsWatchOptions {
  /** The person's own file. */
  file: string
  clock: Clock
  /** Directories whose settings matter now. */
  projects(): Promise<readonly string[]>
  onChanged(change: EventData<'config.changed'>): void
  onError(error: unknown): void
}

/**
 * The settings in force, as files say them: the person's own, and a project's. Tells by a short mark whether they are still those of an
 * earlier time (comments and order do not count), and writes into the log which of them changed while this host ran.
 */
export class SettingsWatch {
  readonly #options: SettingsWatchOptions
  readonly #read = new Map<string, { version: string; shown: Shown }>()
  readonly #known = new Map<string, Shown>()
  #timer: Timer | null = null

  constructor(options: SettingsWatchOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer = this.#options.clock.setTimer(LOOK_MS, () => this.start())
    void this.look().catch(this.#options.onError)
  }

  stop(): void {
    this.#timer?.cancel()
  }

  markOf(project: string): string {
    const hash = createHash('sha256')
    for (const file of [this.#options.file, join(project, PROJECT_FILE)])
      for (const [key, shown] of this.#shown(file)) hash.update(`${key}\u0000${shown}\u0000`)
    return hash.digest('hex').slice(0, 16)
  }

  async look(): Promise<void> {
    const projects = new Set(await this.#options.projects())
    for (const file of [this.#options.file, ...[...projects].map(project => join(project, PROJECT_FILE))]) {
      const shown = this.#shown(file)
      const before = this.#known.get(file)
      this.#known.set(file, shown)
      if (!before) continue
      const keys = [...new Set([...before.keys(), ...shown.keys()])].filter(key => before.get(key) !== shown.get(key))
      if (keys.length > 0) this.#options.onChanged({ source: file, keys })
    }
  }

  /** Read again only when the file is another one. */
  #shown(file: string): Shown {
    const stats = statSync(file, { throwIfNoEntry: false })
    const version = stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : ''
    const known = this.#read.get(file)
    if (known?.version === version) return known.shown
    const shown = stats ? settingsOf(file, { isOwn: file === this.#options.file }) : new Map<string, string>()
    this.#read.set(file, { version, shown })
    return shown
  }
}

/** What a file sets; what it leaves alone is left out. */
function settingsOf(file: string, { isOwn }: { isOwn: boolean }): Shown {
  try {
    const where = isOwn ? { userFile: file } : { projectFile: { path: file, trusted: true } }
    const given = loadConfig({ environment: {}, ...where })
      .entries()
      .filter(({ origin }) => origin.source !== 'default')
    return new Map(given.map(({ key, shown }) => [key, shown]))
  } catch {
    // Whoever loads it says what is wrong with it; here it only has to be told from any other.
    return new Map([['(unreadable)', createHash('sha256').update(readFileSync(file)).digest('hex')]])
  }
}
