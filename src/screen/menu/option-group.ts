import type { Span } from '../../terminal/index.js'
import { isFaint, styleKey } from '../style-match.js'
import { fragments } from './menu-head.js'
import { type MenuRow, spanFrom } from './menu-rows.js'
import { isMore, type OptionRow, readOptionRow } from './option-row.js'

/** Options that belong together, top to bottom, before it is known whether they are live. */
export interface OptionGroup {
  layout: 'vertical' | 'horizontal' | 'inline' | 'typed'
  options: OptionRow[]
  selected: number | null
  shownBy: 'glyph' | 'style' | 'cursor' | null
  /** Round marks before the labels; the filled one is the selection. */
  isRadio?: boolean
  /** Labels in brackets, side by side. */
  isButtons?: boolean
  first: number
  last: number
}

/** Blank rows or rules that may be between two options with consecutive numbers. */
const GAP_MAX = 2
/** How full a row must be, with the next word, to count as wrapped there. */
const WRAP_SHARE = 0.75
/** A narrower width is not that of a screen, but of a few short rows. */
const WIDTH_MIN = 36

/*
 * Vertical menus: labels that start in one column, one below the other. With numbers, the numbers
 * must be consecutive from 1 (or, in a scrolled list, from the start of the window). Without
 * numbers, exactly one row has a pointer and its neighbours leave that cell blank, or exactly one
 * row has its own style. Rows that are indented deeper than the labels are a wrapped label or its
 * description. The words of a row do not matter.
 */
export function findVertical(rows: readonly MenuRow[], cols: number): OptionGroup | null {
  const numbered = findNumbered(rows, cols)
  const radio = findRadio(rows, cols)
  const arrow = findPointed(rows, cols)
  // The heading of a group may have the pointer; a pointer above the group is something else.
  const pointed = radio && (!arrow || radio.last >= arrow.first) ? radio : arrow
  // Round marks after the numbers: they show the choice.
  if (numbered && radio && radio.first <= numbered.first && radio.last >= numbered.last) return radio
  if (numbered && pointed) return pointed.first > numbered.last ? pointed : numbered
  return numbered ?? pointed ?? findLit(rows, cols)
}

const LIT_ROWS_MAX = 12

/**
 * Rows of one indent without any mark, exactly one of which is lit (inverse, or on its own
 * background), right above the keys that confirm.
 */
function findLit(rows: readonly MenuRow[], cols: number): OptionGroup | null {
  const footer = rows.findLastIndex(
    row => !row.isBlank && fragments(row).some(({ keys }) => /\b(?:enter|return)\b|[↵⏎]/iu.test(keys)),
  )
  let last = footer - 1
  while (last >= 0 && (rows[last]!.isBlank || rows[last]!.isRule)) last--
  if (last < 0 || footer - last > GAP_MAX + 1) return null
  let first = last
  const isEntry = (row: MenuRow | undefined) =>
    row !== undefined && !row.isBlank && !row.isRule && !row.isFrame && row.indent === rows[last]!.indent
  while (isEntry(rows[first - 1])) first--
  if (last === first || last - first >= LIT_ROWS_MAX) return null
  const entries = rows.slice(first, last + 1)
  const litRows = entries.filter(row => row.spans.some(span => isLit(span, row)))
  const options = entries.map(row => readOptionRow(row))
  if (litRows.length !== 1 || !options.every(option => option !== null)) return null
  const group = finish(rows, options, cols)
  return { ...group, selected: litRows[0]!.index - first, shownBy: 'style' }
}

/** All words of the row stand on it, and the row's margin does not. */
function isLit(span: Span, row: MenuRow): boolean {
  const words = row.spans.filter(({ text }) => /[^\s│┃║▌▎]/u.test(text))
  const margin = row.spans.find(({ x }) => x < row.indent)
  const isOwn = span.inverse || (span.bg !== null && span.bg !== (margin?.bg ?? null))
  return words.length > 0 && words.every(word => word.inverse === span.inverse && word.bg === span.bg) && isOwn
}

