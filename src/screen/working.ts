import { type Frame, memoizeByObject } from '../terminal/index.js'
import type { Layout } from './layout.js'
import type { ScreenMemory } from './memory.js'
import { isMoving, type Track, trackOf, updateTracks } from './motion.js'
import { rowsOf } from './region.js'
import type { RuleMatch } from './rules.js'
import { isBlank, type ScreenRow } from './screen-row.js'

/** Why the agent counts as working, if anything shows it. */
export interface Working {
  /** A pack rule; null when only motion shows it. */
  match: RuleMatch | null
  row: ScreenRow | null
}

export function findWorking(
  frame: Frame,
  layout: Layout,
  matches: readonly RuleMatch[],
  tracks: readonly Track[],
): Working | null {
  const ruled = matches
    .filter(match => match.rule.busy === true && match.rule.view !== null)
    .reduce<RuleMatch | null>((best, match) => (best && best.rule.priority > match.rule.priority ? best : match), null)
  if (ruled) return { match: ruled, row: layout.rows[ruled.rows[0]] ?? null }
  const moving = candidateRows(layout).find(row => {
    const track = trackOf(tracks, row)
    return track !== null && isMoving(track, frame.t)
  })
  if (moving) return { match: null, row: moving }
  return layout.workingRow === null ? null : { match: null, row: layout.rows[layout.workingRow]! }
}

export function nextTracks(frame: Frame, layout: Layout, memory: ScreenMemory): Track[] {
  return updateTracks(memory.tracks, candidateRows(layout), frame.t)
}

/**
 * Rows in which a sign of work may appear: between the newest block and the box, in the upper edge
 * of the box, in the footer, or as the mark of the newest block.
 */
const candidateRows = memoizeByObject(({ rows, regions, composer, blocks }: Layout): ScreenRow[] => {
  const newest = blocks.at(-1)
  return [
    ...(newest ? [rows[newest.first]!] : []),
    ...rowsOf(rows, regions.get('status')),
    ...(composer ? [rows[composer.first]!] : []),
    ...rowsOf(rows, regions.get('footer')),
  ].filter(row => row !== undefined && !isBlank(row))
})
