import { styleKey } from '../style-match.js'
import { type MenuRow, spanFrom } from './menu-rows.js'
import { isMore, type OptionRow, readOptionRow } from './option-row.js'

/** Options that belong together, top to bottom, before they are judged live or not. */
export interface OptionGroup {
  layout: 'vertical' | 'horizontal' | 'inline' | 'typed'
  options: OptionRow[]
  selected: number | null
  /** How the selection shows. */
  shownBy: 'glyph' | 'style' | 'cursor' | null
  first: number
  last: number
}

/** Blank rows or rules that may stand between two options whose numbers go on. */
const GAP_MAX = 2

/*
 * Vertical menus: labels that start in one column, one below the other. With numbers, the numbers must run on from 1 (or, in a scrolled
 * list, from where the window begins). Without, exactly one row carries a pointer and its neighbours leave that cell blank; or exactly one
 * row stands out by its style. Rows indented deeper than the labels are a wrapped label or its description. What a row says plays no part.
 */
export function findVertical(rows: readonly MenuRow[]): OptionGroup | null {
  const numbered = findNumbered(rows)
  const pointed = findPointed(rows)
  if (numbered && pointed) return pointed.first > numbered.last ? pointed : numbered
  return numbered ?? pointed
}

function findNumbered(rows: readonly MenuRow[]): OptionGroup | null {
  for (let index = rows.length - 1; index >= 0; index--) {
    const last = readOptionRow(rows[index]!)
    if (last?.number == null) continue
    const options = collectUpwards(rows, last)
    if (options.length < 2) continue
    return finish(rows, withUnnumbered(rows, options))
  }
  return null
}

function collectUpwards(rows: readonly MenuRow[], last: OptionRow): OptionRow[] {
  const options = [last]
  let gap = 0
  for (let index = last.row - 1; index >= 0 && options[0]!.number! > 1; index--) {
    const row = rows[index]!
    const head = options[0]!
    if (row.isBlank || row.isRule) {
      if (++gap > GAP_MAX) break
      continue
    }
    const option = readOptionRow(row)
    if (option && option.number === head.number! - 1 && isAligned(option, head)) {
      options.unshift(option)
      gap = 0
    } else if (row.indent < head.numberColumn) break
    else if (option?.number != null && row.indent <= head.numberColumn) break
  }
  return options
}

/** Numbers in one column; from 9 to 10 they may be set to the right. Check boxes may stand before some of the labels. */
function isAligned(a: OptionRow, b: OptionRow): boolean {
  return Math.abs(a.numberColumn - b.numberColumn) <= (String(a.number).length === String(b.number).length ? 0 : 1)
}

/** Unnumbered siblings below a numbered list (`Submit`, `Next`): short labels in the number's column. */
function withUnnumbered(rows: readonly MenuRow[], options: OptionRow[]): OptionRow[] {
  const column = options[0]!.numberColumn
  const found = [...options]
  const start = lastRowOf(rows, options.at(-1)!) + 1
  for (let index = start; index < rows.length; index++) {
    const row = rows[index]!
    if (row.isBlank || row.isRule) break
    const option = readOptionRow(row)
    if (!option || option.number !== null || option.label.split(' ').length > 3) break
    if (option.labelColumn !== column && option.labelColumn !== options[0]!.labelColumn) break
    found.push(option)
  }
  return found
}

function findPointed(rows: readonly MenuRow[]): OptionGroup | null {
  for (let index = rows.length - 1; index >= 0; index--) {
    const marked = readOptionRow(rows[index]!)
    if (!marked || marked.glyphColumn === null || marked.number !== null) continue
    const options = [...siblings(rows, marked, -1).reverse(), marked, ...siblings(rows, marked, 1)]
    if (options.length >= 2) return finish(rows, options)
  }
  return null
}

function siblings(rows: readonly MenuRow[], marked: OptionRow, step: 1 | -1): OptionRow[] {
  const found: OptionRow[] = []
  for (let index = marked.row + step; index >= 0 && index < rows.length; index += step) {
    const row = rows[index]!
    if (row.isBlank || row.isRule) {
      // One blank row between options is a list with air; two end it.
      const beyond = rows[index + step]
      const next = beyond && !beyond.isBlank && !beyond.isRule && !row.isRule ? readOptionRow(beyond) : null
      if (
        !next ||
        next.labelColumn !== marked.labelColumn ||
        next.glyphColumn !== null ||
        next.number !== null ||
        found.length === 0
      )
        break
      continue
    }
    const option = readOptionRow(row)
    if (!option || option.number !== null) break
    if (option.labelColumn === marked.labelColumn && option.glyphColumn === null) {
      found.push(option)
    } else if (option.labelColumn <= marked.labelColumn || option.glyphColumn !== null) break
  }
  return found
}

/**
 * Labels side by side with exactly one highlighted, and a hint how to choose in the same row or the next two; or each behind its own key:
 * `[y] Approve   [n] Deny`. Tabs and status rows are highlighted too, but nothing tells to choose from them.
 */