function findNumbered(rows: readonly MenuRow[], cols: number): OptionGroup | null {
  for (let index = rows.length - 1; index >= 0; index--) {
    const last = readOptionRow(rows[index]!)
    if (last?.number == null) continue
    const options = collectUpwards(rows, last)
    if (options.length < 2) continue
    return finish(rows, withUnnumbered(rows, options), cols)
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

/**
 * Numbers in one column; from 9 to 10 they may be right-aligned. Some labels may have check boxes
 * before them. The pointer may push its number to the right; and where a label was wrapped, some
 * programs lose a blank of its indent: next to the row with the pointer that still counts as the
 * same column.
 */
function isAligned(a: OptionRow, b: OptionRow): boolean {
  const isPushed = a.glyphColumn === b.numberColumn || b.glyphColumn === a.numberColumn
  const isPointed = (a.glyphColumn === null) !== (b.glyphColumn === null)
  const isShifted = isPointed || String(a.number).length !== String(b.number).length
  return isPushed || Math.abs(a.numberColumn - b.numberColumn) <= (isShifted ? 1 : 0)
}

/** Unnumbered options below a numbered list (`Submit`): short, in the numbers' column. */
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

function findPointed(rows: readonly MenuRow[], cols: number): OptionGroup | null {
  for (let index = rows.length - 1; index >= 0; index--) {
    const marked = readOptionRow(rows[index]!)
    if (!marked || marked.glyphColumn === null || marked.number !== null || isOneOfRadio(rows, index)) continue
    const options = entries(rows, marked) ?? [
      ...siblings(rows, marked, -1).reverse(),
      marked,
      ...siblings(rows, marked, 1),
    ]
    if (options.length >= 2) return finish(rows, withoutDetails(rows, options), cols)
  }
  return null
}

/**
 * Options with a description below each and no blank rows between: descriptions have one dim style
 * that no label has, and more than one option has one.
 */
function withoutDetails(rows: readonly MenuRow[], options: OptionRow[]): OptionRow[] {
  const marked = options.findIndex(option => option.glyphColumn !== null)
  const below = options[marked + 1]
  const quiet = below?.row === options[marked]!.row + 1 ? spanFrom(rows[below.row]!, below.labelColumn) : undefined
  if (!quiet || !isFaint(quiet, rows[below!.row]!)) return options
  const isDetail = (option: OptionRow) => option.glyphColumn === null && styleAt(rows[option.row]!) === styleKey(quiet)
  const labels = options.filter(option => !isDetail(option))
  const described = labels.filter(label => options.some(option => option.row === label.row + 1 && isDetail(option)))
  return labels.length >= 2 && described.length >= 2 && !isDetail(options[0]!) ? labels : options
}

/**
 * Entries of several rows each, with a blank row between them: the first row is the label, the
 * others explain it. All have the same number of rows and start in the label column of the pointer;
 * otherwise they are options with blank rows around some of them, or text below a list. Two entries
 * may be such text too, unless their explanations have their own style.
 */
function entries(rows: readonly MenuRow[], marked: OptionRow): OptionRow[] | null {
  const heightAt = (first: number) => {
    let end = first
    while (rows[end] && !rows[end]!.isBlank && !rows[end]!.isRule && rows[end]!.indent >= marked.labelColumn - 2) end++
    return end - first
  }
  const height = heightAt(marked.row)
  if (height < 2 || rows[marked.row + 1]!.indent !== marked.labelColumn) return null
  const isEntry = (first: number) => {
    const row = rows[first]
    const isEntry = row && rows[first - 1]?.isBlank && row.indent === marked.labelColumn && heightAt(first) === height
    const option = isEntry ? readOptionRow(row) : null
    return option && option.glyphColumn === null && option.number === null && fragments(row!).length === 0
      ? option
      : null
  }
  const found = [marked]
  for (let at = marked.row - height - 1, option = isEntry(at); option; at -= height + 1, option = isEntry(at))
    found.unshift(option)
  for (let at = marked.row + height + 1, option = isEntry(at); option; at += height + 1, option = isEntry(at))
    found.push(option)
  const isExplained =
    styleAt(rows[marked.row + 1]!) !== styleAt(rows[found.find(option => option !== marked)?.row ?? 0]!)
  return found.length > 2 || (found.length === 2 && isExplained) ? found : null
}

function styleAt(row: MenuRow): string {
  return styleKey(spanFrom(row, row.indent))
}

/**
 * Round marks without a pointer, at most one of them filled: the mark is the selection. Check boxes
 * only show what is ticked, not what is selected.
 */
function findRadio(rows: readonly MenuRow[], cols: number): OptionGroup | null {
  const groups: OptionGroup[] = []
  for (let last = rows.length - 1; last > 0; last--) {
    if (!isRadio(rows[last]!)) continue
    const column = readOptionRow(rows[last]!)!.labelColumn
    let first = last
    while (first > 0 && isRadio(rows[first - 1]!) && readOptionRow(rows[first - 1]!)!.labelColumn === column) first--
    const group = radioGroup(rows, first, last, cols)
    if (group) groups.push(group)
    last = first
  }
  // Of several groups, the one whose heading has the pointer has the keyboard.
  return groups.find(group => POINTED_HEADING.test(rows[group.first - 1]?.text ?? '')) ?? groups[0] ?? null
}

const POINTED_HEADING = /^\s*[❯›>▸→▶]\s+\p{L}/u

function radioGroup(rows: readonly MenuRow[], first: number, last: number, cols: number): OptionGroup | null {
  const options = rows.slice(first, last + 1).map(row => readOptionRow(row)!)
  const pointed = options.findIndex(({ row }) => POINTER.test(rows[row]!.text))
  if (pointed >= 0) return checkGroup(rows, options, pointed, cols)
  const chosen = options.flatMap((option, index) => (option.checked || option.glyphColumn !== null ? [index] : []))
  if (options.length < 2 || chosen.length > 1) return null
  const group = finish(
    rows,
    options.map(option => ({ ...option, checked: null })),
    cols,
  )
  if (chosen.length === 1) return { ...group, selected: chosen[0]!, shownBy: 'glyph', isRadio: true }
  return group.shownBy === 'style'
    ? { ...group, isRadio: true }
    : { ...group, selected: null, shownBy: null, isRadio: true }
}

const POINTER = /^\s*[❯›>▸→▶]\s/u

/** A pointer beside the marks: the marks show what is ticked, the pointer what is selected. */
function checkGroup(
  rows: readonly MenuRow[],
  options: readonly OptionRow[],
  pointed: number,
  cols: number,
): OptionGroup | null {
  if (options.length < 2 || options.filter(({ row }) => POINTER.test(rows[row]!.text)).length > 1) return null
  const column = options[pointed]!.glyphColumn
  const ticked = options.map((option, index) => ({
    ...option,
    glyphColumn: index === pointed ? column : null,
    checked: /^[^\p{L}]*(?:\([xX•●◉*]\)|[●◉])/u.test(rows[option.row]!.text),
  }))
  return finish(rows, ticked, cols)
}

/** A filled mark with an empty one next to it: the choice of a group, not a pointer. */
function isOneOfRadio(rows: readonly MenuRow[], index: number): boolean {
  const isEmpty = (row: MenuRow | undefined) => row !== undefined && /^\s*[○◯]\s+\S/u.test(row.text)
  return /^\s*[●◉]\s/u.test(rows[index]!.text) && (isEmpty(rows[index - 1]) || isEmpty(rows[index + 1]))
}

/** `(●) Yes`, `○ Yes`, `1 (●) Yes`. */
const RADIO = /^\s*(?:[❯›>▸→▶]\s+)?(?:(?:\d{1,2}[.)]?|[a-z])\s+)?(?:\([ xX•●○◉◯*]\)|[◯◉○●])\s+\S/u

function isRadio(row: MenuRow): boolean {
  return !row.isRule && !row.isFrame && RADIO.test(row.text)
}

function siblings(rows: readonly MenuRow[], marked: OptionRow, step: 1 | -1): OptionRow[] {
  const found: OptionRow[] = []
  for (let index = marked.row + step; index >= 0 && index < rows.length; index += step) {
    const row = rows[index]!
    if (row.isBlank || row.isRule) {
      // One blank row between options belongs to the list; two end it.
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
    // `(or type an answer)`: a remark about the options.
    if (/^\(.*\)$/u.test(option.label)) continue
    if (option.labelColumn === marked.labelColumn && option.glyphColumn === null) {
      found.push(option)
    } else if (option.labelColumn <= marked.labelColumn || option.glyphColumn !== null) break
  }
  return found
}

function finish(rows: readonly MenuRow[], options: OptionRow[], cols: number): OptionGroup {
  // A row with room for the next word is never wrapped: a row that is wider than all others had no
  // room, however wide the screen is.
  const widest = Math.max(...rows.map(row => row.text.length))
  const width = Math.min(cols * WRAP_SHARE, Math.max(widest, WIDTH_MIN))
  const whole = options.map((option, n) => joinContinuations(rows, option, options[n + 1]?.row ?? null, width))
  const byGlyph = whole.findIndex(option => option.glyphColumn !== null)
  const byStyle = distinctOption(rows, whole)
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

/**
 * Rows below an option that are indented to its label: the rest of the label if they have its style
 * and the label had to be wrapped there, otherwise its description. A row with room for the next
 * word is never wrapped; dialogs are often narrower than the screen, so most of the width counts as
 * all of it.
 */
function joinContinuations(
  rows: readonly MenuRow[],
  option: OptionRow,
  nextRow: number | null,
  width: number,
): OptionRow {
  const joined = { ...option }
  const style = styleKey(spanFrom(rows[option.row]!, option.labelColumn))
  const detailColumn = option.detail === '' ? null : rows[option.row]!.text.lastIndexOf(option.detail)
  for (let index = option.row + 1; index < (nextRow ?? rows.length); index++) {
    const row = rows[index]!
    const isOutdented = row.indent < option.labelColumn
    if (row.isBlank || row.isRule || row.isFrame || isMore(row) || (isOutdented && !hasLostIndent(rows, option, index)))
      break
    const text = row.text.trim()
    const above = rows[index - 1]!
    const end = above.edge === null ? width : above.edge * WRAP_SHARE
    const isBroken = above.text.length + 1 + text.split(' ')[0]!.length > end
    const own = styleKey(spanFrom(row, row.indent))
    // A label may change its style in the middle: it continues in the style in which it was
    // wrapped.
    const isLabel =
      joined.detail === '' &&
      isBroken &&
      row.indent <= option.labelColumn &&
      (own === style || own === styleKey(above.spans.findLast(span => /[^\s│┃║▌▎█▐┆]/u.test(span.text))))
    // Label and description side by side, each wrapped in its own column.
    const labelPart = detailColumn !== null && row.indent < detailColumn ? row.text.slice(0, detailColumn).trim() : ''
    if (labelPart !== '') {
      joined.label = `${joined.label} ${labelPart}`
      joined.detail = `${joined.detail} ${row.text.slice(detailColumn!).trim()}`.trim()
    } else if (isLabel) joined.label = `${joined.label} ${text}`
    else joined.detail = joined.detail === '' ? text : `${joined.detail} ${text}`
  }
  return joined
}

/** Inside a box a full row continues at the box's own margin, left of the label. */
function hasLostIndent(rows: readonly MenuRow[], option: OptionRow, index: number): boolean {
  const row = rows[index]!
  const { edge, text } = rows[index - 1]!
  if (edge === null || row.edge !== edge || row.indent < rows[option.row]!.indent) return false
  const own = readOptionRow(row)
  const isOther = own?.number != null || own?.glyphColumn != null || fragments(row).length > 0
  return !isOther && text.length + 1 + row.text.trim().split(' ')[0]!.length > edge - 1
}

function lastRowOf(rows: readonly MenuRow[], option: OptionRow): number {
  let last = option.row
  for (
    let row = rows[last + 1];
    row &&
    !row.isBlank &&
    !row.isRule &&
    !isMore(row) &&
    (row.indent >= option.labelColumn || hasLostIndent(rows, option, last + 1));
    row = rows[last + 1]
  )
    last++
  return last
}

/** The index of the only option whose style differs from all others, or -1. */
export function distinctOption(rows: readonly MenuRow[], options: readonly OptionRow[]): number {
  const keys = options.map(option => styleKey(spanFrom(rows[option.row]!, option.labelColumn)))
  const single = keys.flatMap((key, index) => (keys.filter(other => other === key).length === 1 ? [index] : []))
  if (single.length === 1 && keys.length > 2) return single[0]!
  // Of two options, the distinct one has a background, is inverse or bold.
  if (keys.length === 2 && keys[0] !== keys[1]) {
    const distinct = options.flatMap((option, index) => {
      const span = spanFrom(rows[option.row]!, option.labelColumn)
      return span && (span.bg !== null || span.inverse || span.bold || span.fg !== null) ? [index] : []
    })
    return distinct.length === 1 ? distinct[0]! : -1
  }
  return -1
}
