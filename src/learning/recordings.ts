import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import type { TerminalView } from '../screen/index.js'
import { type RecordingEvent, readWholeRecording } from '../terminal/recording/index.js'
import { readAnyTranscript } from './any-transcript.js'
import { acceptedViews, type LabelledMoment, mayNeedPerson, needsPerson } from './labels.js'
import { momentsOf } from './transcript-moments.js'

/** A time at which it is known what the screen shows. */
export interface TaughtMoment {
  t: number
  /** Any of these is right. */
  views: ReadonlySet<TerminalView>
  /** Null: not known. */
  needsYou: boolean | null
  from: 'label' | 'transcript'
}

/** A recording, and what was really happening in it. */
export interface TaughtRecording {
  name: string
  file: string
  cols: number
  rows: number
  events: RecordingEvent[]
  moments: TaughtMoment[]
}

/**
 * The recordings of files and directories. Beside NAME.cast, NAME.json holds labelled moments and
 * NAME.jsonl the agent's transcript; a recording without either teaches nothing and is left out.
 * @throws SignalboxError `E_INPUT` for a file that is not a recording.
 */
export async function readRecordings(
  paths: readonly string[],
  options: { transcript?: string } = {},
): Promise<TaughtRecording[]> {
  const found: TaughtRecording[] = []
  for (const path of paths)
    for (const file of castsIn(path)) {
      const recording = await readTaught(file, options.transcript)
      if (recording.moments.length > 0) found.push({ ...recording, name: nameIn(path, file) })
    }
  return found
}

/** Unique among the recordings of a directory: fixtures are stored by it. */
function nameIn(directory: string, file: string): string {
  return (relative(directory, file) || basename(file)).replaceAll(sep, '-')
}

async function readTaught(file: string, named: string | undefined): Promise<TaughtRecording> {
  const { header, events } = await readWholeRecording(file)
  const side = file.replace(/\.cast(?:\.gz)?$/, '')
  const moments: TaughtMoment[] = []
  if (existsSync(`${side}.json`)) moments.push(...labelled(JSON.parse(await readFile(`${side}.json`, 'utf8'))))
  const transcript = named ?? `${side}.jsonl`
  const statements = existsSync(transcript) ? readAnyTranscript(await readFile(transcript, 'utf8')) : []
  moments.push(...momentsOf(statements, { startedAt: header.startedAt, events }))
  moments.sort((a, b) => a.t - b.t)
  return { name: basename(file), file, cols: header.cols, rows: header.rows, events, moments }
}

function labelled(value: unknown): TaughtMoment[] {
  const { moments = [] } = value as { moments?: LabelledMoment[] }
  return moments
    .filter(({ t, view, score }) => typeof t === 'number' && view !== 'exited' && score !== false)
    .map(moment => ({
      t: moment.t,
      views: acceptedViews(moment),
      needsYou: mayNeedPerson(moment) ? null : needsPerson(moment),
      from: 'label' as const,
    }))
    .filter(({ views }) => views.size > 0)
}

function castsIn(path: string): string[] {
  if (!existsSync(path)) throw new SignalboxError('E_INPUT', `${path} does not exist`)
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap(name => {
      const inside = join(path, name)
      if (statSync(inside).isDirectory()) return castsIn(inside)
      return /\.cast(?:\.gz)?$/.test(name) ? [inside] : []
    })
}
