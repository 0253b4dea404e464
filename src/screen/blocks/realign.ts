import { displayWidth } from '../../text/index.js'
import type { KeptRow, MergedWindow } from './merge-window.js'
import { cutRow } from './text-row.js'

/*
 * After a change of width the same text is in other rows. If the newest prompt is in the window,
 * the kept rows from it on are replaced. Otherwise the first words of the window are searched among
 * the kept words: the kept rows end there, in the middle of a row if necessary, and the window
 * continues. Borders of tables are not words.
 */
const PROBE_WORDS = 24
const MATCH_WORDS_MIN = 5
const SEAM_WORDS = 2

interface Word {
  text: string
  row: number
  /** The offset in the text of the row. */
  at: number
}

/** `head`: the first rows of the last window; pinned rows are still there. */
export function realignWindow(
  kept: readonly KeptRow[],
  shownRows: readonly KeptRow[],
  head: readonly string[],
): MergedWindow | null {
  const window = shownRows.slice(pinnedHead(shownRows, head))
  const echo = lastEcho(kept)
  const shown = lastEcho(window)
  if (echo && shown && isSameEcho(echo.text, shown.text) && isFollowed(kept, echo.last + 1, window, shown.last + 1))
    return {
      rows: [...kept.slice(0, echo.first), ...window.slice(shown.first)],
      top: echo.first - shown.first,
      head: [...head],
    }
  const from = echo ? echo.last + 1 : 0
  const start = findWords(wordsOf(kept, from), wordsOf(window, pinnedEcho(window)))
  if (!start) return null
  const rest = window.slice(start.windowRow)
  const border = borderAbove(kept[start.row - 1], rest)
  if (border && start.at === firstWordAt(kept[start.row]!))
    return { rows: [...kept.slice(0, start.row - 1), border, ...rest], top: start.row, head: [...head] }
  if (start.at === firstWordAt(kept[start.row]!))
    return { rows: [...kept.slice(0, start.row), ...rest], top: start.row, head: [...head] }
  const [first, ...others] = rest
  const joined = first ? [{ ...first, row: { ...first.row, isContinued: true } }, ...others] : []
  return {
    rows: [...kept.slice(0, start.row), cutBefore(kept[start.row]!, start.at), ...joined],
    top: start.row + 1,
    head: [...head],
  }
}

const BORDER = /^\s*[┌├╭][─┬┼╮┐┤]+\s*$/u
const TOP: Record<string, string> = { '├': '┌', '┼': '┬', '┤': '┐' }

/** A table without a visible upper edge: it is drawn for the current width. */
function borderAbove(above: KeptRow | undefined, rows: readonly KeptRow[]): KeptRow | null {
  if (!above || !BORDER.test(above.row.text) || !/^\s*│/u.test(rows[0]?.row.text ?? '')) return null
  const rule = rows.find(({ row }) => !/^\s*│/u.test(row.text))
  if (!rule || !BORDER.test(rule.row.text)) return null
  const isTop = /^\s*[┌╭]/u.test(above.row.text)
  const draw = (text: string) => (isTop ? text.replace(/[├┼┤]/gu, mark => TOP[mark]!) : text)
  const spans = rule.row.spans.map(span => ({ ...span, text: draw(span.text) }))
  return { ...rule, key: draw(rule.key), row: { ...rule.row, text: draw(rule.row.text), spans } }
}

function pinnedHead(window: readonly KeptRow[], head: readonly string[]): number {
  const first = window.findIndex(row => row.key !== '')
  return first >= 0 && window[first]!.key === head[0] && !window[first]!.isEcho ? first + 1 : 0
}

function lastEcho(rows: readonly KeptRow[]): { first: number; last: number; text: string } | null {
  const last = rows.findLastIndex(row => row.isEcho)
  if (last < 0) return null
  let first = last
  while (first > 0 && rows[first - 1]!.isEcho) first--
  return {
    first,
    last,
    text: rows
      .slice(first, last + 1)
      .map(row => row.row.text.trim())
      .join(' '),
  }
}

/** The same words, as far as both are visible: a long prompt may be cut on a narrow screen. */
function isSameEcho(a: string, b: string): boolean {
  const [short, long] = [a, b].map(text => text.replace(/\s+/gu, '')).sort((x, y) => x.length - y.length) as [
    string,
    string,
  ]
  return short.length > 0 && long.startsWith(short)
}

/** A pinned prompt is followed by other words than at its original place. */
function isFollowed(kept: readonly KeptRow[], from: number, window: readonly KeptRow[], shownFrom: number): boolean {
  const [before, now] = [wordsOf(kept, from), wordsOf(window, shownFrom)].map(words =>
    words.slice(0, 3).map(word => word.text),
  )
  return before!.every((word, index) => now![index] === undefined || now![index]!.startsWith(word))
}

function pinnedEcho(window: readonly KeptRow[]): number {
  const first = window.findIndex(row => !row.isEcho)
  return first < 0 ? window.length : first
}

function wordsOf(rows: readonly KeptRow[], from: number): Word[] {
  const words: Word[] = []
  for (let row = from; row < rows.length; row++) {
    for (const match of rows[row]!.row.text.matchAll(/[^\s\u00a0]+/gu)) {
      if (/[\p{L}\p{N}]/u.test(match[0])) words.push({ text: match[0], row, at: match.index })
    }
  }
  return words
}

/** Where the longest run of the window's first words starts among the kept ones. */
function findWords(
  kept: readonly Word[],
  window: readonly Word[],
): { row: number; at: number; windowRow: number } | null {
  const rowStarts = window.filter((word, index) => word.row !== window[index - 1]?.row).slice(0, 4)
  for (const start of rowStarts) {
    const probe = window.slice(window.indexOf(start)).slice(0, PROBE_WORDS)
    let best = { length: 0, at: -1 }
    for (let at = 0; at < kept.length; at++) {
      let length = 0
      while (length < probe.length && kept[at + length]?.text === probe[length]!.text) length++
      if (length > best.length) best = { length, at }
    }
    // At the very end of the kept rows there may be fewer words.
    const isSeam = best.length >= SEAM_WORDS && best.at + best.length === kept.length
    if ((best.length >= Math.min(MATCH_WORDS_MIN, probe.length) && best.length > 0) || isSeam)
      return { row: kept[best.at]!.row, at: kept[best.at]!.at, windowRow: start.row }
  }
  return null
}

function firstWordAt({ row }: KeptRow): number {
  const match = [...row.text.matchAll(/[^\s\u00a0]+/gu)].find(found => /[\p{L}\p{N}]/u.test(found[0]))
  return match?.index ?? 0
}

function cutBefore(kept: KeptRow, at: number): KeptRow {
  const row = cutRow(kept.row, displayWidth(kept.row.text.slice(0, at)))
  return { ...kept, key: row.text.trim(), row }
}
