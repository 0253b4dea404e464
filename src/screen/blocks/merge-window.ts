import type { TextRow } from './text-row.js'

/*
 * A program on the alternate screen has no scrollback: a row that leaves at the top is lost unless
 * it is stored here. So rows are kept, and each new window (the rows of a frame) must be aligned
 * with them: which kept row is its first one? The window replaces everything below that row;
 * everything above stays.
 *
 * The answer is the position where most rows agree, read from the top, because text grows and folds
 * at the bottom. Three differing rows in a row end the comparison. A position counts
 * - with three different rows that agree;
 * - when the whole window or all kept rows agree;
 * - when a prompt and the row below it agree;
 * - when the window starts with the very end of the kept rows, and that is more than a bracket or
 *   two;
 * - when it starts with a row that occurs once, right above the newest few, and those were redrawn
 *   (a call folds, opens, gets its result).
 *
 * Among equally good positions, that of the previous window is chosen: without evidence of
 * scrolling, nothing has scrolled. A window whose rows are all among the kept ones is an older part
 * of them (the user scrolls back) and changes nothing, unless it is in the same position as before:
 * then the end was removed.
 *
 * Out of scope: windows of another width (`realign.ts`), and the meaning of a row.
 */
const AGREEING_ROWS_MIN = 3
const DIFFERING_ROWS_MAX = 3
const SEAM_CHARACTERS = 16

export interface KeptRow {
  row: TextRow
  /** Its text without volatile parts: blinking bullets, spinners. */
  key: string
  /** Part of a prompt of the user. */
  isEcho: boolean
}

interface Alignment {
  /** The index of the kept row that corresponds to the first row of the window. */
  at: number
  /** Rows of the window, from its top, that agree. */
  agreeing: number
  /** Every row of the window is among the kept ones. */
  isContained: boolean
}

function alignWindow(kept: readonly KeptRow[], window: readonly KeptRow[], expected: number): Alignment | null {
  let best: Alignment | null = null
  const filled = window.filter(row => row.key !== '').length
  for (let at = Math.max(0, kept.length - searchDepth(window)); at < kept.length; at++) {
    const { agreeing, differing, compared, characters, isPrompt } = compareAt(kept, window, at)
    const isWhole = differing === 0 && agreeing > 0 && (compared === filled || at === 0)
    const isStart = at === 0 && agreeing > 0 && differing <= 1
    const isSeam = differing === 0 && characters >= SEAM_CHARACTERS && at + window.length >= kept.length
    const isRedrawn = () => agreeing > 0 && isAboveNewest(kept, window, at)
    if (agreeing < AGREEING_ROWS_MIN && !isWhole && !isStart && !isSeam && !isPrompt && !isRedrawn()) continue
    const isBetter =
      !best ||
      agreeing > best.agreeing ||
      (agreeing === best.agreeing && Math.abs(at - expected) < Math.abs(best.at - expected))
    if (isBetter) best = { at, agreeing, isContained: differing === 0 && compared === filled }
  }
  return best
}

/** The most rows of a call that is redrawn. */
const NEWEST_ROWS = 4

/** The window's first row is kept once, and below it are only rows a call may draw. */
function isAboveNewest(kept: readonly KeptRow[], window: readonly KeptRow[], at: number): boolean {
  const { key } = window[0]!
  if (key.length < SEAM_CHARACTERS || kept[at]!.key !== key) return false
  const below = kept.slice(at + 1).filter(row => row.key !== '')
  if (below.length > NEWEST_ROWS || below.some(row => row.isEcho)) return false
  return kept.filter(row => row.key === key).length === 1
}

/** How far back a window may be: one or two screens of folding and scrolling. */
function searchDepth(window: readonly KeptRow[]): number {
  return Math.max(200, window.length * 3)
}

interface Comparison {
  /** Different rows that agree, and how much text they have. */
  agreeing: number
  characters: number
  differing: number
  compared: number
  /** A prompt agrees, and so does the row below it. */
  isPrompt: boolean
}

