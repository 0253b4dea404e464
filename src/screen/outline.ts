import type { Frame } from '../terminal/index.js'
import type { RowBlock, RowRole } from './grammar.js'
import type { Layout } from './layout.js'
import type { ScreenBlockKind } from './pack/pack.js'

/**
 * The part of a layout that readers of the conversation need: plain data, which can be passed to
 * another thread.
 */
export interface Outline {
  /** The blocks above the live part. */
  blocks: readonly OutlineBlock[]
  roles: readonly (RowRole | null)[]
  /** The text of a row where it is not that of the frame: without a scroll bar, for example. */
  texts: readonly (string | null)[]
  /** Index of the first row of the live part: status row, menu, input box, footer. */
  liveFirst: number
  /** There is an input box or a menu. */
  hasInput: boolean
}

export interface OutlineBlock {
  kind: ScreenBlockKind
  /** A mark of the pack was found; otherwise it was recognised by structure. */
  isMarked: boolean
  first: number
  last: number
}

export function outlineBlock({ kind, spec, first, last }: RowBlock): OutlineBlock {
  return { kind, isMarked: spec !== null, first, last }
}

export function outlineOf({ rows, regions, blocks, roles, composer, menu }: Layout, { lines }: Frame): Outline {
  return {
    blocks: blocks.map(outlineBlock),
    roles,
    texts: rows.map(({ text }, index) => (text === lines[index]!.text ? null : text)),
    liveFirst: regions.get('status')?.first ?? regions.get('live')?.first ?? lines.length,
    hasInput: composer !== null || menu !== null,
  }
}
