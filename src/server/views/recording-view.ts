import { statSync } from 'node:fs'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import { Replay } from '../../panes/index.js'
import type { SessionRecord } from '../../sessions/index.js'
import { type ChangeFields, SessionReplay } from '../../sessions/replay/index.js'
import type { Frame } from '../../terminal/index.js'
import { openRecording } from '../../terminal/recording/index.js'
import type { InMilliseconds, Recording, RecordingIndex } from '../api-types.js'
import { personName } from '../caller.js'
import type { Call } from '../route.js'

/** The index of a recording has at most this many changes of each kind. */
const CHANGES_MAX = 5_000

export type RecordingView = InMilliseconds<Recording>

/** The id of a session's recording is the session's id with another prefix. */
export function recordingId({ id }: SessionRecord): string {
  return `rec_${id.slice('ses_'.length)}`
}

/** Null if its file was deleted. */
export function recordingView(host: Host, record: SessionRecord): RecordingView | null {
  const bytes = host.isHere(record)
    ? statSync(host.localRecording(record), { throwIfNoEntry: false })?.size
    : remoteBytes(host, record)
  if (bytes === undefined) return null
  return {
    id: recordingId(record),
    session: record.id,
    agent: record.agent,
    label: record.label ?? null,
    project: record.project,
    startedAt: record.startedAt,
    endedAt: record.endedAt ?? null,
    bytes,
  }
}

/**
 * By the id of the recording or of its session, or a unique prefix of it. @throws SignalboxError
 * `E_UNKNOWN`, `E_ID_AMBIGUOUS`
 */
export async function findRecording(
  call: Pick<Call, 'host' | 'person'>,
  word: string,
): Promise<{ record: SessionRecord; view: RecordingView }> {
  const name = word.startsWith('rec_') ? `ses_${word.slice('rec_'.length)}` : word
  const record = await call.host.find(name, personName(call.person.id))
  const view = recordingView(call.host, record)
  if (view) return { record: { ...record, recording: await call.host.recordingOf(record) }, view }
  throw new SignalboxError('E_UNKNOWN', `the recording of ${record.id} was deleted`, {
    next: 'GET /recordings lists them',
  })
}

/** The part of a worker's recording that was uploaded; the worker may have more. */
function remoteBytes(host: Host, { id, saved }: SessionRecord): number | undefined {
  if (!saved) return host.remote.has(id) ? 0 : undefined
  return saved.reduce((total, { bytes }) => total + bytes, 0)
}

export type Marker = RecordingIndex['markers'][number]

/**
 * The events of a recording on its own timeline: changes of the view, markers, sizes, the end.
 */
export async function recordingMarkers(
  host: Host,
  record: SessionRecord,
): Promise<{ durationMs: number; markers: Marker[]; cols: number; rows: number }> {
  const recording = await openRecording(record.recording)
  const { cols, rows } = recording.header
  const live = await host.packOf(record)
  live.release()
  const replay = new SessionReplay({ pack: live.pack, cols, rows })
  const markers: Marker[] = []
  let durationMs = 0
  let changes = 0
  const add = (marker: Marker) => {
    if (marker.kind === 'change' && ++changes > CHANGES_MAX) return
    markers.push(marker)
  }
  for await (const { event } of recording.events()) {
    durationMs = ms(event.t)
    if (event.kind === 'resize') add({ atMs: durationMs, kind: 'resize', label: `${event.cols}x${event.rows}` })
    if (event.kind === 'marker') add({ atMs: durationMs, kind: 'marker', label: event.label })
    if (event.kind === 'exit')
      add({ atMs: durationMs, kind: 'exit', label: String(event.exit.code ?? event.exit.signal) })
    for (const line of replay.apply(event)) if (line.type === 'change') add(changeMarker(line.fields))
  }
  for (const line of replay.finish()) if (line.type === 'change') add(changeMarker(line.fields))
  return { durationMs, markers: markers.sort((a, b) => a.atMs - b.atMs), cols, rows }
}

function changeMarker({ t, view, status, phase, authority, rule, awaiting }: ChangeFields): Marker {
  return { atMs: ms(t), kind: 'change', label: view, detail: { status, phase, authority, rule, awaiting } }
}

/** The screen this many milliseconds after the start. */
export async function frameAt(host: Host, record: SessionRecord, atMs: number): Promise<Frame | null> {
  const recording = await openRecording(record.recording)
  const live = await host.packOf(record)
  live.release()
  const replay = new Replay({ pack: live.pack, cols: recording.header.cols, rows: recording.header.rows })
  const t = atMs / 1000
  for await (const { event } of recording.events()) {
    if (event.t > t) break
    replay.apply(event)
  }
  replay.endFrame(t)
  return replay.pane.screen.last?.frame ?? null
}

function ms(t: number): number {
  return Math.round(t * 1000)
}
