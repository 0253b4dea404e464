import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

/*
 * The tar format as POSIX defines it (pax): any tar program lists and unpacks a backup. Only
 * regular files; names that do not fit into a header are in an extended header before it.
 */

const BLOCK = 512
const READ_BYTES = 1024 * 1024
const NAME_MAX = 100
const TYPE_FILE = '0'
const TYPE_EXTENDED = 'x'

export interface TarEntry {
  name: string
  size: number
  /** Its bytes; all of them must be read before the next entry. */
  content: AsyncIterable<Buffer>
}

export function* tarHeader(name: string, size: number, mtime: number): Generator<Buffer> {
  if (!/^[ -~]{1,100}$/.test(name) || size >= 8 ** 11) {
    const records = Buffer.from(paxRecord('path', name) + paxRecord('size', String(size)))
    yield header({ name: 'extended', size: records.length, mtime, type: TYPE_EXTENDED })
    yield records
    yield padding(records.length)
  }
  const shown = Buffer.from(name).subarray(0, NAME_MAX).toString('latin1')
  yield header({ name: shown, size: Math.min(size, 8 ** 11 - 1), mtime, type: TYPE_FILE })
}

export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
}

/** Two empty blocks end an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK)

/** The entries of an archive. @throws Error if it is cut off or not an archive. */
export async function* readTar(bytes: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const source = new ByteSource(bytes)
  let extended: Record<string, string> = {}
  for (;;) {
    const block = await source.readExactly(BLOCK)
    if (block.every(byte => byte === 0)) return
    const { type, ...plain } = parseHeader(block)
    if (type === TYPE_EXTENDED) {
      extended = parseRecords(await source.readExactly(plain.size))
      await source.readExactly(padding(plain.size).length)
      continue
    }
    if (type !== TYPE_FILE) throw new Error(`it has an entry of the type "${type}"`)
    const size = extended.size === undefined ? plain.size : Number(extended.size)
    const name = extended.path ?? plain.name
    extended = {}
    yield { name, size, content: source.readChunks(size) }
    await source.readExactly(padding(size).length)
  }
}

/** A file up to `size` bytes, whatever is appended to it meanwhile. */
export async function* fileContent(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, size - at))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) throw new Error('it became shorter while it was read')
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

export async function hashOf(content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of content) hash.update(chunk)
  return hash.digest('hex')
}

function header(entry: { name: string; size: number; mtime: number; type: string }): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, '0')
  block.write(entry.name, 0, NAME_MAX, 'latin1')
  block.write(octal(0o600, 8), 100)
  block.write(octal(0, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(entry.size, 12), 124)
  block.write(octal(Math.floor(entry.mtime / 1000), 12), 136)
  block.write(' '.repeat(8), 148)
  block.write(entry.type, 156)
  block.write('ustar\x0000', 257)
  block.write(`${octal(checksum(block), 7)}\0 `, 148)
  return block
}

function parseHeader(block: Buffer): { name: string; size: number; type: string } {
  const text = (from: number, to: number) => block.subarray(from, to).toString('latin1').replace(/\0.*$/s, '')
  const blank = Buffer.from(block)
  blank.write(' '.repeat(8), 148)
  if (Number.parseInt(text(148, 156), 8) !== checksum(blank)) throw new Error('it has a damaged header')
  return {
    name: text(0, NAME_MAX),
    size: Number.parseInt(text(124, 136), 8),
    type: block.subarray(156, 157).toString('latin1'),
  }
}

function checksum(block: Buffer): number {
  return block.reduce((sum, byte) => sum + byte, 0)
}

/** A record starts with its own length, in bytes, including the digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  let length = Buffer.byteLength(rest)
  while (String(length).length + Buffer.byteLength(rest) !== length)
    length = String(length).length + Buffer.byteLength(rest)
  return `${length}${rest}`
}

function parseRecords(bytes: Buffer): Record<string, string> {
  const found: Record<string, string> = {}
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(bytes.subarray(at, at + 12).toString('latin1'), 10)
    if (!(length > 0)) throw new Error('it has a damaged extended header')
    const record = bytes.subarray(at, at + length - 1).toString('utf8')
    const [, key = '', value = ''] = /^\d+ ([^=]+)=(.*)$/s.exec(record) ?? []
    found[key] = value
    at += length
  }
  return found
}

/** Cuts a stream of chunks where the reader wants. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#chunks = bytes[Symbol.asyncIterator]()
  }

  async readExactly(size: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.readChunks(size)) parts.push(part)
    return Buffer.concat(parts)
  }

  async *readChunks(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#chunks.next()
        if (done) throw new Error('it is cut off')
        this.#rest = value
      }
      const part = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }
}
