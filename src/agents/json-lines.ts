import { type FileHandle, open } from 'node:fs/promises'

/** A longer line of a transcript is skipped. */
const LINE_BYTES_MAX = 10 * 1024 * 1024
const CHUNK_BYTES = 256 * 1024
/** Bytes before the current position that are compared, to detect a rewritten file. */
const MEMORY_BYTES = 64
const LINE_FEED = 0x0a

export type JsonRecord = Readonly<Record<string, unknown>>

export interface JsonLinesOptions {
  /** Called with a line's bytes before it is parsed; false omits it: large, useless records. */
  isWanted?: (line: Buffer) => boolean
  maxLineBytes?: number
}

export interface JsonLinesUpdate {
  /** Lines that are not JSON objects, or too long. */
  skipped: number
  /** The file was truncated or replaced and read from its beginning: records may repeat. */
  isRestarted: boolean
}

/**
 * Reads a file to which another program appends JSON lines.
 *
 * A last line without its line feed may be incomplete and waits for the next read. Memory is
 * bounded by one line: records are passed on one by one. A file that does not exist yet gives
 * nothing.
 */
export class JsonLinesReader {
  readonly #path: string
  readonly #isWanted: (line: Buffer) => boolean
  readonly #maxLineBytes: number
  #file = ''
  #offset = 0
  #before: Buffer = Buffer.alloc(0)
  #torn: Buffer[] = []
  #tornBytes = 0
  #isSkipping = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(path: string, { isWanted = () => true, maxLineBytes = LINE_BYTES_MAX }: JsonLinesOptions = {}) {
    this.#path = path
    this.#isWanted = isWanted
    this.#maxLineBytes = maxLineBytes
  }

  /** Reads what is new. Concurrent calls are serialized. */
  read(onRecord: (record: JsonRecord) => void): Promise<JsonLinesUpdate> {
    const reading = this.#last.then(() => this.#read(onRecord))
    this.#last = reading.catch(() => undefined)
    return reading
  }

  async #read(onRecord: (record: JsonRecord) => void): Promise<JsonLinesUpdate> {
    const update: JsonLinesUpdate = { skipped: 0, isRestarted: false }
    let handle: FileHandle
    try {
      handle = await open(this.#path, 'r')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return update
      throw error
    }
    try {
      update.isRestarted = await this.#startOverIfForeign(handle)
      const chunk = Buffer.alloc(CHUNK_BYTES)
      for (;;) {
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, this.#offset)
        if (bytesRead === 0) return update
        const bytes = Buffer.from(chunk.subarray(0, bytesRead))
        this.#offset += bytesRead
        this.#before = Buffer.concat([this.#before, bytes.subarray(-MEMORY_BYTES)]).subarray(-MEMORY_BYTES)
        update.skipped += this.#takeLines(bytes, onRecord)
      }
    } finally {
      await handle.close()
    }
  }

  async #startOverIfForeign(handle: FileHandle): Promise<boolean> {
    const { dev, ino, size } = await handle.stat()
    const file = `${dev}:${ino}`
    const isFirst = this.#file === ''
    const isSame = file === this.#file && size >= this.#offset && (await this.#isSameFile(handle))
    this.#file = file
    if (isFirst || isSame) return false
    this.#offset = 0
    this.#before = Buffer.alloc(0)
    this.#dropTorn()
    this.#isSkipping = false
    return true
  }

  async #isSameFile(handle: FileHandle): Promise<boolean> {
    const now = Buffer.alloc(this.#before.length)
    const { bytesRead } = await handle.read(now, 0, now.length, this.#offset - now.length)
    return bytesRead === now.length && now.equals(this.#before)
  }

  #takeLines(bytes: Buffer, onRecord: (record: JsonRecord) => void): number {
    let skipped = 0
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      const rest = bytes.subarray(start, end)
      start = end + 1
      if (this.#isSkipping || this.#tornBytes + rest.length > this.#maxLineBytes) skipped += 1
      else skipped += this.#takeLine(Buffer.concat([...this.#torn, rest]), onRecord)
      this.#isSkipping = false
      this.#dropTorn()
    }
    const rest = bytes.subarray(start)
    if (this.#isSkipping || rest.length === 0) return skipped
    this.#torn.push(rest)
    this.#tornBytes += rest.length
    if (this.#tornBytes > this.#maxLineBytes) {
      this.#isSkipping = true
      this.#dropTorn()
    }
    return skipped
  }

  #takeLine(line: Buffer, onRecord: (record: JsonRecord) => void): number {
    const text = () => line.toString('utf8').trim()
    if (line.length <= 1 && text() === '') return 0
    if (!this.#isWanted(line)) return 0
    const record = parseRecord(text())
    if (record === null) return 1
    onRecord(record)
    return 0
  }

  #dropTorn(): void {
    this.#torn = []
    this.#tornBytes = 0
  }
}

export function parseRecord(text: string): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** Wall-clock milliseconds of an ISO time, or null. */
export function timeOf(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : at
}
