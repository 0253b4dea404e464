import type { RowBlock } from './grammar.js'
import type { BlockSpec, Pack } from './pack/pack.js'
import { markReader } from './row-marks.js'
import { isBlank, type ScreenRow } from './screen-row.js'
import { matchesRow } from './style-match.js'

/** Blank rows that a block may contain: a paragraph break, or an empty line in code. */
const BLANKS_INSIDE = 2

/** Blank rows since the last row of a block; `gaps` are those that no band covers. */
export interface GapsBefore {
  blanks: number
  gaps: number
}

/** The description of a block that starts in a row, if the pack has one that fits there. */
export function beginningOf(
  rows: readonly ScreenRow[],
  index: number,
  pack: Pack,
  { block, isApart }: { block: RowBlock | null; isApart: boolean },
): BlockSpec | null {
  let possible: BlockSpec | null = null
  for (const spec of markReader(pack)(rows[index]!).startsBlocks) {
    // A band has nothing before it.
    const isAfter = block !== null && spec.after?.includes(block.kind) && !(spec.first.style?.band && isApart)
    // In the first row of the screen the preceding block is unknown: another description comes
    // first.
    const isUnknown = block === null && index === 0
    if (spec.after && !isAfter && !isUnknown) continue
    if (spec.next && !followedBy(rows, index, spec)) continue
    if (!spec.after || isAfter) return spec
    possible ??= spec
  }
  return possible
}

/** Some marks need a certain row below: a bullet is a tool call if a result follows. */
function followedBy(rows: readonly ScreenRow[], index: number, spec: BlockSpec): boolean {
  for (let next = index + 1; next < rows.length && next <= index + 4; next++) {
    const row = rows[next]!
    if (isBlank(row)) return false
    if (spec.next!.test(row.text)) return true
    if (!spec.more?.test(row.text)) return false
  }
  return false
}

/** Whether a row continues a block as the pack describes it. */
export function continuesSpec(spec: BlockSpec, row: ScreenRow, before: GapsBefore): boolean {
  if (spec.more === null) return false
  // A band continues as far as it is drawn, blank rows included.
  if (spec.first.style?.band) return row.isBand && before.gaps === 0 && spec.more.test(row.text)
  // Empty lines with the background of the block belong to it.
  const isTight = spec.tight && spec.first.style?.bg === undefined
  if (before.blanks > (isTight ? 0 : BLANKS_INSIDE)) return false
  return spec.more.test(row.text) && hasSameBackground(spec, row)
}

/** A block that is recognised by its background continues only as far as the background. */
function hasSameBackground(spec: BlockSpec, row: ScreenRow): boolean {
  const { style } = spec.first
  return style?.bg === undefined || matchesRow(row, { line: /^/u, style: { at: style.at, bg: style.bg } })
}
