import { type Color, memoizeByObject } from '../../terminal/index.js'
import { styleKey } from '../style-match.js'
import { meaningOf } from './menu.js'
import { fragments } from './menu-head.js'
import { type MenuRow, spanFrom } from './menu-rows.js'
import type { OptionGroup } from './option-group.js'
import type { OptionRow } from './option-row.js'

/**
 * Labels side by side with exactly one highlighted, and a hint how to choose in the same row or the
 * next two; or each label after its own key: `[y] Approve [n] Deny`, `y approve · n deny`; or after
 * a round mark: `● Yes / ○ No`; or the buttons of a dialog box: `<Yes> <No>`. Tabs and status rows
 * have highlights too, but no hint to choose from them, and neither allow nor deny anything.
 */
export function findHorizontal(rows: readonly MenuRow[]): OptionGroup | null {
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index]!
    if (row.isBlank || row.isRule || row.isFrame) continue
    const marked = readMarked(row) ?? readKeys(rows, row) ?? readInitials(row)
    if (marked) return marked
    const labels = labelsOf(row)
    if (labels.length < 2) continue
    const options = labels.map(([column, label]) => sideBySide(row, column, label))
    const buttons = options.every(option => BUTTON.test(option.label)) ? readButtons(row, options) : null
    if (buttons && (row.isBoxed ? buttons.selected !== null : hintsBelow(rows, index))) return buttons
    const keyed = options.filter(option => /^\[[a-z]\] /iu.test(option.label))
    const firstHint = options.findIndex(option => isHint(option.label))
    const plain = firstHint < 0 ? options : options.slice(0, firstHint)
    const chosen = keyed.length >= 2 ? keyed : plain
    const hasHint =
      keyed.length >= 2 ||
      firstHint >= 0 ||
      rows.slice(index + 1, index + 3).some(next => isHint(next.text.trim())) ||
      (row.isBoxed && decides(chosen))
    if (chosen.length < 2 || !chosen.every(option => /^[\p{L}\p{N}[(].{0,40}$/u.test(option.label))) continue
    if (!hasHint) continue
    const lit = highlightedOption(row, chosen)
    if (lit === null && keyed.length < 2) continue
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

/** One of the labels allows, and another one denies. */
function decides(options: readonly Pick<OptionRow, 'label'>[]): boolean {
  const meanings = options.map(({ label }) => meaningOf(label.replace(/^\[[a-z]\] /iu, ''), null).meaning)
  return (
    meanings.some(meaning => meaning.startsWith('allow')) && meanings.some(meaning => /^(?:deny|cancel)/u.test(meaning))
  )
}

const MARKED = /(?<mark>[●◉○◯])\s+(?<label>[^●◉○◯/]*[^●◉○◯/\s])(?:\s*\/\s*|\s{2,}|\s*$)/gu

/** `● Yes / ○ No`: the filled mark is the selection. */
function readMarked(row: MenuRow): OptionGroup | null {
  if (!/^\s*[●◉○◯]\s/u.test(row.text)) return null
  const found = [...row.text.matchAll(MARKED)]
  const filled = found.flatMap((match, index) => (/[●◉]/u.test(match.groups!.mark!) ? [index] : []))
  if (found.length < 2 || filled.length !== 1) return null
  const options = found.map(({ index, groups }) => sideBySide(row, index, groups!.label!, index))
  return {
    layout: 'horizontal',
    options,
    selected: filled[0]!,
    shownBy: 'glyph',
    isRadio: true,
    first: row.index,
    last: row.index,
  }
}

function sideBySide(row: MenuRow, column: number, label: string, glyphColumn: number | null = null): OptionRow {
  return {
    row: row.index,
    glyphColumn,
    number: null,
    numberColumn: column,
    checked: null,
    labelColumn: column,
    label,
    detail: '',
  }
}

const KEY =
  /^(?:press\s+)?(?:\[(?<square>[a-z])\]\s*|\((?<round>[a-z])\)(?<blank>\s*)|(?<plain>[a-z])(?::\s*|\s+(?:to\s+|for\s+)?))(?<label>\p{L}[^.!?]{1,40})$/iu

/**
 * Each label after its own key, in any writing: `y approve · n deny`, `(a)llow (d)eny`, `Press y to
 * approve, n to reject`. Footers name keys too, but do not decide anything; and a sentence that
 * explains such keys is neither in a box nor below a question.
 */
function readKeys(rows: readonly MenuRow[], row: MenuRow): OptionGroup | null {
  if (!row.isBoxed && !isBelowQuestion(rows, row)) return null
  const parts = row.text.trim().split(/\s*[·•|]\s*|,\s+(?:or\s+)?|\s+or\s+|\s{2,}/iu)
  const options = parts.flatMap(part => {
    const groups = KEY.exec(part)?.groups
    if (!groups) return []
    const key = (groups.square ?? groups.round ?? groups.plain)!
    // `(a)llow`: the key is a part of the word.
    const label = groups.round !== undefined && groups.blank === '' ? `${key}${groups.label!}` : groups.label!
    return [sideBySide(row, row.text.indexOf(part), `[${key}] ${label}`)]
  })
  const isWhole = options.length >= 2 && options.length >= parts.length - 2
  if (!isWhole || new Set(options.map(({ label }) => label[1])).size < options.length || !decides(options)) return null
  return { layout: 'horizontal', options, selected: null, shownBy: null, first: row.index, last: row.index }
}

/** `Allow? yes  no  always`: the key of each label is its first letter, in a style of its own. */
function readInitials(row: MenuRow): OptionGroup | null {
  const options = labelsOf(row).flatMap(([column, text]) => {
    const asked = /^.*[?:]\s+/u.exec(text)?.[0].length ?? 0
    const at = column + asked
    const label = text.slice(asked)
    const own = row.spans.find(({ x }) => x === at)
    const next = row.spans.find(({ x }) => x === at + 1)
    const isInitial =
      own?.width === 1 && next !== undefined && styleKey({ ...own, bg: null }) !== styleKey({ ...next, bg: null })
    return isInitial && /^\p{L}{2}/u.test(label) ? [sideBySide(row, at, `[${label[0]!}] ${label}`)] : []
  })
  if (options.length < 2 || new Set(options.map(({ label }) => label[1])).size < options.length || !decides(options))
    return null
  return { layout: 'horizontal', options, selected: null, shownBy: null, first: row.index, last: row.index }
}

/** The last row of the screen, at most a few rows below one that asks. */
function isBelowQuestion(rows: readonly MenuRow[], row: MenuRow): boolean {
  if (rows.slice(row.index + 1).some(other => !other.isBlank && !other.isRule && fragments(other).length === 0))
    return false
  return rows.slice(Math.max(0, row.index - 6), row.index).some(other => /[?？]\s*$/u.test(other.text))
}

/** Words separated by two or more blanks, with their columns. */
const labelsOf = memoizeByObject((row: MenuRow): [column: number, label: string][] =>
  [...row.text.matchAll(/\S+(?: \S+)*/gu)].map(match => [match.index, match[0]]),
)

/** Buttons of line-drawing libraries: in angle or square brackets (with blanks inside). */
const BUTTON = /^(?:<\s*(?<angle>[^<>]+?)\s*>|\[\s+(?<square>[^[\]]+?)\s+\])$/u

/** Whether keys are named below; rules and blank rows between do not count. */
function hintsBelow(rows: readonly MenuRow[], index: number): boolean {
  const words = rows.slice(index + 1).filter(row => !row.isBlank && !row.isRule && !row.isFrame)
  return words.length > 0 && words.length <= 3 && words.every(row => isHint(row.text.trim()))
}

/** The selected button has another background; without colours none is selected. */
function readButtons(row: MenuRow, options: readonly OptionRow[]): OptionGroup | null {
  const lit = options.flatMap((option, index) => {
    const [before, own] = [option.labelColumn - 1, option.labelColumn].map(column =>
      row.spans.find(span => span.x <= column && column < span.x + span.width),
    )
    return own && before && (own.bg !== before.bg || own.inverse !== before.inverse) ? [index] : []
  })
  if (lit.length > 1) return null
  return {
    layout: 'horizontal',
    isButtons: true,
    options: options.map(option => {
      const { angle, square } = BUTTON.exec(option.label)!.groups!
      return { ...option, label: angle ?? square! }
    }),
    selected: lit[0] ?? null,
    shownBy: lit.length === 1 ? 'style' : null,
    first: row.index,
    last: row.index,
  }
}

function isHint(text: string): boolean {
  return /^(?:ctrl\+\S|enter\b|esc\b|tab\b|⇆|⇄|↑|←|shift\+)/iu.test(text)
}

/** The only option with its own background, or null. */
function highlightedOption(row: MenuRow, options: readonly OptionRow[]): number | null {
  const backgrounds = options.map(option => {
    const span = spanFrom(row, option.labelColumn)
    return span ? `${span.bg}/${span.inverse}` : ''
  })
  const single = backgrounds.flatMap((background, index) =>
    backgrounds.filter(other => other === background).length === 1 ? [index] : [],
  )
  if (single.length === 1) return single[0]!
  if (options.length !== 2 || backgrounds[0] === backgrounds[1]) return null
  // Of two, the highlighted one is inverse or has the stronger background: dark text on a colour.
  const strongest = options.findIndex(option => {
    const span = spanFrom(row, option.labelColumn)
    return span !== undefined && (span.inverse || (span.bg !== null && span.fg !== null && isDark(span.fg)))
  })
  if (strongest >= 0) return strongest
  // Both have a background: the coloured one is highlighted, the grey one is not.
  const [first, second] = options.map(option => chroma(spanFrom(row, option.labelColumn)?.bg ?? null)) as [
    number,
    number,
  ]
  return Math.abs(first - second) < COLOUR_DIFFERENCE_MIN ? null : first > second ? 0 : 1
}

/** How much more colour the highlighted one of two buttons must have. */
const COLOUR_DIFFERENCE_MIN = 0x40

function chroma(colour: Color): number {
  if (typeof colour !== 'string') return 0
  const channels = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16))
  return Math.max(...channels) - Math.min(...channels)
}

function isDark(colour: string | number): boolean {
  return typeof colour === 'number' ? colour === 0 || colour === 16 : Number.parseInt(colour.slice(1, 3), 16) < 0x40
}
