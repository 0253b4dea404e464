import { memoizeByObject } from '../../terminal/index.js'
import { isFaint, styleKey } from '../style-match.js'
import type { Menu } from './menu.js'
import { type MenuRow, spanFrom } from './menu-rows.js'
import { isMore } from './option-row.js'
import { findQuestion, isQuoted } from './question.js'

/** The text above the options: title, body, tabs, and the question nearest to them. */
export interface MenuHead {
  title: string
  question: string
  body: string[]
  tabs: Menu['tabs']
  page: Menu['page'] | null
  /** The first row of the menu, including its upper edge. */
  first: number
  /** All lines, with wrapped sentences joined. */
  lines: string[]
  /** All lines as one text, for patterns. */
  text: string
  /** A row says that rows are left out, or the text continues above the rows that were read. */
  isCut: boolean
  /** No edge, gap or earlier text ends it below the first row of the screen. */
  reachesTop: boolean
}

/** The first row that can belong to a menu with options here: the agent said the text above. */
export type FirstMenuRow = (optionsFirst: number) => number

/**
 * `⋮ 23 more rows`, `[… 68 lines]`, `... first 22 lines hidden ...`, `(press Ctrl+O to expand …)`:
 * the agent shows only a part of the text.
 */
const LEFT_OUT =
  /^\s*[[(]?(?:[⋮…]|\.{3}|\+)\s*[^\p{L}\p{N}]*(?:(?:first|last|and)\s+)?\+?\d+\s+(?:hidden\b|(?:more\s+|hidden\s+|other\s+)?(?:rows?|lines?)\b)|^\s*[⋮…]\s*$|\bctrl\+o to (?:expand|show)\b/iu

const PAGE = /\b(?:question|page)?\s*(\d{1,2})\s*(?:\/|of)\s*(\d{1,2})\b/iu

export function readHead(rows: readonly MenuRow[], optionsFirst: number, firstRow: FirstMenuRow): MenuHead {
  const { found, first, isInside, reachesTop } = collect(rows, optionsFirst, firstRow)
  const tabsRow = found.find(row => /[☐☒☑✔◻◼].*[→✔]|^\s*←\s/u.test(row.text) && /[☐☒☑✔◻◼]/u.test(row.text))
  const page = found.map(row => PAGE.exec(row.text)).find(match => match !== null)
  const lines = joinWrapped(found.filter(row => row !== tabsRow && !row.isFrame && !row.isBlank && !isMore(row)))
  const words = lines.filter(line => !isKeys({ text: line }))
  const asked = findQuestion(words, null)
  return {
    ...asked,
    // Whoever decides sees every row.
    body: lines.filter(line => asked.body.includes(line) || !words.includes(line)),
    tabs: tabsRow ? readTabs(tabsRow) : [],
    page: page ? { n: Number(page[1]), of: Number(page[2]) } : null,
    first,
    lines,
    text: lines.join('\n'),
    isCut: isInside || found.some(row => LEFT_OUT.test(row.text) || isShortened(row)),
    reachesTop,
  }
}

interface Collected {
  found: MenuRow[]
  first: number
  /** It ends at a rule that is part of the agent's text. */
  isInside: boolean
  reachesTop: boolean
}

/**
 * Up to a rule or box edge, or two blank rows outside a box; without either, up to the text that
 * was said before.
 */
function collect(rows: readonly MenuRow[], optionsFirst: number, firstRow: FirstMenuRow): Collected {
  const ended = { isInside: false, reachesTop: false }
  const found: MenuRow[] = []
  const isBoxed = rows[optionsFirst]?.isBoxed ?? false
  let blanks = 0
  let first = optionsFirst
  let isInside = false
  let index: number
  for (index = optionsFirst - 1; index >= 0; index--) {
    const row = rows[index]!
    // `├─────┤`: the question and its options are in two parts of one box.
    if (row.isRule && isBoxed && isDivider(row) && rows[index - 1]?.isBoxed) continue
    if (row.isRule && (isBoxed || isUpperEdge(row))) return { ...ended, found, first: index }
    if (row.isRule) {
      isInside = row.indent > 1
      break
    }
    if (isBoxed && !row.isBoxed) {
      // `◆  Question` above `│  options`: a symbol in place of the gutter starts the dialog.
      const isHead = row.indent === rows[optionsFirst]!.left && /^\s*[^\p{L}\p{N}\s"'`([{]\s+\S/u.test(row.text)
      return isHead ? { ...ended, found: [row, ...found], first: index } : { ...ended, found, first }
    }
    blanks = row.isBlank ? blanks + 1 : 0
    // Two blank rows end the head, but not right above the options: some agents leave a gap there.
    if (blanks >= (first === optionsFirst ? 3 : 2) && !isBoxed) break
    found.unshift(row)
    if (!row.isBlank) first = index
  }
  const isFull = index < 0
  if (isBoxed) return { found, first, isInside, reachesTop: isFull }
  const from = firstRow(optionsFirst)
  const own = found.filter(row => row.index >= from)
  const top = own.find(row => !row.isBlank)
  if (!top) return { found, first, isInside, reachesTop: isFull }
  return { found: own, first: top.index, isInside, reachesTop: isFull && from === 0 }
}

function isDivider({ text }: MenuRow): boolean {
  return /^\s*[├╠┠]/u.test(text)
}

/** A row that ends with an ellipsis at the right edge of its box: the agent cut it there. */
function isShortened({ text, edge }: MenuRow): boolean {
  return edge !== null && text.endsWith('…') && edge - text.length <= 1
}

/** A line from the left edge of the screen that is not the lower end of a box above. */
function isUpperEdge(row: MenuRow): boolean {
  const text = row.text.trim()
  return row.indent <= 1 && text.length >= 40 && !/^[╰└╚╹]/u.test(text)
}

/** Rows of one sentence: same column and style, and the upper one ends none. */
function joinWrapped(rows: readonly MenuRow[]): string[] {
  const lines: string[] = []
  const margin = Math.min(...rows.map(row => row.indent))
  rows.forEach((row, index) => {
    const above = rows[index - 1]
    const text = row.text.trim()
    const goesOn =
      above !== undefined &&
      !isQuotedRow(row, margin) &&
      !isQuotedRow(above, margin) &&
      above.index === row.index - 1 &&
      above.indent === row.indent &&
      above.text.length > 40 &&
      !/[.?!:;]$/u.test(above.text.trimEnd()) &&
      styleKey(spanFrom(above, above.indent)) === styleKey(spanFrom(row, row.indent))
    if (goesOn) lines[lines.length - 1] += ` ${text}`
    else lines.push(text)
  })
  return lines
}

/**
 * Rows of a command, a diff or a listing keep their breaks: the request must be shown unchanged.
 */
function isQuotedRow(row: MenuRow, margin: number): boolean {
  return isQuoted(row.text) || row.indent > margin + 2
}

function readTabs(row: MenuRow): Menu['tabs'] {
  return [...row.text.matchAll(/([☐☒☑✔◻◼])\s+([^☐☒☑✔◻◼←→]+?)(?=\s{2,}|\s*→|\s*$)/gu)].map(match => {
    const mark = match[1]!
    const label = match[2]!.trim()
    const span = spanFrom(row, match.index)
    return {
      label,
      state:
        mark === '✔' && /submit/iu.test(label)
          ? ('submit' as const)
          : /[☒☑✔◼]/u.test(mark)
            ? ('answered' as const)
            : ('open' as const),
      current: span !== undefined && (span.inverse || span.bg !== null),
    }
  })
}

const FRAGMENT =
  /^(?<keys>(?:[↑↓←→⇆⇄]+(?:[\s/][↑↓←→]+)?|(?:press\s+)?(?:esc(?:ape)?|enter|return|tab|space|backspace|home|end|page\w+|f\d+|(?:ctrl|shift|alt|cmd|opt)[+-]\S+|\^\w|[a-z])(?:\s*[/,]\s*\S+)?(?:\s+(?:esc|enter))?))(?:\s*:\s*|\s+)(?:to\s+)?(?<verb>\p{L}.*)$/iu

/** At most three rows below the options that name keys and their effect. */
export function readFooter(
  rows: readonly MenuRow[],
  below: number,
): { keys: Menu['footer']; rows: [number, number] | null } {
  const keys: Menu['footer'] = []
  let first: number | null = null
  let last = below
  let seen = 0
  for (let index = below + 1; index < rows.length && seen < 4; index++) {
    const row = rows[index]!
    if (row.isBlank || row.isRule || row.isFrame) continue
    seen++
    const found = fragments(row)
    if (found.length === 0) {
      // A wrapped hint: its second row is not a fragment by itself.
      if (first !== null && index === last + 1) last = index
      continue
    }
    first ??= index
    last = index
    keys.push(...found)
  }
  return { keys, rows: first === null ? null : [first, last] }
}

/** `← → narrow scope · e edit pattern`: nothing but keys and their effects, never the question. */
function isKeys(row: { text: string }): boolean {
  const found = fragments(row)
  return found.length >= 2 && found.length === partsOf(row).length && found.some(({ keys }) => keys.length > 1)
}

/** Keys that confirm and keys that cancel, side by side: the rows above have the keyboard. */
export function confirmsOrLeaves(row: { text: string }): boolean {
  const keys = fragments(row).map(fragment => fragment.keys)
  return keys.some(key => /\b(?:enter|return)\b|[↵⏎]/iu.test(key)) && keys.some(key => /\besc(?:ape)?\b/iu.test(key))
}

/** A row that looks like key hints: short, dim, or in parts with dots or bars. */
export function looksLikeHints(row: MenuRow): boolean {
  const visible = row.spans.filter(span => span.text.trim() !== '')
  const isQuiet = visible.length > 0 && visible.every(span => isFaint(span, row) || span.italic)
  return isQuiet || /\S\s[·•|]\s\S/u.test(row.text)
}

/** The parts of a row that dots, bars, commas or gaps separate. */
function partsOf(row: { text: string }): string[] {
  return row.text
    .trim()
    .replace(/^\((.*?)\)?$/u, '$1')
    .replace(/^use\s+/iu, '')
    .split(/\s*[·•|]\s*|[,;]\s+|\s{2,}|\s+or\s+(?=esc|enter|tab)/iu)
    .filter(part => /[^\s│┃]/u.test(part))
}

/** The keys and effects that a row names. */
export const fragments = memoizeByObject((row: { text: string }): Menu['footer'] =>
  partsOf(row)
    .map(part => FRAGMENT.exec(part.trim())?.groups)
    .filter(groups => groups !== undefined)
    .map(groups => ({ keys: groups.keys!.trim(), verb: groups.verb!.trim() })),
)
