import { statSync } from 'node:fs'
import { SignalboxError } from '../../errors/index.js'
import { parseEventLine, parseHeader, type RecordingEvent, type RecordingHeader } from './asciicast.js'
import { readPart, recordingBytes } from './compressed.js'

/** The first line is shorter than this. */
const HEADER_MAX = 64 * 1024

/** A recording, read from the start or from where an earlier reading stopped. */
export interface OpenRecording {
  header: RecordingHeader
  /** Events in order. `truncated` is known when all have been read. */
  events(from?: ReadPosition): AsyncGenerator<PositionedEvent>
  /** What the newest reading could not parse: an incomplete last line, other lines. */
  readonly damage: { truncated: boolean; badLines: number }
}

/**
 * Where to continue: the byte of the text after the last line, the output bytes before it, and its
 * time.
 */
export interface ReadPosition {
  fileByte: number
  outputOffset: number
  t: number
}

interface PositionedEvent {
  event: RecordingEvent
  /** After this event. */
  position: ReadPosition
}

export interface WholeRecording {
  header: RecordingHeader
  events: RecordingEvent[]
  truncated: boolean
  badLines: number
}

/**
 * Opens a recording, compressed or not. @throws SignalboxError `E_INPUT` when the file is missing
 * or not a recording.
 */
export async function openRecording(path: string): Promise<OpenRecording> {
  const first = await firstLine(path)
  const header = first === null ? null : parseHeader(first.text)
  if (!header || !first) {
    throw new SignalboxError('E_INPUT', `${path} is not an asciicast recording`, {
      next: 'give a file whose first line is an asciicast v2 or v3 header',
      place: { file: path, line: 1 },
    })
  }
  const damage = { truncated: false, badLines: 0 }
  const start: ReadPosition = { fileByte: first.end, outputOffset: 0, t: 0 }
  return {
    header,
    damage,
    events: (from = start) => readEvents(path, header, from, damage),
  }
}

export async function readWholeRecording(path: string): Promise<WholeRecording> {
  const recording = await openRecording(path)
  const events: RecordingEvent[] = []
  for await (const { event } of recording.events()) events.push(event)
  return { header: recording.header, events, ...recording.damage }
}

async function* readEvents(
  path: string,
  header: RecordingHeader,
  from: ReadPosition,
  damage: { truncated: boolean; badLines: number },
): AsyncGenerator<PositionedEvent> {
  Object.assign(damage, { truncated: false, badLines: 0 })
  let { fileByte, outputOffset, t } = from
  for await (const line of linesOf(path, fileByte)) {
    if (!line.isWhole) {
      damage.truncated = true
      return
    }
    fileByte += line.byteLength
    if (line.text.trim() === '' || (header.version === 3 && line.text.startsWith('#'))) continue
    const event = parseEventLine(line.text, header, t)
    if (!event) {
      damage.badLines++
      continue
    }
    t = event.t
    if (event.kind === 'other') continue
    if (event.kind === 'output') outputOffset += event.bytes.length
    yield { event, position: { fileByte, outputOffset, t } }
  }
}

async function firstLine(path: string): Promise<{ text: string; end: number } | null> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) return null
  const head = await readPart(path, 0, HEADER_MAX)
  const end = head.indexOf(0x0a)
  const length = end < 0 ? head.length : end
  return length === 0 ? null : { text: head.toString('utf8', 0, length), end: end < 0 ? length : end + 1 }
}

/** Lines with their length in bytes; the last is incomplete without a newline. */
async function* linesOf(
  path: string,
  start: number,
): AsyncGenerator<{ text: string; byteLength: number; isWhole: boolean }> {
  let rest: Buffer[] = []
  for await (const chunk of recordingBytes(path, start)) {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, end)])
      rest = []
      yield { text: line.toString('utf8'), byteLength: line.length + 1, isWhole: true }
      from = end + 1
    }
    if (from < chunk.length) rest.push(chunk.subarray(from))
  }
  if (rest.length > 0) {
    const line = Buffer.concat(rest)
    yield { text: line.toString('utf8'), byteLength: line.length, isWhole: parsesAsJson(line.toString('utf8')) }
  }
}

/** A last line without newline counts if it is complete JSON: other recorders omit the newline. */
function parsesAsJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
