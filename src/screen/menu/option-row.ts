import { columnOf, type MenuRow } from './menu-rows.js'

export const SELECTION_GLYPHS = '❯›>●◉→▶▸'

/** One row that may be an option of a menu. Columns count cells from the left edge. */
export interface OptionRow {
  row: number
  glyphColumn: number | null
  number: number | null
  checked: boolean | null
  labelColumn: number
  label: string
  detail: string
}

const OPTION = new RegExp(
  `^(?<indent>[\\s\\u00a0]*)(?:(?<glyph>[${SELECTION_GLYPHS}])(?<gap>[\\s\\u00a0]+))?(?:(?<number>\\d{1,2})[.)](?<gap2>[\\s\\u00a0]+))?` +
    '(?:(?<check>\\[[ xX✔✓*]\\]|[☐☑☒◯◉◻◼])(?<gap3>[\\s\\u00a0]+))?(?<label>\\S.*)$',
  'u',
)

export function readOptionRow(row: MenuRow): OptionRow | null {
  if (row.isBlank || row.isRule) return null
  const groups = OPTION.exec(row.text)?.groups
  if (!groups) return null
  const label = groups.label!
  const labelColumn = row.text.length - label.length
  const [name, detail] = splitColumns(label)
  return {
    row: row.index,
    glyphColumn: groups.glyph ? columnOf(row.text) : null,
    number: groups.number ? Number(groups.number) : null,
    checked: groups.check ? /[xX✔✓*☑☒◉◼]/u.test(groups.check) : null,
    labelColumn,
    label: name,
    detail,
  }
}

/** A label and a description beside it, three or more blanks apart. */
function splitColumns(text: string): [label: string, detail: string] {
  const match = /^(.*?\S)\s{3,}(\S.*)$/u.exec(text)
  return match ? [match[1]!, match[2]!] : [text.trimEnd(), '']
}

const ACCELERATOR = /\s*(?:\((?<behind>[a-z]|esc|enter|tab|shift\+tab|ctrl\+[a-z])\))$|^\[(?<before>[a-z])\]\s*/iu

/** A label without the key that is printed beside it. */
export function cutAccelerator(label: string): { label: string; accelerator?: string } {
  const match = ACCELERATOR.exec(label)
  const accelerator = match?.groups?.behind ?? match?.groups?.before
  if (!match || !accelerator) return { label }
  return { label: label.replace(match[0], '').trim(), accelerator }
}
