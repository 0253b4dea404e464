import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Replaces a value in the context that is too large for it. */
export interface ArtifactReference {
  artifact: string
  size: number
  path: string
}

export interface ArtifactInfo {
  id: string
  name: string
  size: number
  storedAt: number
}

/** Larger values are stored as artifacts instead of in the context. */
export const VALUE_MAX = 100 * 1024

/** Values too large for a journal, in files named by hash: equal values share one. */
export class Artifacts {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  /** @returns the id, which is the hash of the value. */
  put(name: string, value: unknown, at: number): ArtifactReference {
    const text = JSON.stringify(value)
    const id = createHash('sha256').update(text).digest('hex').slice(0, 32)
    const path = this.#path(id)
    const size = Buffer.byteLength(text)
    if (!existsSync(path)) {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
      // Renamed into place, so that a partial file never has the name of a complete one.
      writeFileSync(`${path}.part`, JSON.stringify({ id, name, size, storedAt: at, value }), { mode: 0o600 })
      renameSync(`${path}.part`, path)
    }
    return { artifact: id, size, path }
  }

  get(id: string): unknown {
    return this.#read(id)?.value
  }

  has(id: string): boolean {
    return existsSync(this.#path(id))
  }

  list(): ArtifactInfo[] {
    if (!existsSync(this.#directory)) return []
    return readdirSync(this.#directory)
      .filter(file => file.endsWith('.json'))
      .flatMap(file => this.#read(file.slice(0, -'.json'.length)) ?? [])
      .map(({ value: _, ...info }) => info)
      .sort((a, b) => a.storedAt - b.storedAt || (a.id < b.id ? -1 : 1))
  }

  remove(id: string): boolean {
    if (!this.has(id)) return false
    rmSync(this.#path(id))
    return true
  }

  #read(id: string): (ArtifactInfo & { value: unknown }) | null {
    const path = this.#path(id)
    if (!/^[0-9a-f]{32}$/.test(id) || !existsSync(path) || !statSync(path).isFile()) return null
    return JSON.parse(readFileSync(path, 'utf8')) as ArtifactInfo & { value: unknown }
  }

  #path(id: string): string {
    return join(this.#directory, `${id}.json`)
  }
}
