import type { Observation } from '../../screen/index.js'
import { createMask, type Frame, hashText, type RowMask, rowChanges } from '../../terminal/index.js'
import { type HeuristicSettings, matchesAny, type Patterns } from './patterns.js'

/** The features of one look that the content heuristics use. */
export interface ContentFeatures {
  t: number
  /** The cursor's row up to the cursor: a bare `$ ` is a prompt only with its space. */
  beforeCursor: string
  /** Nothing follows the cursor on its row, nor on any row below. */
  isCursorAtEnd: boolean
  cursorX: number
  /** The last row with text above the cursor's, trimmed; empty if there is none. */
  lastRow: string
  /** The last rows, untrimmed up to the cursor. */
  tail: readonly string[]
  /** The last rows with text. */
  live: readonly string[]
  /** The rows with text above them. */
  above: readonly string[]
  /** Hash of the tail without spinners and clocks. */
  hash: number
  /** Rows with new text. */
  changed: number
  /** One of them is above the cursor's row: more than the echo of typing. */
  isChangedAbove: boolean
  /** Only the cursor's row changed, and it had text before: text typed after a prompt. */
  isTyped: boolean
  newLines: number
  burst: number
  /** Something moved that carries no information: a spinner, a clock. */
  isMotion: boolean
  /** The menu parser proves a live menu on this screen. */
  hasLiveMenu: boolean
}

/** A mask for spinners, built from the configured list. */
export function spinnerMask(patterns: Patterns): RowMask {
  return createMask(patterns.spinner.map(pattern => new RegExp(pattern.source, 'gu')))
}

/** Compares a frame with the previous one. `mask` is that of `spinnerMask`, built once. */
export function featuresOf(
  frame: Frame,
  before: Frame | null,
  options: { observation: Observation; settings: HeuristicSettings; mask: RowMask },
): ContentFeatures {
  const { observation, settings, mask } = options
  const { lines, cursor } = frame
  const row = lines[cursor.y]
  const text = row?.text ?? ''
  const isSameBuffer = before !== null && before.buffer === frame.buffer && before.cols === frame.cols
  const difference = isSameBuffer ? rowChanges(before.lines, lines, mask) : null
  const fresh = difference ? [...difference.added, ...difference.changed.map(pair => pair.to)] : []
  const withText = fresh.filter(line => line.text.trim() !== '')
  const cursorId = row?.id ?? Number.POSITIVE_INFINITY
  const below = lines.slice(cursor.y + 1).every(line => line.text.trim() === '')
  const lastTextRow = lines.findLastIndex(line => line.text.trim() !== '')
  const end = Math.max(lastTextRow, cursor.y) + 1
  const tail = lines.slice(Math.max(0, end - settings.tail_rows), end).map(line => line.text)
  const texts = lines.filter(line => line.text.trim() !== '').map(line => line.text)
  return {
    t: frame.t,
    beforeCursor: text.slice(0, cursor.x).padEnd(cursor.x),
    isCursorAtEnd: below && text.trimEnd().length <= cursor.x,
    cursorX: cursor.x,
    lastRow:
      lines
        .slice(0, cursor.y)
        .findLast(line => line.text.trim() !== '')
        ?.text.trimEnd() ?? '',
    tail,
    live: texts.slice(-settings.live_rows),
    above: texts.slice(0, -settings.live_rows),
    hash: hashText(
      lines
        .slice(Math.max(0, end - settings.tail_rows), end)
        .map(line => mask(line))
        .join('\n'),
    ),
    changed: withText.length + (difference?.removed.length ?? 0),
    isChangedAbove: withText.some(line => line.id < cursorId),
    isTyped:
      fresh.length > 0 &&
      difference!.added.length === 0 &&
      difference!.changed.every(({ from, to }) => to.id === cursorId && from.text.trim() !== ''),
    newLines:
      (difference?.added.filter(line => line.text.trim() !== '').length ?? 0) +
      (difference?.changed.filter(({ from, to }) => from.text.trim() === '' && to.text.trim() !== '').length ?? 0),
    burst:
      (difference?.added.reduce((sum, line) => sum + line.text.length, 0) ?? 0) +
      (difference?.changed.reduce((sum, { from, to }) => sum + Math.max(0, to.text.length - from.text.length), 0) ?? 0),
    isMotion: (difference?.motion.length ?? 0) > 0,
    hasLiveMenu: hasLiveMenu(observation),
  }
}