export function findHorizontal(rows: readonly MenuRow[]): OptionGroup | null {
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index]!
    if (row.isBlank || row.isRule || row.isFrame) continue
    const options = [...row.text.matchAll(/\S+(?: \S+)*/gu)].map(
      (match): OptionRow => ({
        row: index,
        glyphColumn: null,
        number: null,
        numberColumn: match.index,
        checked: null,
        labelColumn: match.index,
        label: match[0],
        detail: '',
      }),
    )
    if (options.length < 2) continue
    const keyed = options.filter(option => /^\[[a-z]\] /iu.test(option.label))
    const firstHint = options.findIndex(option => isHint(option.label))
    const plain = firstHint < 0 ? options : options.slice(0, firstHint)
    const chosen = keyed.length >= 2 ? keyed : plain
    const lit = litOption(row, chosen)
    const isTold =
      keyed.length >= 2 || firstHint >= 0 || rows.slice(index + 1, index + 3).some(next => isHint(next.text.trim()))
    if (chosen.length < 2 || !chosen.every(option => /^[\p{L}\p{N}[(].{0,40}$/u.test(option.label))) continue
    if (!isTold || (lit === null && keyed.length < 2)) continue
    return {
      layout: 'horizontal',
      options: chosen,
      selected: lit,
      shownBy: lit === null ? null : 'style',
      first: index,
      last: index,
    }
  }
  return null
}

function isHint(text: string): boolean {
  return /^(?:ctrl\+\S|enter\b|esc\b|tab\b|⇆|⇄|↑|←|shift\+)/iu.test(text)
}

/** The only option with a ground of its own, or null. */
function litOption(row: MenuRow, options: readonly OptionRow[]): number | null {
  const grounds = options.map(option => {
    const span = spanFrom(row, option.labelColumn)
    return span ? `${span.bg}/${span.inverse}` : ''
  })
  const single = grounds.flatMap((ground, index) =>
    grounds.filter(other => other === ground).length === 1 ? [index] : [],
  )
  if (single.length === 1) return single[0]!
  if (options.length !== 2 || grounds[0] === grounds[1]) return null
  // Of two, the lit one is inverse or has the stronger ground: black text on colour.
  const loud = options.findIndex(option => {
    const span = spanFrom(row, option.labelColumn)
    return span !== undefined && (span.inverse || (span.bg !== null && span.fg !== null && isDark(span.fg)))
  })
  return loud < 0 ? null : loud
}

function isDark(colour: string | number): boolean {
  return typeof colour === 'number' ? colour === 0 || colour === 16 : Number.parseInt(colour.slice(1, 3), 16) < 0x40
}

function finish(rows: readonly MenuRow[], options: OptionRow[]): OptionGroup {
  const whole = options.map((option, n) => joinContinuations(rows, option, options[n + 1]?.row ?? null))
  const byGlyph = whole.findIndex(option => option.glyphColumn !== null)
  const byStyle = standsOut(rows, whole)
  const selected = byGlyph >= 0 ? byGlyph : byStyle
  return {
    layout: 'vertical',
    options: whole,
    selected: selected < 0 ? null : selected,
    shownBy: byGlyph >= 0 ? 'glyph' : byStyle >= 0 ? 'style' : null,
    first: whole[0]!.row,
    last: lastRowOf(rows, options.at(-1)!),
  }
}

/** Rows below an option that are indented to its label: the label's own end if they look like it, else its description. */
function joinContinuations(rows: readonly MenuRow[], option: OptionRow, nextRow: number | null): OptionRow {
  const joined = { ...option }
  const style = styleKey(spanFrom(rows[option.row]!, option.labelColumn))
  for (let index = option.row + 1; index < (nextRow ?? rows.length); index++) {
    const row = rows[index]!
    if (row.isBlank || row.isRule || row.isFrame || isMore(row) || row.indent < option.labelColumn) break
    const text = row.text.trim()
    const isLabel =
      joined.detail === '' && row.indent === option.labelColumn && styleKey(spanFrom(row, row.indent)) === style
    if (isLabel) joined.label = `${joined.label} ${text}`
    else joined.detail = joined.detail === '' ? text : `${joined.detail} ${text}`
  }
  return joined
}

function lastRowOf(rows: readonly MenuRow[], option: OptionRow): number {
  let last = option.row
  for (
    let row = rows[last + 1];
    row && !row.isBlank && !row.isRule && !isMore(row) && row.indent >= option.labelColumn;
    row = rows[last + 1]
  )
    last++
  return last
}

/** Index of the only option whose style differs from all its siblings, or -1. */
export function standsOut(rows: readonly MenuRow[], options: readonly OptionRow[]): number {
  const keys = options.map(option => styleKey(spanFrom(rows[option.row]!, option.labelColumn)))
  const single = keys.flatMap((key, index) => (keys.filter(other => other === key).length === 1 ? [index] : []))
  if (single.length === 1 && keys.length > 2) return single[0]!
  // Of two, the one that stands out has a background, is inverse or bold.
  if (keys.length === 2 && keys[0] !== keys[1]) {
    const loud = options.flatMap((option, index) => {
      const span = spanFrom(rows[option.row]!, option.labelColumn)
      return span && (span.bg !== null || span.inverse || span.bold || span.fg !== null) ? [index] : []
    })
    return loud.length === 1 ? loud[0]! : -1
  }
  return -1
}
