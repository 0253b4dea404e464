import { readFile } from 'node:fs/promises'
import { loadDetections, loadPack, packAgents } from '../../agents/packs/index.js'
import { SignalboxError } from '../../errors/index.js'
import { detectByCommand, detectByScreen } from '../../panes/index.js'
import type { Pack } from '../../screen/index.js'
import { type RecordingEvent, readWholeRecording } from '../../terminal/recording/index.js'

/** A recording, read completely. */
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
 * Reads an asciicast or, with a size, any file of terminal bytes.
 * @throws SignalboxError `E_INPUT` for a file that is not a recording.
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
    const isOtherFormat =
      error instanceof SignalboxError && error.code === 'E_INPUT' && error.message.includes('is not an asciicast')
    if (!isOtherFormat) throw error
    if (!size)
      throw new SignalboxError('E_INPUT', error.message, {
        next: 'for raw terminal bytes give the size: --size 80x24',
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

/** `3.2,8` → numbers, ascending, without duplicates; null if the option was not given. */
export function parseNumbers(text: string | undefined, what: string): number[] | null {
  if (text === undefined) return null
  const words = text
    .split(',')
    .map(word => word.trim())
    .filter(Boolean)
  const bad = words.find(word => !/^\d+(?:\.\d+)?(?:e-?\d+)?$/i.test(word))
  if (words.length === 0 || bad !== undefined)
    throw new SignalboxError('E_INPUT', `invalid ${what} "${bad ?? text}"`, {
      next: 'give numbers separated by commas, such as 3.2,8',
    })
  return [...new Set(words.map(Number))].sort((a, b) => a - b)
}

export interface ChosenPack {
  agent: string | null
  version: string | null
  pack: Pack
  /** There is no pack for the agent that was named. */
  isMissing: boolean
}

/** A recording's pack: of the named agent, or by command line, banner or title. */
export async function choosePack(
  recorded: Recorded,
  named: { agent: string | null; version: string | null },
  userDirectory: string,
): Promise<ChosenPack> {
  const isKnown =
    named.agent !== null &&
    (named.agent === 'generic' || (await packAgents({ user: userDirectory })).includes(named.agent))
  const wanted = isKnown ? named.agent : null
  const isMissing = named.agent !== null && !isKnown
  if (wanted !== null && named.version !== null)
    return {
      agent: wanted,
      version: named.version,
      pack: await loadPack(wanted, userDirectory, named.version),
      isMissing,
    }
  const detections = await loadDetections({ user: userDirectory }, wanted)
  const byCommand = wanted === null && recorded.command !== null ? detectByCommand(recorded.command, detections) : null
  const known = wanted ?? byCommand?.agent ?? null
  const candidates = known === null ? detections : detections.filter(({ agent }) => agent === known)
  const detected = candidates.length === 0 ? null : detectByScreen(recorded.events, recorded, candidates)
  const agent = known ?? detected?.agent ?? null
  const version = named.version ?? detected?.version ?? null
  return {
    agent: agent ?? named.agent,
    version,
    pack: await loadPack(agent, userDirectory, version),
    isMissing: isMissing && agent === null,
  }
}
