import type { Span } from '../../terminal/index.js'
import { columnOf, type MenuRow } from './menu-rows.js'
import { type OptionRow, readOptionRow } from './option-row.js'

/** Options that belong together, top to bottom, before they are judged live or not. */
export interface OptionGroup {
  layout: 'vertical' | 'horizontal'
  options: OptionRow[]
  selected: number | null
  /** How the selection shows. */
  shownBy: 'glyph' | 'style' | null
  first: number
  last: number
}

/**
 * The lowest group of sibling options on the screen.
 *
 * Vertical: labels that start in one column, one below the other. Numbers must run on; without numbers exactly one row carries a selection
 * glyph (or stands out by its style) and the others leave that cell blank. Rows indented to the label are a wrapped label or its description;
 * one blank row or rule inside is allowed where the numbering goes on.
 */
export function findOptionGroup(rows: readonly MenuRow[]): OptionGroup | null {
  return findNumbered(rows) ?? findByGlyph(rows) ?? findHorizontal(rows)
}

function findNumbered(rows: readonly MenuRow[]): OptionGroup | null {
  for (let index = rows.length - 1; index >= 0; index--) {
    const last = readOptionRow(rows[index]!)
    if (last?.number === null || last === null || last.number === undefined || last.number < 2) continue
    const options = collectUpwards(rows, last)
    if (options.length >= 2 && options[0]!.number === 1) return finish(rows, withUnnumbered(rows, options))
  }
  return null
}

function collectUpwards(rows: readonly MenuRow[], last: OptionRow): OptionRow[] {
  const options = [last]
  let gap = 0
  for (let index = last.row - 1; index >= 0; index--) {
    const row = rows[index]!
    const head = options[0]!
    if (row.isBlank || row.isRule) {
      if (++gap > 1) break
      continue
    }
    const option = readOptionRow(row)
    if (option && option.number === head.number! - 1 && option.labelColumn === head.labelColumn) {
      options.unshift(option)
      gap = 0
      if (option.number === 1) break
    } else if (columnOf(row.text) < head.labelColumn) break
    else gap = 0
  }
  return options
}

/** Unnumbered siblings below a numbered list (`Submit`, `Next`): a label in the number's or the label's column right below it. */
function withUnnumbered(rows: readonly MenuRow[], options: OptionRow[]): OptionRow[] {
  const head = options[0]!
  const numberColumn = head.labelColumn - `${head.number}. `.length
  const found = [...options]
  for (let index = options.at(-1)!.row + 1; index < rows.length; index++) {
    const row = rows[index]!
    if (row.isBlank || row.isRule) break
    const option = readOptionRow(row)
    if (!option || option.number !== null) break
    if (option.labelColumn === numberColumn && option.label.split(' ').length <= 3) found.push(option)
    else if (option.labelColumn < head.labelColumn) break
  }
  return found
}

function findByGlyph(rows: readonly MenuRow[]): OptionGroup | null {
  for (let index = rows.length - 1; index >= 0; index--) {
    const marked = readOptionRow(rows[index]!)
    if (!marked || marked.glyphColumn === null || marked.number !== null) continue
    const above = siblings(rows, marked, -1).reverse()
    const below = siblings(rows, marked, 1)
    const options = [...above, marked, ...below]
    if (options.length >= 2) return finish(rows, options)
  }
  return null
}

function siblings(rows: readonly MenuRow[], marked: OptionRow, step: 1 | -1): OptionRow[] {
  const found: OptionRow[] = []
  for (let index = marked.row + step; index >= 0 && index < rows.length; index += step) {
    const row = rows[index]!
    if (row.isBlank || row.isRule) break
    const option = readOptionRow(row)
    if (!option) break
    if (option.labelColumn === marked.labelColumn && option.glyphColumn === null) found.push(option)
    else if (option.labelColumn <= marked.labelColumn) break
  }
  return found
}

