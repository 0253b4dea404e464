import type { HeuristicSignal } from './analyser.js'
import { matchesAny, type Patterns } from './patterns.js'
import { hasInterruptMark, isAnchor, isQuestion, type Sight } from './sight.js'

/**
 * A text on the screen that a pattern knows, at a place where it means nothing: a mark above the live rows, a mark or a menu that is only
 * quoted, a prompt or a question that the cursor does not stand behind.
 */
export function nearMiss(
  sight: Sight,
  patterns: Patterns,
): { signal: HeuristicSignal; reason: 'not_at_cursor' | 'outside_live_rows' | 'quoted' } | null {
  const { live, above, lastRow } = sight
  const isMarkShown = live.some(row => matchesAny(patterns.interrupt, row))
  if (isMarkShown && !hasInterruptMark(sight, patterns)) return { signal: 'heuristic_run', reason: 'quoted' }
  if (live.some(row => matchesAny(patterns.approval, row)) && !sight.hasLiveMenu)
    return { signal: 'heuristic_wait', reason: 'quoted' }
  if (above.some(row => matchesAny(patterns.interrupt, row)))
    return { signal: 'heuristic_run', reason: 'outside_live_rows' }
  const there = { ...sight, beforeCursor: lastRow, isCursorAtEnd: true }
  if (isQuestion(there, patterns)) return { signal: 'heuristic_wait', reason: 'not_at_cursor' }
  if (isAnchor(there, patterns, null)) return { signal: 'heuristic_done', reason: 'not_at_cursor' }
  return null
}
