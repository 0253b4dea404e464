import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm, utimes } from 'node:fs/promises'
import { promisify } from 'node:util'
import { createGunzip, gunzip, gzip } from 'node:zlib'
import { SignalboxError } from '../../errors/index.js'

/*
 * Recordings of ended sessions are compressed: gzip, which every tool reads, in members of 256 kB.
 * The header of each member has an extra field with its own length and that of its text, so that a
 * reader skips to a position without decompressing what is before it. Positions in a recording are
 * those of its text, compressed or not.
 */

const TEXT_BYTES = 256 * 1024
/** The fixed part of a gzip header, and the length and the two bytes that name our extra field. */
const GZIP_HEADER_BYTES = 10
const EXTRA_FLAG = 4
const FIELD = Buffer.from([12, 0, 0x53, 0x42, 8, 0])
const HEADER = GZIP_HEADER_BYTES + FIELD.length + 8

const compressMember = promisify(gzip)
const decompressMember = promisify(gunzip)

/**
 * The file that has a recording: the path itself, or its compressed form; null if there is none.
 */
export function storedRecording(path: string): string | null {
  return [path, `${path}.gz`].find(existsSync) ?? null
}

/**
 * The text of a recording from a position, whichever form it is stored in.
 * @throws SignalboxError `E_INPUT`
 */
export async function* recordingBytes(path: string, from = 0): AsyncGenerator<Buffer> {
  const stored = storedRecording(path) ?? path
  const file = await openFile(stored)
  try {
    // Read from the open file: another form may replace it meanwhile.
    if (!(await isGzip(file)))
      yield* file.createReadStream({ start: from, highWaterMark: TEXT_BYTES, autoClose: false })
    else if (await memberAt(file, 0)) yield* membersFrom(file, from)
    else yield* decompressedStream(file, from)
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error
    throw new SignalboxError('E_INPUT', `${stored} is damaged: ${(error as Error).message}`, {
      place: { file: stored },
      cause: error,
    })
  } finally {
    await file.close()
  }
}

/** How long the text of a recording is. */
export async function recordingSize(path: string): Promise<number> {
  const stored = storedRecording(path) ?? path
  const file = await openFile(stored)
  try {
    if (!(await isGzip(file))) return (await file.stat()).size
    let size = 0
    for (let at = 0; ; ) {
      const member = await memberAt(file, at)
      if (!member) return size
      at += member.length
      size += member.textLength
    }
  } finally {
    await file.close()
  }
}

/** Text of a recording, from a position; less at its end. */
export async function readPart(path: string, from: number, most: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of recordingBytes(path, from)) {
    parts.push(part)
    length += part.length
    if (length >= most) break
  }
  return Buffer.concat(parts).subarray(0, most)
}

/**
 * Replaces a recording that no longer grows by its compressed form. The compressed form is read
 * again and compared before the other is removed; a crash leaves one of them, or both. Returns the
 * length of both, null for a recording that is not there or has changed meanwhile.
 */
export async function compressRecording(path: string): Promise<{ from: number; to: number } | null> {
  if (!existsSync(path)) return null
  const draft = `${path}.new-${randomBytes(4).toString('hex')}`
  try {
    const written = await writeCompressed(path, draft)
    const read = createHash('sha256')
    for await (const part of recordingBytes(draft)) read.update(part)
    const now = await fileState(path)
    const isSame = read.digest('hex') === written.sum && now.size === written.from && now.mtimeMs === written.mtimeMs
    if (!isSame) return null
    await utimes(draft, now.atimeMs / 1000, now.mtimeMs / 1000)
    await rename(draft, `${path}.gz`)
    await rm(path)
    return { from: written.from, to: written.to }
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeCompressed(
  path: string,
  draft: string,
): Promise<{ from: number; to: number; sum: string; mtimeMs: number }> {
  const { mtimeMs } = await fileState(path)
  const sum = createHash('sha256')
  const output = await open(draft, 'wx', 0o600)
  let from = 0
  let to = 0
  try {
    for await (const text of createReadStream(path, { highWaterMark: TEXT_BYTES }) as AsyncIterable<Buffer>) {
      sum.update(text)
      const member = withLengths(await compressMember(text), text.length)
      await output.write(member)
      from += text.length
      to += member.length
    }
    await output.sync()
  } finally {
    await output.close()
  }
  return { from, to, sum: sum.digest('hex'), mtimeMs }
}

/** A gzip member without extra field, with ours. */
function withLengths(member: Buffer, textLength: number): Buffer {
  const header = Buffer.alloc(HEADER)
  member.copy(header, 0, 0, GZIP_HEADER_BYTES)
  header[3] = EXTRA_FLAG
  FIELD.copy(header, GZIP_HEADER_BYTES)
  header.writeUInt32LE(member.length + HEADER - GZIP_HEADER_BYTES, HEADER - 8)
  header.writeUInt32LE(textLength, HEADER - 4)
  return Buffer.concat([header, member.subarray(GZIP_HEADER_BYTES)])
}

interface Member {
  length: number
  textLength: number
}

/** Null at the end of the file, and in a gzip file of another program. */
async function memberAt(file: FileHandle, position: number): Promise<Member | null> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER), 0, HEADER, position)
  const isOurs = bytesRead === HEADER && buffer[3] === EXTRA_FLAG && buffer.indexOf(FIELD) === GZIP_HEADER_BYTES
  return isOurs ? { length: buffer.readUInt32LE(HEADER - 8), textLength: buffer.readUInt32LE(HEADER - 4) } : null
}

async function* membersFrom(file: FileHandle, from: number): AsyncGenerator<Buffer> {
  let start = 0
  for (let at = 0; ; ) {
    const member = await memberAt(file, at)
    if (!member) return
    if (start + member.textLength > from) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(member.length), 0, member.length, at)
      const text = await decompressMember(buffer.subarray(0, bytesRead))
      yield text.subarray(Math.max(0, from - start))
    }
    at += member.length
    start += member.textLength
  }
}

async function* decompressedStream(file: FileHandle, from: number): AsyncGenerator<Buffer> {
  const source = file.createReadStream({ start: 0, autoClose: false })
  const decompressor = createGunzip()
  source.on('error', error => decompressor.destroy(error))
  let start = 0
  try {
    for await (const chunk of source.pipe(decompressor) as AsyncIterable<Buffer>) {
      if (start + chunk.length > from) yield chunk.subarray(Math.max(0, from - start))
      start += chunk.length
    }
  } finally {
    source.destroy()
  }
}

async function isGzip(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
}

async function fileState(path: string): Promise<{ size: number; atimeMs: number; mtimeMs: number }> {
  const file = await openFile(path)
  try {
    return await file.stat()
  } finally {
    await file.close()
  }
}

async function openFile(path: string): Promise<FileHandle> {
  return open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new SignalboxError('E_INPUT', `cannot read ${path}: ${error.code ?? error.message}`, {
      place: { file: path },
      cause: error,
    })
  })
}
