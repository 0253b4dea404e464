import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { loadPack } from '../../src/agents/index.js'
import { replayEvents } from '../../src/panes/index.js'
import type { Pack } from '../../src/screen/index.js'
import { type RecordingEvent, readWholeRecording, type WholeRecording } from '../../src/terminal/recording/index.js'

/*
 * What must hold for any recording of an agent, whatever it shows: reading does not depend on how the bytes were cut, impossible changes of
 * view do not happen, and a working agent does not flicker. The recordings beside the packs are run; a directory of more of them is, too,
 * where there is one (SIGNALBOX_CORPUS, or ../shared/corpus beside the checkout).
 */
const root = fileURLToPath(new URL('../..', import.meta.url))
const shipped = readdirSync(join(root, 'packs')).map(agent => join(root, 'packs', agent, 'fixtures'))
const further = process.env.SIGNALBOX_CORPUS ?? join(root, '..', 'shared', 'corpus')
/** Every n-th further recording, and the small ones byte by byte, unless all are asked for: the whole directory takes minutes. */
const isWhole = Boolean(process.env.SIGNALBOX_CORPUS_ALL)
const STRIDE = isWhole ? 1 : 10
const BYTE_BY_BYTE = isWhole ? Number.POSITIVE_INFINITY : 60_000

function casts(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .sort()
    .flatMap(name => {
      const path = join(directory, name)
      if (statSync(path).isDirectory()) return casts(path)
      return name.endsWith('.cast') ? [path] : []
    })
}

function agentOf(cast: string): string | null {
  const folder = basename(dirname(cast)) === 'fixtures' ? basename(dirname(dirname(cast))) : basename(dirname(cast))
  return folder === 'shell' || folder === 'generic' ? null : folder.replace(/-[\d.]+$/, '')
}

const recordings = [...shipped.flatMap(casts), ...casts(further).filter((_, index) => index % STRIDE === 0)]

interface Seen {
  t: number
  view: string
  awaiting: string | null
  busy: boolean | null
  rule: string
  /** What stands in the rows of the menu, where one is up. */
  menu: { first: number; text: string } | null
  /** The same rows, as they are on the screen now. */
  rowsAt: (first: number, count: number) => string
}

function observe({ header }: WholeRecording, events: Iterable<RecordingEvent>, pack: Pack): Seen[] {
  const seen: Seen[] = []
  for (const line of replayEvents(events, { pack, cols: header.cols, rows: header.rows })) {
    const { t, view, awaiting, busy, isSettled, look } = line.state
    if (!isSettled) continue
    const lines = look?.frame.lines ?? []
    const rowsAt = (first: number, count: number) =>
      lines
        .slice(first, first + count)
        .map(row => row.text.trimEnd())
        .join('\n')
    const rows = look?.layout.menu?.candidate.menu.rows
    const menu = view === 'tool_menu' && rows ? { first: rows[0], text: rowsAt(rows[0], rows[1] - rows[0] + 1) } : null
    seen.push({ t, view, awaiting, busy, rule: look?.observation.rule ?? 'none', menu, rowsAt })
  }
  return seen
}

async function readAsRecorded(cast: string): Promise<{ recording: WholeRecording; pack: Pack; whole: Seen[] }> {
  const recording = await readWholeRecording(cast)
  const pack = await loadPack(agentOf(cast), null)
  return { recording, pack, whole: observe(recording, recording.events, pack) }
}

/** The same bytes at the same times, cut elsewhere. */
function* recut(
  events: readonly RecordingEvent[],
  sizeOf: (random: () => number) => number,
): Generator<RecordingEvent> {
  let state = 42
  const random = () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) / 0x7fffffff
  for (const event of events) {
    if (event.kind !== 'output') yield event
    else
      for (let at = 0, size = sizeOf(random); at < event.bytes.length; at += size, size = sizeOf(random))
        yield { ...event, bytes: event.bytes.subarray(at, at + size) }
  }
}

