import type { Clock, Timer } from '../clock/index.js'
import type { EventData } from '../events/index.js'
import { type FileSettings, projectFile, type SettingsFiles } from './settings-files.js'

/** How often files are checked; the ledger compares a grant at every use anyway. */
const CHECK_MS = 5_000

interface SettingsWatcherOptions {
  files: SettingsFiles
  clock: Clock
  /** The projects whose settings matter now. */
  projects(): Promise<readonly string[]>
  onChanged(change: EventData<'config.changed'>): void
  onError(error: unknown): void
}

/** Reports which settings change while this host runs. */
export class SettingsWatcher {
  readonly #options: SettingsWatcherOptions
  readonly #known = new Map<string, FileSettings>()
  #timer: Timer | null = null

  constructor(options: SettingsWatcherOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer = this.#options.clock.setTimer(CHECK_MS, () => this.start())
    void this.check().catch(this.#options.onError)
  }

  stop(): void {
    this.#timer?.cancel()
  }

  async check(): Promise<void> {
    const { files, projects, onChanged } = this.#options
    const all = new Set([files.userFile, ...(await projects()).map(projectFile)])
    for (const file of all) {
      const settings = files.settingsOf(file)
      const before = this.#known.get(file)
      this.#known.set(file, settings)
      if (!before) continue
      const keys = [...new Set([...before.keys(), ...settings.keys()])].filter(
        key => before.get(key) !== settings.get(key),
      )
      if (keys.length > 0) onChanged({ source: file, keys })
    }
  }
}
