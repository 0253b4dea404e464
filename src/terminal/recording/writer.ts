import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs'
import { SignalboxError } from '../../errors/index.js'
import type { RecordingExit } from './asciicast.js'
import { ByteTextDecoder, decodeBytes } from './byte-text.js'
import type { ReadPosition } from './reader.js'

/**
 * Writes a recording as asciicast v2 while the session runs. Lines are collected and written in one
 * call when `flush` is called or 64 kB are waiting. The keeper flushes at the end of every round
 * of its event loop, so only a crash of the keeper itself can lose output.
 *
 * A failed write (disk full) ends the recording, not the session: `failure` has the reason, and
 * later calls do nothing.
 */
export interface RecordingWriter {
  /** Null if nothing is recorded. */
  readonly path: string | null
  readonly failure: Error | null
  /**
   * The last known line before this offset of the output, so that a reader need not parse all lines
   * before it; null: read from the start.
   */
  positionBefore(outputOffset: number): ReadPosition | null
  output(t: number, bytes: Uint8Array): void
  input(t: number, bytes: Uint8Array): void
  resize(t: number, cols: number, rows: number): void
  marker(t: number, label: string): void
  exit(t: number, exit: RecordingExit): void
  flush(): void
  close(): void
}

/** For a program that is not recorded. */
export const NO_RECORDING: RecordingWriter = {
  path: null,
  failure: null,
  positionBefore: () => null,
  output: () => undefined,
  input: () => undefined,
  resize: () => undefined,
  marker: () => undefined,
  exit: () => undefined,
  flush: () => undefined,
  close: () => undefined,
}

const FLUSH_AT = 64 * 1024
/** One known position for this much output: 100 MB of output need 1 600 of them. */
const POSITION_EVERY = 64 * 1024

/**
 * @throws SignalboxError `E_DISK_FULL`, `E_HOME` when the header cannot be written; then no file is
 * left behind.
 */
export function createRecording(
  path: string,
  header: { cols: number; rows: number; startedAt: number; command: string; env?: Record<string, string> },
): RecordingWriter {
  const recording = new FileRecording(path, openNew(path), header)
  if (!recording.failure) return recording
  recording.close()
  rmSync(path, { force: true })
  throw refusal(path, recording.failure)
}

function openNew(path: string): number {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND, 0o600)
  } catch (error) {
    throw refusal(path, error as Error)
  }
}

function refusal(path: string, error: NodeJS.ErrnoException): SignalboxError {
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT'
  return new SignalboxError(
    isFull ? 'E_DISK_FULL' : 'E_HOME',
    `the recording ${path} cannot be written: ${isFull ? 'the disk is full' : error.message}`,
    {
      next: isFull ? 'free some space, then try again' : 'check the owner and the permissions of the directory',
      cause: error,
    },
  )
}

class FileRecording implements RecordingWriter {
  readonly path: string
  failure: Error | null = null
  #descriptor: number
  #pending = ''
  readonly #decoder = new ByteTextDecoder()
  #lastOutput = 0
  /** After the last line, written or waiting. */
  readonly #end: ReadPosition = { fileByte: 0, outputOffset: 0, t: 0 }
  readonly #positions: ReadPosition[] = []
  #received = 0

  constructor(
    path: string,
    descriptor: number,
    header: { cols: number; rows: number; startedAt: number; command: string; env?: Record<string, string> },
  ) {
    this.path = path
    this.#descriptor = descriptor
    const { cols: width, rows: height, startedAt, command, env } = header
    this.#line({ version: 2, width, height, timestamp: Math.floor(startedAt / 1000), command, ...(env && { env }) })
    this.flush()
  }

  positionBefore(outputOffset: number): ReadPosition | null {
    const after = this.#positions.findLastIndex(position => position.outputOffset <= outputOffset)
    return this.#positions[after] ?? null
  }

  output(t: number, bytes: Uint8Array): void {
    this.#lastOutput = t
    const text = this.#decoder.push(bytes)
    this.#received += bytes.length
    if (text !== '') this.#outputEvent(t, text)
  }

  input(t: number, bytes: Uint8Array): void {
    this.#event(t, 'i', decodeBytes(bytes))
  }

  resize(t: number, cols: number, rows: number): void {
    // The bytes of an incomplete character arrived before the resize and must stay before it.
    this.#flushDecoder()
    this.#event(t, 'r', `${cols}x${rows}`)
  }

  marker(t: number, label: string): void {
    this.#event(t, 'm', label)
  }

  exit(t: number, exit: RecordingExit): void {
    this.#flushDecoder()
    this.#event(t, 'x', exit.signal ?? String(exit.code ?? 0))
  }

  flush(): void {
    if (this.#pending === '' || this.failure) return
    try {
      let rest: Uint8Array = Buffer.from(this.#pending)
      this.#pending = ''
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#descriptor, rest))
    } catch (error) {
      this.failure = error as Error
    }
  }

  close(): void {
    this.flush()
    if (this.#descriptor < 0) return
    try {
      closeSync(this.#descriptor)
    } catch (error) {
      // Some file systems report a full disk only here.
      this.failure ??= error as Error
    }
    this.#descriptor = -1
  }

  #flushDecoder(): void {
    const rest = this.#decoder.flush()
    if (rest !== '') this.#outputEvent(this.#lastOutput, rest)
  }

  #outputEvent(t: number, text: string): void {
    this.#event(t, 'o', text)
    this.#end.outputOffset = this.#received - this.#decoder.pending
    const last = this.#positions.at(-1)?.outputOffset ?? 0
    if (this.#end.outputOffset - last >= POSITION_EVERY) this.#positions.push({ ...this.#end, t })
  }

  #event(t: number, code: string, data: string): void {
    this.#line([Math.round(t * 1e6) / 1e6, code, data])
  }

  #line(value: unknown): void {
    if (this.failure || this.#descriptor < 0) return
    const line = `${JSON.stringify(value)}\n`
    this.#end.fileByte += Buffer.byteLength(line)
    this.#pending += line
    if (this.#pending.length >= FLUSH_AT) this.flush()
  }
}
