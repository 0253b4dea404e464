import { beginningOf, continuesSpec, type GapsBefore } from './block-marks.js'
import { hasMark, unmarkedKind } from './generic-grammar.js'
import type { Terminator } from './observation.js'
import type { BlockSpec, Pack, ScreenBlockKind } from './pack/pack.js'
import { markReader } from './row-marks.js'
import { isBlank, type ScreenRow } from './screen-row.js'

/** Consecutive transcript rows that belong together. */
export interface RowBlock {
  kind: ScreenBlockKind
  /** Null when no mark of the pack matched: recognised by structure. */
  spec: BlockSpec | null
  /** Rows of the list from which it was split, first and last inclusive. */
  first: number
  last: number
  /** A call that has not ended, or a result that says that its call still runs. */
  isRunning: boolean
  /** It started above the screen: how its rows continue. */
  more?: RegExp
}

/** The role of a row that belongs to no block. */
export type RowRole = 'chrome' | 'terminator' | 'queued' | 'panel' | 'working'

/**
 * Splits rows into blocks. A row with the mark of a block always starts one. Any other row
 * continues the block above it if it matches the continuation pattern (blank rows only if the block
 * continues after them). Rows that match nothing become separate prose. Rows with another role
 * (chrome, terminators, panels, working rows) belong to no block; terminators and working rows also
 * end the block above. A gutter without text is the edge of a dialog, not a block.
 */
export function splitBlocks(
  rows: readonly ScreenRow[],
  pack: Pack,
  roleOf: (row: ScreenRow) => RowRole | null,
  /** Rows that start with the glyph of the input box, as far as the structure shows it. */
  isPrompt: (row: ScreenRow) => boolean = () => false,
): RowBlock[] {
  const blocks: RowBlock[] = []
  let current: RowBlock | null = null
  let blanks = 0
  /** Blank rows that no band covers: they separate bands. */
  let gaps = 0
  rows.forEach((row, index) => {
    if (isBlank(row)) {
      blanks++
      if (!row.isBand) gaps++
      return
    }
    const role = roleOf(row)
    if (role) {
      if (role === 'terminator' || role === 'working') current = null
      return
    }
    const spec = beginningOf(rows, index, pack, { block: current, isApart: gaps > 0 })
    const goesOn = current !== null && continues(current, row, { blanks, gaps })
    const isOwn = blanks === 0 && spec?.more !== null && current?.spec?.first.line.source === spec?.first.line.source
    if (spec && !(goesOn && (isOwn || spec.weak))) {
      current = { kind: spec.kind, spec, first: index, last: index, isRunning: false }
      blocks.push(current)
    } else if (goesOn) current!.last = index
    else {
      const cut = blocks.length === 0 ? cutOff(row, pack) : null
      current = {
        kind: cut?.kind ?? unmarkedKind(row, rows[index + 1], isPrompt),
        spec: null,
        first: index,
        last: index,
        isRunning: false,
        ...(cut && { more: cut.more! }),
      }
      blocks.push(current)
    }
    const call = blocks.at(-2)
    if (current!.spec?.running?.test(row.text)) current!.isRunning = true
    // Output of a running call is not a result yet.
    else if (
      current!.kind === 'tool_result' &&
      current!.first === index &&
      call?.kind === 'tool_call' &&
      call.isRunning &&
      call.last === index - 1
    )
      current!.isRunning = true
    blanks = 0
    gaps = 0
  })
  return blocks.filter(block => rows.slice(block.first, block.last + 1).some(row => /[^\s│┃║▌▎▐]/u.test(row.text)))
}

/** A block whose first row scrolled away: its other rows have a mark too, or an edge. */
function cutOff(row: ScreenRow, pack: Pack): BlockSpec | null {
  const unsigned = row.text.replace(/\S/u, 'x')
  return pack.blocks.find(({ more }) => more?.test(row.text) && !more.test(unsigned)) ?? null
}

function continues(block: RowBlock, row: ScreenRow, before: GapsBefore): boolean {
  if (block.more) return before.blanks === 0 && block.more.test(row.text)
  if (block.spec === null) return !hasMark(row) && before.blanks <= 1 && row.indent > 1
  return continuesSpec(block.spec, row, before)
}

/** The terminator of a row, if it says how the turn ended. */
export function terminatorOf(
  row: ScreenRow,
  pack: Pack,
): { outcome: Terminator['outcome']; match: RegExpExecArray } | null {
  return markReader(pack)(row).terminator
}

/** Rows of boxes and toasts that are never content: first and continuation rows. */
export function chromeRows(rows: readonly ScreenRow[], pack: Pack): Set<number> {
  const marksOf = markReader(pack)
  return matchRuns(rows, row => marksOf(row).chrome)
}

export function panelRows(rows: readonly ScreenRow[], pack: Pack): Set<number> {
  const marksOf = markReader(pack)
  return matchRuns(rows, row => marksOf(row).panel)
}

function matchRuns(
  rows: readonly ScreenRow[],
  entryOf: (row: ScreenRow) => { more: RegExp | null } | null,
): Set<number> {
  const found = new Set<number>()
  let more: RegExp | null = null
  rows.forEach((row, index) => {
    const entry = entryOf(row)
    if (entry) more = entry.more
    else if (!more?.test(row.text)) more = null
    if (entry || more) found.add(index)
  })
  return found
}
