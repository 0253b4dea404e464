import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../config/index.js'
import { PROJECT_FILE } from '../trust/index.js'

/** A file's settings by key, as shown. An unreadable file counts as one setting. */
export type FileSettings = ReadonlyMap<string, string>

/** Reads the user's settings file and those of projects, each again only after it has changed. */
export class SettingsFiles {
  readonly userFile: string
  readonly #read = new Map<string, { version: string; settings: FileSettings }>()

  constructor(userFile: string) {
    this.userFile = userFile
  }

  /** Changes with the project's effective settings; comments and order do not count. */
  hashOf(project: string): string {
    const hash = createHash('sha256')
    for (const file of [this.userFile, projectFile(project)])
      for (const [key, shown] of this.settingsOf(file)) hash.update(`${key}\u0000${shown}\u0000`)
    return hash.digest('hex').slice(0, 16)
  }

  settingsOf(file: string): FileSettings {
    const stats = statSync(file, { throwIfNoEntry: false })
    const version = stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : ''
    const known = this.#read.get(file)
    if (known?.version === version) return known.settings
    const settings = stats ? load(file, { isUserFile: file === this.userFile }) : new Map<string, string>()
    this.#read.set(file, { version, settings })
    return settings
  }
}

export function projectFile(project: string): string {
  return join(project, PROJECT_FILE)
}

function load(file: string, { isUserFile }: { isUserFile: boolean }): FileSettings {
  try {
    const where = isUserFile ? { userFile: file } : { projectFile: { path: file, trusted: true } }
    const given = loadConfig({ environment: {}, ...where })
      .entries()
      .filter(({ origin }) => origin.source !== 'default')
    return new Map(given.map(({ key, shown }) => [key, shown]))
  } catch {
    // The command that loads this file reports what is wrong with it; here it only has to differ
    // from every other.
    return new Map([['(unreadable)', createHash('sha256').update(readFileSync(file)).digest('hex')]])
  }
}
