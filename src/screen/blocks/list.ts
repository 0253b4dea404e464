import type { ListItem } from './block.js'
import { isBlankRow, joinRows, type ProseRow, type ProseStyle, separatorOf } from './prose-row.js'

export const LIST_MARK =
  /^(?<indent>\s*)(?:(?<bullet>[-*+•◦▪‣⁃])|(?<number>\d{1,4})[.)])\s+(?:(?<check>\[[ xX✔✓]\]|[☐☑☒◻◼✔])\s+)?(?=\S)/u
const TASK_MARK = /^(?<indent>\s*)(?<check>[☐☑☒◻])\s+(?=\S)/u

export function listMark(text: string): RegExpExecArray | null {
  return LIST_MARK.exec(text) ?? TASK_MARK.exec(text)
}

/** The last row of the list that starts here; blank rows count if an item follows. */
export function listEnd(rows: readonly ProseRow[], at: number, style: ProseStyle): number {
  let end = at
  let column = markWidth(rows[at]!.text)
  const base = rows[at]!.indent
  for (let next = at + 1; next < rows.length; next++) {
    const row = rows[next]!
    const above = rows[next - 1]!
    if (isBlankRow(row)) {
      const after = rows[next + 1]
      const goesOn =
        after &&
        !isBlankRow(after) &&
        ((listMark(after.text) && after.indent >= base && isSameKind(rows[at]!, after)) ||
          (after.indent >= column && !after.colours.syntax))
      if (!goesOn) break
      continue
    }
    if (listMark(row.text)) column = markWidth(row.text)
    else if (!isBlankRow(above) && row.indent < column && separatorOf(above, row, style) === null) break
    else if (row.colours.syntax >= 2) break
    end = next
  }
  return end
}

/**
 * A numbered list after a bullet list and a blank row is another list, unless it is inside an item.
 */
function isSameKind(first: ProseRow, other: ProseRow): boolean {
  if (other.indent > first.indent) return true
  return (listMark(first.text)!.groups!.number === undefined) === (listMark(other.text)!.groups!.number === undefined)
}

function markWidth(text: string): number {
  return listMark(text)?.[0].length ?? 0
}

export function readList(rows: readonly ProseRow[], style: ProseStyle): ListItem[] {
  const items: { item: ListItem; rows: ProseRow[]; mark: number }[] = []
  const indents: number[] = []
  for (const row of rows) {
    const match = listMark(row.text)
    if (match) {
      const { indent, number, check } = match.groups!
      while (indents.length > 0 && indent!.length < indents.at(-1)!) indents.pop()
      if (indents.length === 0 || indent!.length > indents.at(-1)!) indents.push(indent!.length)
      const item: ListItem = {
        depth: indents.length - 1,
        number: number === undefined ? null : Number(number),
        checked: check === undefined ? null : /[xX✔✓☑☒◼]/u.test(check),
        runs: [],
      }
      items.push({ item, rows: [row], mark: match[0].length })
    } else if (!isBlankRow(row)) items.at(-1)?.rows.push(row)
  }
  return items.map(({ item, rows: own, mark }) => ({
    ...item,
    runs: joinRows(own, (_, index) => (index === 0 ? mark : 0), style, own[0]!.from + mark),
  }))
}
