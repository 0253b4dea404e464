import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Recordings of real agents with the screens that they must give. They are not part of the
 * repository: without them, tests that need them are skipped.
 */
const CORPUS = process.env.SIGNALBOX_CORPUS ?? join(import.meta.dirname, '../../../../shared/corpus')

export interface CastEvent {
  t: number
  kind: 'o' | 'i' | 'r'
  data: string
}

export interface Recording {
  name: string
  cols: number
  rows: number
  events: CastEvent[]
  moments: Moment[]
}

export interface Moment {
  t: number
  screen?: string[]
  title?: string
  cursor?: { x: number; y: number }
  alt?: boolean
}

export function hasCorpus(): boolean {
  return existsSync(CORPUS)
}

export function recordingNames(): string[] {
  if (!hasCorpus()) return []
  return readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.cast'))
    .sort()
}

export function readRecording(name: string): Recording {
  const lines = readFileSync(join(CORPUS, name), 'utf8').split('\n').filter(Boolean)
  const header = JSON.parse(lines[0]!) as { width: number; height: number }
  const events = lines.slice(1).map(line => {
    const [t, kind, data] = JSON.parse(line) as [number, 'o' | 'i' | 'r', string]
    return { t, kind, data }
  })
  const sidecar = join(CORPUS, name.replace(/\.cast$/, '.json'))
  const moments = existsSync(sidecar) ? ((JSON.parse(readFileSync(sidecar, 'utf8')).moments ?? []) as Moment[]) : []
  return { name, cols: header.width, rows: header.height, events, moments }
}

export function parseSize(data: string): { cols: number; rows: number } {
  const [cols, rows] = data.split('x').map(Number)
  return { cols: cols!, rows: rows! }
}
