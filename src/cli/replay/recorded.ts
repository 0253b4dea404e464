import { readFile } from 'node:fs/promises'
import { SignalboxError } from '../../errors/index.js'
import { type RecordingEvent, readWholeRecording } from '../../terminal/recording/index.js'

/** A file to replay, whole. */
export interface Recorded {
  format: 'asciicast-v2' | 'asciicast-v3' | 'raw'
  cols: number
  rows: number
  events: RecordingEvent[]
  duration: number
  truncated: boolean
  badLines: number
  command: string | null
}

/**
 * Reads an asciicast, or with a size any file of terminal bytes.
 * @throws SignalboxError `E_INPUT` (exit code 2) for a file that is no recording.
 */
export async function readRecorded(path: string, size: { cols: number; rows: number } | null): Promise<Recorded> {
  try {
    const { header, events, truncated, badLines } = await readWholeRecording(path)
    const duration = events.reduce((last, event) => Math.max(last, event.t), 0)
    return {
      format: `asciicast-v${header.version}`,
      cols: header.cols,
      rows: header.rows,
      ...size,
      events,
      duration,
      truncated,
      badLines,
      command: header.command,
    }
  } catch (error) {
    const isReadable =
      error instanceof SignalboxError && error.code === 'E_INPUT' && error.message.includes('is not an asciicast')
    if (!isReadable) throw error
    if (!size)
      throw new SignalboxError('E_INPUT', error.message, {
        next: 'raw terminal bytes need their size: --size 80x24',
        place: { file: path },
      })
    const bytes = new Uint8Array(await readFile(path))
    return {
      format: 'raw',
      ...size,
      events: [{ kind: 'output', t: 0, bytes }],
      duration: 0,
      truncated: false,
      badLines: 0,
      command: null,
    }
  }
}

/** `80x24` → columns and rows. */
export function parseSizeOption(text: unknown): { cols: number; rows: number } | null {
  if (text === undefined) return null
  const match = /^(\d{1,4})x(\d{1,4})$/i.exec(String(text))
  const [cols, rows] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || cols < 2 || rows < 1)
    throw new SignalboxError('E_INPUT', `"${String(text)}" is no size`, { next: 'columns x rows, such as 80x24' })
  return { cols, rows }
}

/** `3.2,8` → numbers, ascending, each once. */
export function parseNumbers(text: unknown, what: string): number[] | null {
  if (text === undefined) return null
  const words = String(text)
    .split(',')
    .map(word => word.trim())
    .filter(Boolean)
  const bad = words.find(word => !/^\d+(?:\.\d+)?(?:e-?\d+)?$/i.test(word))
  if (words.length === 0 || bad !== undefined)
    throw new SignalboxError('E_INPUT', `"${bad ?? String(text)}" is no ${what}`, {
      next: 'numbers joined by commas, such as 3.2,8',
    })
  return [...new Set(words.map(Number))].sort((a, b) => a - b)
}
