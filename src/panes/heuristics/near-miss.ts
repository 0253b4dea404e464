import type { HeuristicSignal } from './analyser.js'
import { type ContentFeatures, hasInterruptMark, isAnchor, isQuestion } from './content-features.js'
import { matchesAny, type Patterns } from './patterns.js'

/**
 * A text on the screen that matches a pattern in a place where it means nothing: a mark above the
 * live rows, a quoted mark or menu, a prompt or a question that is not before the cursor.
 */
export function nearMiss(
  features: ContentFeatures,
  patterns: Patterns,
): { signal: HeuristicSignal; reason: 'not_at_cursor' | 'outside_live_rows' | 'quoted' } | null {
  const { live, above, lastRow } = features
  const isMarkShown = live.some(row => matchesAny(patterns.interrupt, row))
  if (isMarkShown && !hasInterruptMark(features, patterns)) return { signal: 'heuristic_run', reason: 'quoted' }
  if (live.some(row => matchesAny(patterns.approval, row)) && !features.hasLiveMenu)
    return { signal: 'heuristic_wait', reason: 'quoted' }
  if (above.some(row => matchesAny(patterns.interrupt, row)))
    return { signal: 'heuristic_run', reason: 'outside_live_rows' }
  const there = { ...features, beforeCursor: lastRow, isCursorAtEnd: true }
  if (isQuestion(there, patterns)) return { signal: 'heuristic_wait', reason: 'not_at_cursor' }
  if (isAnchor(there, patterns, null)) return { signal: 'heuristic_done', reason: 'not_at_cursor' }
  return null
}