function compareAt(kept: readonly KeptRow[], window: readonly KeptRow[], at: number): Comparison {
  const agreed = new Set<string>()
  let differing = 0
  let compared = 0
  let differingInARow = 0
  let isBelowPrompt = false
  let isPrompt = false
  for (let index = 0; index < window.length && at + index < kept.length; index++) {
    const { key } = window[index]!
    const other = kept[at + index]!.key
    if (key === '' && other === '') continue
    if (key !== '') compared++
    // The last kept row may have grown.
    const isGrown = at + index === kept.length - 1 && other !== '' && key.startsWith(other)
    if (key === other || isGrown) {
      agreed.add(other)
      differingInARow = 0
      const isEcho = window[index]!.isEcho && kept[at + index]!.isEcho
      isPrompt ||= isBelowPrompt && !isEcho
      isBelowPrompt = isEcho
    } else {
      differing++
      isBelowPrompt = false
      if (++differingInARow >= DIFFERING_ROWS_MAX) break
    }
  }
  return { agreeing: agreed.size, characters: [...agreed].join('').length, differing, compared, isPrompt }
}

export interface MergedWindow {
  rows: KeptRow[]
  /** The index of the row that is first on the screen. */
  top: number
  /** The first rows of the window, for the next call. */
  head: string[]
  /** Rows below the window's last row that disappeared, with nothing in their alignment. */
  tail?: KeptRow[]
}

/** Braille cells before the text. */
const SPINNER = /^\s{0,3}[\u2801-\u28ff](?: |$)/u

/**
 * The mark of a block changes while the block grows: a spinner becomes a bullet, a bullet blinks.
 */
export const BLOCK_MARK = /^\s{0,3}[\u2801-\u28ff*•●○◉◎◐◑◒◓◦∙·⏺✻✽✶✢](?: |$)/u

/** Rows at the top of the screen that may be pinned. */
const HEAD_ROWS = 4

/** The known rows after this window. `before`: the state after the previous window. */
export function mergeWindow(
  kept: readonly KeptRow[],
  shown: readonly KeptRow[],
  before: { top: number; head: readonly string[]; tail?: readonly KeptRow[] },
): MergedWindow {
  // Blank rows at the top prove nothing: something may have been there.
  const window = shown.slice(
    Math.max(
      0,
      shown.findIndex(row => row.key !== ''),
    ),
  )
  const head = window.slice(0, HEAD_ROWS).map(row => row.key)
  if (kept.length === 0) return { rows: [...window], top: 0, head }
  const alignment = alignWindow(kept, window, before.top)
  // Rows that one window omitted and the next does not replace were not removed: that window was
  // half drawn.
  if (!alignment && before.tail?.length)
    return mergeWindow([...kept, ...before.tail], window, { top: before.top, head: before.head })
  if (!alignment)
    return (
      fillGap(kept, window, before) ??
      belowPrompt(kept, shown, window) ??
      belowUnknownRows(kept, window, before) ?? { rows: [...kept, ...afterGap(window)], top: kept.length, head }
    )
  if (alignment.isContained && alignment.at !== before.top && alignment.at + window.length < kept.length)
    return { rows: [...kept], top: before.top, head }
  const pinned = pinnedRows(kept, window, alignment.at, before.head)
  const top = alignment.at + pinned
  const tail = removedRows(kept, window, alignment.at, before.tail ?? [])
  return { rows: [...kept.slice(0, top), ...keepGaps(kept, window.slice(pinned), top)], top, head, tail }
}

function removedRows(
  kept: readonly KeptRow[],
  window: readonly KeptRow[],
  at: number,
  tail: readonly KeptRow[],
): KeptRow[] {
  const end = at + window.length
  return kept[end - 1]?.key === window.at(-1)?.key ? [...kept.slice(end), ...tail] : []
}

/**
 * A window that starts with the newest prompt: what was below it was folded or redrawn. A prompt in
 * the very first row may be pinned there, with other rows hidden between the two.
 */
