import type { Row } from '../terminal/index.js'
import type { BlockSpec, Pack, ScreenBlockKind } from './pack/pack.js'
import { isBlank } from './region.js'
import { matchesRow } from './style-match.js'

/** A stretch of transcript rows that belong together by the pack's block grammar. */
export interface RowBlock {
  kind: ScreenBlockKind
  spec: BlockSpec | null
  /** Rows of the frame, first and last inclusive. */
  first: number
  last: number
}

/**
 * Splits rows into blocks. A row that begins a block by its mark does so always; any other row continues the block above it if it fits its
 * continuation pattern (blank rows only if the block goes on behind them); rows that fit nothing are prose of their own.
 * Chrome rows belong to no block.
 */
export function splitBlocks(rows: readonly Row[], pack: Pack, from = 0, to = rows.length - 1): RowBlock[] {
  const blocks: RowBlock[] = []
  let current: RowBlock | null = null
  let blanks = 0
  for (let index = from; index <= to; index++) {
    const row = rows[index]!
    if (isBlank(row)) {
      blanks++
      continue
    }
    if (isChrome(row, pack)) {
      blanks = 0
      continue
    }
    const spec = pack.blocks.find(block => matchesRow(row, block.first))
    // A block whose every row carries the mark goes on; one with a blank row between is a new one.
    const isSame = spec !== undefined && current?.spec === spec && blanks === 0 && (spec.more?.test(row.text) ?? false)
    if (isSame) current!.last = index
    else if (spec) current = push(blocks, { kind: spec.kind, spec, first: index, last: index })
    else if (current && continues(current, row, blanks)) current.last = index
    else current = push(blocks, { kind: 'prose', spec: null, first: index, last: index })
    blanks = 0
  }
  return blocks
}

function push(blocks: RowBlock[], block: RowBlock): RowBlock {
  blocks.push(block)
  return block
}

function continues(block: RowBlock, row: Row, blanksBefore: number): boolean {
  if (block.spec === null) return blanksBefore <= 1
  if (block.spec.more === null) return false
  return block.spec.more.test(row.text)
}

export function isChrome(row: Row, pack: Pack): boolean {
  return pack.chrome.some(entry => matchesRow(row, entry.first))
}

/** A row that says how the turn ended, if this is one. */
export function terminatorOf(row: Row, pack: Pack): { outcome: 'done' | 'interrupted' | 'denied' | 'failed'; match: RegExpExecArray } | null {
  for (const { pattern, outcome } of pack.terminators) {
    if (!matchesRow(row, pattern)) continue
    return { outcome, match: pattern.line.exec(row.text)! }
  }
  return null
}