/** All bytes of one moment in pieces of 64 kB, however many they were written in. */
function* together(events: readonly RecordingEvent[]): Generator<RecordingEvent> {
  for (let at = 0; at < events.length; at++) {
    const event = events[at]!
    if (event.kind !== 'output') {
      yield event
      continue
    }
    const pieces = [event.bytes]
    for (let next = events[at + 1]; next?.kind === 'output' && next.t === event.t; next = events[at + 1]) {
      pieces.push(next.bytes)
      at++
    }
    const bytes = Buffer.concat(pieces)
    for (let from = 0; from < bytes.length; from += 65_536)
      yield { ...event, bytes: bytes.subarray(from, from + 65_536) }
  }
}

function plain(seen: readonly Seen[]): Omit<Seen, 'rowsAt'>[] {
  return seen.map(({ rowsAt: _, ...rest }) => rest)
}

test('there are recordings to read', () => expect(recordings.length).toBeGreaterThan(5))

describe.each(recordings.map(cast => [cast.replace(`${root}`, ''), cast] as const))('%s', (_, cast) => {
  // Read once, as it was recorded, for both tests.
  let read: Promise<{ recording: WholeRecording; pack: Pack; whole: Seen[] }> | null = null
  const readOnce = () => (read ??= readAsRecorded(cast))
  afterAll(() => {
    read = null
  })

  test('reads the same however its bytes are cut', async () => {
    const { recording, pack, whole } = await readOnce()
    const bytes = recording.events.reduce((sum, event) => sum + (event.kind === 'output' ? event.bytes.length : 0), 0)
    const asRecorded = JSON.stringify(plain(whole))
    const expectSame = (cut: Iterable<RecordingEvent>) => {
      const seen = plain(observe(recording, cut, pack))
      // Where they differ is worth a comparison piece by piece; that they are equal is seen at once.
      if (JSON.stringify(seen) !== asRecorded) expect(seen).toEqual(plain(whole))
    }
    expectSame(recut(recording.events, random => 1 + Math.floor(random() * 200)))
    if (isWhole) expectSame(together(recording.events))
    // One byte at a time costs a call a byte: only where that is little.
    if (bytes < BYTE_BY_BYTE) expectSame(recut(recording.events, () => 1))
  }, 240_000)

  test('shows no impossible change of view and does not flicker', async () => {
    const { recording, whole: seen } = await readOnce()
    const inputs = recording.events.filter(event => event.kind === 'input').map(event => event.t)
    expect(impossible(seen, inputs)).toEqual([])
    expect(excursions(seen, inputs).length).toBeLessThanOrEqual(1)
  }, 240_000)
})

function impossible(seen: readonly Seen[], inputs: readonly number[]): string[] {
  return seen.flatMap((now, index) => {
    const before = seen[index - 1]
    if (!before || inputs.some(t => t > before.t - 0.5 && t <= now.t)) return []
    const menu = before.menu
    const isImpossible =
      // The menu still stands there as it did.
      (now.view === 'idle_prompt' &&
        menu !== null &&
        now.rowsAt(menu.first, menu.text.split('\n').length) === menu.text) ||
      (before.view === 'idle_prompt' && now.view === 'tool_result') ||
      (before.view !== 'startup' && before.view !== 'unknown' && now.view === 'startup') ||
      (before.view === 'auth_required' && now.view === 'thinking')
    return isImpossible ? [`${before.view} → ${now.view} at ${now.t.toFixed(2)} (${now.rule})`] : []
  })
}

/** Rests of less than two seconds in the middle of work that nobody interrupted. */
function excursions(seen: readonly Seen[], inputs: readonly number[]): string[] {
  const found: string[] = []
  let rested: number | null = null
  seen.forEach((now, index) => {
    const isIdle = now.busy === false && now.awaiting === null && now.view !== 'unknown'
    if (seen[index - 1]?.busy === true && isIdle) rested = now.t
    else if (now.busy === true && rested !== null) {
      const since = rested
      if (now.t - since < 2 && !inputs.some(t => t >= since - 0.3 && t <= now.t))
        found.push(`${since.toFixed(2)}–${now.t.toFixed(2)}`)
      rested = null
    }
  })
  return found
}
