import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { SignalboxError } from '../errors/index.js'

/** How much of a blob one call moves. */
export const BLOB_PART = 512 * 1024

/** Bytes by the SHA-256 of their content, as files. A blob is complete or not there. */
export class BlobFiles {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }

  has(blob: string): boolean {
    return existsSync(this.path(blob))
  }

  /** @throws SignalboxError `E_INPUT` for what is not a hash. */
  path(blob: string): string {
    if (!/^[0-9a-f]{64}$/.test(blob)) throw new SignalboxError('E_INPUT', `"${blob.slice(0, 80)}" is not a blob`)
    return join(this.#directory, blob)
  }

  /** A file to write to; `keep` makes a blob of it. */
  draft(name: string): string {
    return join(this.#directory, `${name}.draft`)
  }

  /**
   * Moves a draft to its final path. @throws SignalboxError `E_INPUT` if its content is not
   * `expected`.
   */
  keep(draft: string, expected?: string): string {
    const blob = createHash('sha256').update(readFileSync(draft)).digest('hex')
    if (expected !== undefined && blob !== expected) {
      rmSync(draft, { force: true })
      throw new SignalboxError('E_INPUT', `the content of blob ${expected} does not match its hash`)
    }
    renameSync(draft, this.path(blob))
    return blob
  }

  /** One part of a blob, from an offset; empty at its end. */
  read(blob: string, offset: number): Buffer {
    const size = statSync(this.path(blob)).size
    const part = Buffer.alloc(Math.max(0, Math.min(BLOB_PART, size - offset)))
    if (part.length === 0) return part
    const file = openSync(this.path(blob), 'r')
    try {
      readSync(file, part, 0, part.length, offset)
    } finally {
      closeSync(file)
    }
    return part
  }

  /** Appends a part to a draft; the first one starts it again. */
  write(draft: string, offset: number, part: Buffer): void {
    const size = offset === 0 ? 0 : statSync(draft).size
    if (size !== offset) throw new SignalboxError('E_INPUT', `expected blob offset ${size}, got ${offset}`)
    writeFileSync(draft, part, { flag: offset === 0 ? 'w' : 'a', mode: 0o600 })
  }
}
