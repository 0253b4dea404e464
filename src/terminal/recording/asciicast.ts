import { encodeText } from './byte-text.js'

/** The first line of a recording, the same for asciicast versions 2 and 3. */
export interface RecordingHeader {
  version: 2 | 3
  cols: number
  rows: number
  /** Seconds since the epoch. */
  startedAt: number | null
  command: string | null
  title: string | null
}

export interface RecordingExit {
  code: number | null
  signal: string | null
}

/** One line of a recording; `t` is in seconds since its start. */
export type RecordingEvent =
  | { kind: 'output'; t: number; bytes: Uint8Array }
  | { kind: 'input'; t: number; bytes: Uint8Array }
  | { kind: 'resize'; t: number; cols: number; rows: number }
  | { kind: 'marker'; t: number; label: string }
  | { kind: 'exit'; t: number; exit: RecordingExit }

export function parseHeader(line: string): RecordingHeader | null {
  const value = parseJson(line)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const fields = value as Record<string, unknown>
  const version = fields.version
  if (version !== 2 && version !== 3) return null
  const term = (fields.term ?? {}) as Record<string, unknown>
  const cols = version === 3 ? term.cols : fields.width
  const rows = version === 3 ? term.rows : fields.height
  if (!isSize(cols) || !isSize(rows)) return null
  return {
    version,
    cols,
    rows,
    startedAt: typeof fields.timestamp === 'number' ? fields.timestamp : null,
    command: typeof fields.command === 'string' ? fields.command : null,
    title: typeof fields.title === 'string' ? fields.title : null,
  }
}

/**
 * Parses one event line. `previous` is the time of the event before it: version 3 writes intervals.
 * Undefined for a line that is not an event; `other` is an event of a kind that is not read, but
 * whose time counts.
 */
export function parseEventLine(
  line: string,
  header: RecordingHeader,
  previous: number,
): RecordingEvent | { kind: 'other'; t: number } | undefined {
  const value = parseJson(line)
  if (!Array.isArray(value) || value.length < 3) return undefined
  const [time, code, data] = value as [unknown, unknown, unknown]
  if (typeof time !== 'number' || !Number.isFinite(time) || typeof code !== 'string' || typeof data !== 'string')
    return undefined
  const t = header.version === 3 ? previous + time : time
  switch (code) {
    case 'o':
      return { kind: 'output', t, bytes: encodeText(data) }
    case 'i':
      return { kind: 'input', t, bytes: encodeText(data) }
    case 'r': {
      const [cols, rows] = data.split('x').map(Number)
      return isSize(cols) && isSize(rows) ? { kind: 'resize', t, cols, rows } : undefined
    }
    case 'm':
      return { kind: 'marker', t, label: data }
    case 'x':
      return {
        kind: 'exit',
        t,
        exit: /^-?\d+$/.test(data) ? { code: Number(data), signal: null } : { code: null, signal: data },
      }
    default:
      return { kind: 'other', t }
  }
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 10_000
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
