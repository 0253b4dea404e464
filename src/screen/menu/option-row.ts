import { memoizeByObject } from '../../terminal/index.js'
import type { MenuRow } from './menu-rows.js'

/**
 * Characters that point at an option. In a numbered list any symbol may, if only one row has it.
 */
const POINTERS = '❯›>●◉→▶▸➜»➤▹►▷☞➔⯈'
const ANY_SIGN = '(?![\\[\\](){}"\'`#*+.,:;|/\\\\-])[^\\p{L}\\p{N}\\s─━│┃╭╮╰╯┌┐└┘├┤┬┴┼]'

/** `(●)`, `○`: in a group of them, the filled one is the choice. A key may be before it. */
const ROUND = '(?:\\([ •●○◉◯]\\)|[◯◉○●])'

/** One row that may be an option of a menu. Columns count from the left edge. */
export interface OptionRow {
  row: number
  glyphColumn: number | null
  number: number | null
  numberColumn: number
  checked: boolean | null
  labelColumn: number
  label: string
  detail: string
}

const OPTION = new RegExp(
  `^(?<indent>[\\s\\u00a0]*)(?:(?<glyph>[${POINTERS}]|${ANY_SIGN}(?=[\\s\\u00a0]+(?:\\d{1,2}[.)]|\\[\\d{1,2}\\])))(?<gap>[\\s\\u00a0]+))?(?:(?:(?<number>\\d{1,2})[.)]|\\[(?<boxed>\\d{1,2})\\]|(?<key>\\d{1,2}|[a-z])(?=[\\s\\u00a0]+${ROUND}[\\s\\u00a0]))(?<gap2>[\\s\\u00a0]+))?` +
    '(?:(?<check>\\[[ xX✔✓*]\\]|\\([ xX•●○◉◯*]\\)|[☐☑☒◯◉○◻◼])(?<gap3>[\\s\\u00a0]+))?(?<label>\\S.*)$',
  'u',
)

export const readOptionRow = memoizeByObject((row: MenuRow): OptionRow | null => {
  if (row.isBlank || row.isRule || row.isFrame || isMore(row)) return null
  const groups = OPTION.exec(row.text)?.groups
  if (!groups) return null
  const label = groups.label!
  const number = groups.number ?? groups.boxed ?? /^\d+$/u.exec(groups.key ?? '')?.[0]
  const [name, detail] = splitColumns(label)
  return {
    row: row.index,
    glyphColumn: groups.glyph ? row.indent : null,
    number: number === undefined ? null : Number(number),
    numberColumn: groups.indent!.length + (groups.glyph ? groups.glyph.length + groups.gap!.length : 0),
    checked: groups.check ? /[xX✔✓*•●☑☒◉◼]/u.test(groups.check) : null,
    labelColumn: row.text.length - label.length,
    label: name,
    detail,
  }
})

/** `↑ 3 more`, `▼`: the list continues outside its window. */
export function isMore(row: MenuRow | undefined): boolean {
  return row !== undefined && /^\s*(?:[▲▼]\s*$|[↑↓▲▼]\s*\d+ more\b)/u.test(row.text)
}

/** A label and a description next to it, separated by two or more blanks. */
function splitColumns(text: string): [label: string, detail: string] {
  const match = /^(.*?\S)\s{2,}(\S.*)$/u.exec(text)
  return match ? [match[1]!, match[2]!] : [text.trimEnd(), '']
}

const ACCELERATOR =
  /(?:\s*\([a-z]\))?\s*\((?<after>[a-z]|esc|enter|tab|space|shift\+tab|ctrl\+[a-z]|esc to \w+|esc or [a-z])\)$|^\[(?<before>[a-z])\]\s*/iu

/** A label without the key or the tick next to it. */
export function cutAccelerator(text: string): { label: string; accelerator?: string } {
  // The current setting has a tick after its name.
  const label = text.replace(/\s+[✔✓]$/u, '')
  const match = ACCELERATOR.exec(label)
  const accelerator = match?.groups?.after ?? match?.groups?.before
  if (!match || !accelerator) return { label }
  return { label: label.replace(match[0], '').trim(), accelerator }
}
