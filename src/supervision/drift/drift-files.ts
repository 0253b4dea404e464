import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DriftCounts } from '../../panes/index.js'

/** A screen that a pack did not recognise, kept as a future fixture. Its text is redacted. */
export interface DriftScreen {
  agent: string
  version: string
  pack: string
  hash: string
  /** Milliseconds since the epoch. */
  at: number
  reason: 'screens' | 'screen'
  cols: number
  rows: number
  view: string
  rule: string
  title: string
  cursor: { x: number; y: number; visible: boolean }
  lines: string[]
}

export interface DriftVersion extends DriftCounts {
  agent: string
  version: string
  firstAt: number
  lastAt: number
  screens: { hash: string; file: string; at: number; reason: string; view: string; firstLine: string }[]
}

/** Screens kept for one agent version. More of them add nothing. */
const SCREENS_MAX = 50
const COUNTS = 'counts.json'

/** Drift in files: `<data>/drift/<agent>/<version>/`; a bad file loses only itself. */
export class DriftFiles {
  readonly #directory: string

  constructor(dataDirectory: string) {
    this.#directory = join(dataDirectory, 'drift')
  }

  add(agent: string, version: string, counts: DriftCounts, now: number): void {
    const directory = this.#open(agent, version)
    const before = readJson<Partial<DriftVersion>>(join(directory, COUNTS)) ?? {}
    const sum = (key: keyof DriftCounts) => (before[key] ?? 0) + counts[key]
    writeWhole(join(directory, COUNTS), {
      agent,
      version,
      anchored: sum('anchored'),
      structural: sum('structural'),
      unknown: sum('unknown'),
      disagreements: sum('disagreements'),
      firstAt: before.firstAt ?? now,
      lastAt: now,
    })
  }

  /** Once per screen. False if it already exists, or the limit is reached. */
  keep(screen: DriftScreen): boolean {
    const directory = this.#open(screen.agent, screen.version)
    const names = readdirSync(directory)
    const name = `${safe(screen.hash)}.json`
    if (names.includes(name) || names.length > SCREENS_MAX) return false
    writeWhole(join(directory, name), screen)
    return true
  }

  list(): DriftVersion[] {
    return folders(this.#directory).flatMap(agent =>
      folders(join(this.#directory, agent)).map(version => this.#read(agent, version)),
    )
  }

  #read(agent: string, version: string): DriftVersion {
    const directory = join(this.#directory, agent, version)
    const counts = readJson<Partial<DriftVersion>>(join(directory, COUNTS)) ?? {}
    const screens = readdirSync(directory)
      .filter(name => name.endsWith('.json') && name !== COUNTS)
      .sort()
      .flatMap(name => {
        const file = join(directory, name)
        const screen = readJson<Partial<DriftScreen>>(file)
        if (!screen?.hash || !Array.isArray(screen.lines)) return []
        const firstLine = screen.lines.find(line => line.trim() !== '')?.trim() ?? ''
        return [
          {
            hash: screen.hash,
            file,
            at: screen.at ?? 0,
            reason: screen.reason ?? 'screen',
            view: screen.view ?? 'unknown',
            firstLine,
          },
        ]
      })
    const { anchored = 0, structural = 0, unknown = 0, disagreements = 0, firstAt = 0, lastAt = 0 } = counts
    return { agent, version, anchored, structural, unknown, disagreements, firstAt, lastAt, screens }
  }

  #open(agent: string, version: string): string {
    const directory = join(this.#directory, safe(agent), safe(version))
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return directory
  }
}

/** A version comes from a banner: whatever it says, it names a file below our directory. */
function safe(name: string): string {
  const plain = name.replace(/[^\w.+-]/g, '_').slice(0, 64)
  return plain === '' || /^\.+$/.test(plain) ? '_' : plain
}

function folders(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(entry => entry.name)
      .sort()
  } catch {
    return []
  }
}

function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return null
  }
}

function writeWhole(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, JSON.stringify(value), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