function finish(rows: readonly MenuRow[], options: OptionRow[]): OptionGroup {
  const whole = options.map((option, n) => joinContinuations(rows, option, options[n + 1]?.row ?? null))
  const byGlyph = whole.findIndex(option => option.glyphColumn !== null)
  const byStyle = byGlyph >= 0 ? -1 : standsOut(rows, whole)
  const selected = byGlyph >= 0 ? byGlyph : byStyle
  return {
    layout: 'vertical',
    options: whole,
    selected: selected < 0 ? null : selected,
    shownBy: byGlyph >= 0 ? 'glyph' : byStyle >= 0 ? 'style' : null,
    first: whole[0]!.row,
    last: lastRowOf(rows, whole.at(-1)!),
  }
}

/** Rows below an option that are indented to its label: the label's own end if they look like it, else its description. */
function joinContinuations(rows: readonly MenuRow[], option: OptionRow, nextRow: number | null): OptionRow {
  const joined = { ...option }
  for (let index = option.row + 1; index < (nextRow ?? rows.length); index++) {
    const row = rows[index]!
    if (row.isBlank || row.isRule || columnOf(row.text) < option.labelColumn) break
    const text = row.text.trim()
    if (joined.detail === '' && sameStyle(labelSpan(rows[option.row]!, option), firstSpan(row))) joined.label = `${joined.label} ${text}`
    else joined.detail = joined.detail === '' ? text : `${joined.detail} ${text}`
  }
  return joined
}

function lastRowOf(rows: readonly MenuRow[], option: OptionRow): number {
  let last = option.row
  while (rows[last + 1] && !rows[last + 1]!.isBlank && !rows[last + 1]!.isRule && columnOf(rows[last + 1]!.text) >= option.labelColumn) last++
  return last
}

function labelSpan(row: MenuRow, option: OptionRow): Span | undefined {
  return row.spans.find(span => span.x + span.width > option.labelColumn && span.text.trim() !== '')
}

function firstSpan(row: MenuRow): Span | undefined {
  return row.spans.find(span => span.text.trim() !== '' && !/^[│┃║|]$/u.test(span.text.trim()))
}

function sameStyle(a: Span | undefined, b: Span | undefined): boolean {
  return a !== undefined && b !== undefined && a.fg === b.fg && a.dim === b.dim
}

/** Index of the only option whose style differs from all its siblings, or -1. */
function standsOut(rows: readonly MenuRow[], options: readonly OptionRow[]): number {
  const keys = options.map(option => {
    const span = labelSpan(rows[option.row]!, option)
    return span ? `${span.fg}/${span.bg}/${span.bold}/${span.inverse}` : ''
  })
  const different = keys.flatMap((key, index) => (keys.filter(other => other === key).length === 1 ? [index] : []))
  return different.length === 1 && new Set(keys).size === 2 ? different[0]! : -1
}

/** One row of labels side by side, one of them highlighted by background or inverse. */
function findHorizontal(rows: readonly MenuRow[]): OptionGroup | null {
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index]!
    if (row.isBlank || row.isRule) continue
    const labels = [...row.text.matchAll(/\S+(?: \S+)*/gu)]
    if (labels.length < 2) continue
    const options = labels.map(match => ({
      row: index,
      glyphColumn: null,
      number: null,
      checked: null,
      labelColumn: match.index,
      label: match[0],
      detail: '',
    }))
    const lit = options.flatMap((option, n) => (isLit(row, option) ? [n] : []))
    if (lit.length !== 1) continue
    return { layout: 'horizontal', options, selected: lit[0]!, shownBy: 'style', first: index, last: index }
  }
  return null
}

function isLit(row: MenuRow, option: OptionRow): boolean {
  const span = row.spans.find(candidate => candidate.x <= option.labelColumn && option.labelColumn < candidate.x + candidate.width)
  return span !== undefined && (span.inverse || span.bg !== null) && span.text.trim().length <= option.label.length + 2
}