function belowPrompt(
  kept: readonly KeptRow[],
  shown: readonly KeptRow[],
  window: readonly KeptRow[],
): MergedWindow | null {
  if (shown.length === window.length || !window[0]?.isEcho) return null
  let first = kept.findLastIndex(row => row.isEcho)
  while (first > 0 && kept[first - 1]!.isEcho) first--
  const isSame = first >= 0 && window.every((row, index) => !row.isEcho || row.key === kept[first + index]?.key)
  if (!isSame) return null
  return {
    rows: [...kept.slice(0, first), ...keepGaps(kept, window, first)],
    top: first,
    head: window.slice(0, HEAD_ROWS).map(row => row.key),
  }
}

/** Rows at the top that may not be transcript: a leaving title, a covering notice. */
const UNKNOWN_ROWS_MAX = 8

/** A window with unknown first rows: the other rows determine its alignment. */
function belowUnknownRows(
  kept: readonly KeptRow[],
  window: readonly KeptRow[],
  before: { top: number; head: readonly string[]; tail?: readonly KeptRow[] },
): MergedWindow | null {
  for (let above = 1, unknownRows = 1; above < window.length && unknownRows <= UNKNOWN_ROWS_MAX; above++) {
    if (window[above]!.key === '') continue
    unknownRows++
    const rest = window.slice(above)
    const alignment = alignWindow(kept, rest, before.top)
    if (!alignment || alignment.agreeing < AGREEING_ROWS_MIN) continue
    const rows = [...kept.slice(0, alignment.at), ...keepGaps(kept, rest, alignment.at)]
    return { rows, top: alignment.at, head: window.slice(0, HEAD_ROWS).map(row => row.key) }
  }
  return null
}

/** A window from above a gap into it: the user scrolls back, its rows fill the gap. */
function fillGap(
  kept: readonly KeptRow[],
  window: readonly KeptRow[],
  before: { top: number; head: readonly string[] },
): MergedWindow | null {
  const gap = kept.findLastIndex(({ row }) => row.hasGap)
  if (gap < 0) return null
  for (let above = 1; above < window.length; above++) {
    const rest = window.slice(above)
    const { agreeing, differing } = compareAt(kept, rest, gap)
    if (differing > 0 || agreeing < AGREEING_ROWS_MIN || gap + rest.length > kept.length) continue
    const { hasGap: _, ...row } = kept[gap]!.row
    const rows = [...kept.slice(0, gap), ...afterGap(window.slice(0, above)), { ...kept[gap]!, row }]
    return { rows: [...rows, ...kept.slice(gap + 1)], top: before.top + above, head: [...before.head] }
  }
  return null
}

/** A title or prompt that is pinned to the top is not at the place where it was said. */
function pinnedRows(kept: readonly KeptRow[], window: readonly KeptRow[], at: number, head: readonly string[]): number {
  let pinned = 0
  for (; pinned < window.length; pinned++) {
    const { key, isEcho } = window[pinned]!
    if (key === kept[at + pinned]?.key || !(isEcho || key === head[pinned])) break
  }
  return pinned
}

function afterGap(window: readonly KeptRow[]): KeptRow[] {
  const first = window.findIndex(row => row.key !== '')
  return window.map((kept, index) =>
    index === first && !kept.isEcho ? { ...kept, row: { ...kept.row, hasGap: true } } : kept,
  )
}

/**
 * Rows missing above a row stay missing when the row is drawn again, unless the row above it is
 * drawn as well; and where two widths met, they still meet. A spinner before a row that had none is
 * there because the row is the first on the screen (Cline), so the row stays as it was.
 */
function keepGaps(kept: readonly KeptRow[], window: readonly KeptRow[], at: number): KeptRow[] {
  return window.map((now, index) => {
    const before = kept[at + index]
    if (!before) return now
    // A prompt does not change; something may cover its edge.
    if (before.isEcho && !now.isEcho && before.key !== '' && now.row.text.includes(before.key)) return before
    if (before.key !== now.key) return now
    if (SPINNER.test(now.row.text) && !SPINNER.test(before.row.text)) return before
    const { isContinued } = before.row
    const hasGap = before.row.hasGap && !window.slice(0, index).some(above => above.key !== '' && !above.isEcho)
    if (!hasGap && !isContinued) return now
    return { ...now, row: { ...now.row, ...(hasGap && { hasGap }), ...(isContinued && { isContinued }) } }
  })
}
