export type CastEvent =
  | { ms: number; kind: 'output'; data: string }
  | { ms: number; kind: 'resize'; cols: number; rows: number }

export interface Cast {
  cols: number
  rows: number
  events: CastEvent[]
  durationMs: number
}

/**
 * Parses a recording (asciicast 2 or 3) and skips invalid lines: the last line may be incomplete.
 */
export function parseCast(text: string): Cast {
  const lines = text.split('\n')
  const header = JSON.parse(lines[0] ?? '{}') as {
    version?: number
    width?: number
    height?: number
    term?: { cols?: number; rows?: number }
  }
  const isInterval = header.version === 3
  const events: CastEvent[] = []
  let at = 0
  for (const line of lines.slice(1)) {
    if (line === '' || line.startsWith('#')) continue
    const event = readLine(line)
    if (!event) continue
    const [time, code, data] = event
    at = isInterval ? at + time : time
    // Whole milliseconds, as in the index of a recording: a rounding error must not delay a frame.
    const ms = Math.floor(at * 1000 + 1e-6)
    if (code === 'o') events.push({ ms, kind: 'output', data })
    else if (code === 'r') {
      const [cols, rows] = data.split('x').map(Number)
      if (cols && rows) events.push({ ms, kind: 'resize', cols, rows })
    }
  }
  return {
    cols: header.width ?? header.term?.cols ?? 80,
    rows: header.height ?? header.term?.rows ?? 24,
    events,
    durationMs: at * 1000,
  }
}

function readLine(line: string): [number, string, string] | null {
  try {
    const value = JSON.parse(line) as unknown
    return Array.isArray(value) && typeof value[0] === 'number' && typeof value[2] === 'string'
      ? (value as [number, string, string])
      : null
  } catch {
    return null
  }
}

/** The index of the first event after a time. */
export function indexAfter(events: readonly CastEvent[], ms: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (events[middle]!.ms <= ms) low = middle + 1
    else high = middle
  }
  return low
}