export function hasLiveMenu({ awaiting, view }: Observation): boolean {
  return view === 'tool_menu' && awaiting !== null && awaiting !== 'picker' && awaiting !== 'exit_confirm'
}

/** The features of an unchanged screen at a later time. */
export function featuresLater(features: ContentFeatures, t: number): ContentFeatures {
  return { ...features, t, changed: 0, isChangedAbove: false, isTyped: false, newLines: 0, burst: 0, isMotion: false }
}

const WORDS_MIN = 2
const QUESTION_MAX = 120
const TOKEN_ROW_MAX = 60

/**
 * A prompt directly before the cursor, or the one that was there when the pane was last idle.
 */
export function isAnchor(features: ContentFeatures, patterns: Patterns, learned: string | null): boolean {
  const { beforeCursor, isCursorAtEnd } = features
  if (!isCursorAtEnd || beforeCursor.trim() === '') return false
  if (learned !== null && maskNumbers(beforeCursor) === learned) return true
  return matchesAny(patterns.prompt, beforeCursor) || matchesAny(patterns.continuation, beforeCursor)
}

/**
 * A question before the cursor. A pattern that matched a single sign (`?`, `:`) proves little: it
 * needs words before it, but not a whole paragraph.
 */
export function isQuestion({ beforeCursor, isCursorAtEnd }: ContentFeatures, patterns: Patterns): boolean {
  if (!isCursorAtEnd) return false
  return patterns.question.some(pattern => {
    const match = pattern.exec(beforeCursor)
    if (!match) return false
    if (match[0].trim().length > 1) return true
    const before = beforeCursor.slice(0, match.index).trim()
    return before.length <= QUESTION_MAX && before.split(/\s+/u).length >= WORDS_MIN
  })
}

/** A completion word that is a whole row, with the cursor at the start of the next. */
export function isCompletion(
  { lastRow, cursorX, beforeCursor, isCursorAtEnd }: ContentFeatures,
  patterns: Patterns,
): boolean {
  return (
    isCursorAtEnd &&
    cursorX === 0 &&
    beforeCursor === '' &&
    lastRow.length <= TOKEN_ROW_MAX &&
    matchesAny(patterns.completion, lastRow.trim())
  )
}

/**
 * The mark of a program that can be interrupted, in the live rows and not in a row that quotes it.
 */
export function hasInterruptMark({ live }: ContentFeatures, patterns: Patterns): boolean {
  return live.some(testOf(patterns).isInterrupt)
}

/** The text around the mark: agents put it in brackets themselves. */
function withoutMark(row: string, patterns: Patterns): string {
  return patterns.interrupt
    .reduce((text, pattern) => text.replace(pattern, ' '), row)
    .replace(/(?<=^|\s)\(([^()]*)\)/gu, '$1')
}

/** A menu that asks: proven by the parser, or unfinished on the cursor's row. */
export function asksApproval(features: ContentFeatures, patterns: Patterns): boolean {
  if (features.hasLiveMenu && features.live.some(row => matchesAny(patterns.approval, row))) return true
  return features.isCursorAtEnd && matchesAny(patterns.approval, features.beforeCursor)
}

export function isSpinnerText({ tail }: ContentFeatures, patterns: Patterns): boolean {
  return tail.some(testOf(patterns).isSpinner)
}

interface RowTests {
  isInterrupt(row: string): boolean
  isSpinner(row: string): boolean
}

const rowTests = new WeakMap<Patterns, RowTests>()

/** The same texts stay on a screen from one look to the next: each is tested once. */
function testOf(patterns: Patterns): RowTests {
  const known = rowTests.get(patterns)
  if (known) return known
  const tests = {
    isInterrupt: memoizeByText(
      row => matchesAny(patterns.interrupt, row) && !matchesAny(patterns.interrupt_not, withoutMark(row, patterns)),
    ),
    isSpinner: memoizeByText(row => matchesAny(patterns.spinner, row.trimEnd())),
  }
  rowTests.set(patterns, tests)
  return tests
}

/** A few screens. */
const TEXTS_MAX = 200

function memoizeByText(test: (text: string) => boolean): (text: string) => boolean {
  const found = new Map<string, boolean>()
  return text => {
    const known = found.get(text)
    if (known !== undefined) return known
    if (found.size >= TEXTS_MAX) found.clear()
    const holds = test(text)
    found.set(text, holds)
    return holds
  }
}

export function maskNumbers(text: string): string {
  return text.replace(/\d+/gu, '0')
}
