import { memoizeByObject } from '../terminal/index.js'
import { parseDuration } from './capture.js'
import type { ScreenRow } from './screen-row.js'

/*
 * Work that no rule knows is still visible: a spinner spins, a timer counts. A row moves in this
 * sense if one leading cell changes its glyph while everything else stays (twice within 1.5 s), or
 * if a duration in it grows (between two frames at least 0.8 s apart). Typing a draft, streaming
 * text or scrolling a list changes more than that, so it is not motion. The sign expires 3 s after
 * the last move: a spinner that does not spin proves nothing.
 */
const GLYPH_WINDOW_S = 1.5
const CLOCK_GAP_S = 0.8
export const MOTION_EXPIRY_S = 3
const TRACKS_MAX = 8

export interface Track {
  /** The row without its leading glyph and with its numbers masked. */
  key: string
  glyph: string
  /** The times at which the glyph changed, newest last. */
  spins: number[]
  /** The seconds that the row showed, and when. */
  clock: { t: number; value: number } | null
  lastMotion: number | null
  seen: number
}

/** A symbol cell (never a letter or digit), then the rest; up to eight are a moving bar. */
const LEADING = /^(\s*)([^\p{L}\p{N}\s]{1,8})(?=\s|\p{L}|$)(.*)$/u
/** A mark that turns behind the words. */
const TRAILING = /^(?<words>\s*[^\s\u2800-\u28ff][^\u2800-\u28ff]*)(?<glyph>[\u2801-\u28ff]{1,4})(?<rest>(?:\s.*)?)$/u
/** `Thinking`, `Thinking..`: a few words with dots that come and go. */
const DOTTED = /^(?<words>\s{0,5}\p{L}+(?: \p{L}+){0,3})(?<glyph>\.{0,3}|…)$/u
const DURATION = /(?:\d+h )?(?:\d+m )?\d+(?:\.\d+)?s\b/u

/** The tracks after this frame: rows that still exist with their history, the newest eight. */
export function updateTracks(tracks: readonly Track[], rows: readonly ScreenRow[], t: number): Track[] {
  const next: Track[] = []
  const led = rows.map(readGlyphRow).filter(row => row !== null)
  for (const row of led) {
    // Rows that differ only in their mark are what a spinner left behind, or a list.
    if (led.some(other => other !== row && other.key === row.key)) continue
    const before = tracks.find(track => track.key === row.key) ?? tracks.find(track => sameClock(track, row))
    next.push(advance(before ?? null, row, t))
  }
  return next.slice(-TRACKS_MAX)
}

/** Whether the row of this track moves as work does: rows of text change all the time. */
export function isMoving(track: Track, t: number): boolean {
  return track.lastMotion !== null && t - track.lastMotion <= MOTION_EXPIRY_S
}

export function trackOf(tracks: readonly Track[], row: ScreenRow): Track | null {
  const led = readGlyphRow(row)
  return (led && tracks.find(track => track.key === led.key)) ?? null
}

/** A row with a symbol before its text. */
interface GlyphRow {
  indent: number
  glyph: string
  key: string
  /** The seconds that it shows. */
  value: number | null
}

const readGlyphRow = memoizeByObject((row: ScreenRow): GlyphRow | null => {
  const late = (TRAILING.exec(row.text) ?? DOTTED.exec(row.text))?.groups
  if (late) {
    const { words, glyph, rest = '' } = late as { words: string; glyph: string; rest?: string }
    return { indent: row.indent, glyph, key: `${row.indent}|${mask(`${words}\0${rest}`)}`, value: durationIn(rest) }
  }
  const match = LEADING.exec(row.text)
  if (!match) return null
  const [, { length: indent }, glyph, rest] = match as unknown as [string, string, string, string]
  return { indent, glyph, key: `${indent}|${mask(rest)}`, value: durationIn(rest) }
})

function mask(text: string): string {
  return text.replace(/[\d.,]+k?/gu, '0').trim()
}

/** A label may change while its timer continues (`Thinking (3s)` → `Reading (4s)`). */
function sameClock(track: Track, { value, indent }: GlyphRow): boolean {
  if (value === null || !track.clock || !track.key.startsWith(`${indent}|`)) return false
  return value >= track.clock.value && value - track.clock.value <= 3
}

function durationIn(text: string): number | null {
  const match = DURATION.exec(text)
  return match ? parseDuration(match[0]) : null
}

function advance(before: Track | null, { key, glyph, value }: GlyphRow, t: number): Track {
  // A spinner that becomes another kind of mark has ended; its frames are of one kind. So has one
  // whose text changed with its mark: `∵ Thinking 1s`, `∴ Thought for 2s`.
  const isSuperseded = before !== null && before.key !== key && before.glyph !== glyph && !isBraille(glyph)
  // `3s` became `4s ✓`: the time has stopped.
  const isStopped = before !== null && STOPPED.test(key) && !STOPPED.test(before.key)
  const isOver = before !== null && (isSuperseded || isStopped || isBraille(before.glyph) !== isBraille(glyph))
  const hasSpun = before !== null && before.glyph !== glyph && !isOver
  const spins = [...(before?.spins ?? []), ...(hasSpun ? [t] : [])].filter(at => t - at <= GLYPH_WINDOW_S)
  const hasGrown =
    before?.clock != null && value !== null && value > before.clock.value && t - before.clock.t >= CLOCK_GAP_S
  const clock =
    value === null ? null : before?.clock && !hasGrown && value >= before.clock.value ? before.clock : { t, value }
  const isMotion = (hasSpun && spins.length >= 2) || (hasGrown && !isSuperseded && !isStopped)
  return { key, glyph, spins, clock, lastMotion: isMotion ? t : isOver ? null : (before?.lastMotion ?? null), seen: t }
}

const STOPPED = /\b0+s\s+[✓✔✗✘×]/u

function isBraille(glyph: string): boolean {
  return /^[\u2800-\u28ff]/u.test(glyph)
}
