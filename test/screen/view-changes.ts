import type { PaneState } from '../../src/panes/index.js'
import type { Observation } from '../../src/screen/index.js'

/** What a settled screen was read as. */
export interface ReadView {
  t: number
  view: string
  awaiting: string | null
  busy: boolean | null
  rule: string
  /** The rows of the menu, if one is shown. */
  menu: { first: number; text: string } | null
}

/** A view together with the rows of its screen. */
export interface SettledView extends ReadView {
  rowsAt(first: number, count: number): string
}

export function settledViews(states: Iterable<PaneState>): SettledView[] {
  const views: SettledView[] = []
  for (const { t, view, awaiting, busy, isSettled, look } of states) {
    if (!isSettled) continue
    const lines = look?.frame.lines ?? []
    const rowsAt = (first: number, count: number) =>
      lines
        .slice(first, first + count)
        .map(row => row.text.trimEnd())
        .join('\n')
    const shown = look?.observation as Observation<'tool_menu'> | undefined
    const rows = view === 'tool_menu' ? shown?.payload.menu?.rows : null
    const menu = rows ? { first: rows[0], text: rowsAt(rows[0], rows[1] - rows[0] + 1) } : null
    views.push({ t, view, awaiting, busy, rule: look?.observation.rule ?? 'none', menu, rowsAt })
  }
  return views
}

/** Changes of view that cannot happen without input of a person. */
export function impossibleChanges(views: readonly SettledView[], inputs: readonly number[]): string[] {
  return views.flatMap((now, index) => {
    const before = views[index - 1]
    if (!before || inputs.some(t => t > before.t - 0.5 && t <= now.t)) return []
    const menu = before.menu
    const isImpossible =
      // The menu is still on the screen, unchanged.
      (now.view === 'idle_prompt' &&
        menu !== null &&
        now.rowsAt(menu.first, menu.text.split('\n').length) === menu.text) ||
      (before.view === 'idle_prompt' && now.view === 'tool_result') ||
      (before.view !== 'startup' && before.view !== 'unknown' && now.view === 'startup') ||
      (before.view === 'auth_required' && now.view === 'thinking')
    return isImpossible ? [`${before.view} → ${now.view} at ${now.t.toFixed(2)} (${now.rule})`] : []
  })
}

/** Idle periods of less than two seconds during work that no person interrupted. */
export function flickers(views: readonly SettledView[], inputs: readonly number[]): string[] {
  const found: string[] = []
  let idleSince: number | null = null
  views.forEach((now, index) => {
    const isIdle = now.busy === false && now.awaiting === null && now.view !== 'unknown'
    if (views[index - 1]?.busy === true && isIdle) idleSince = now.t
    else if (now.busy === true && idleSince !== null) {
      const since = idleSince
      if (now.t - since < 2 && !inputs.some(t => t >= since - 0.3 && t <= now.t))
        found.push(`${since.toFixed(2)}–${now.t.toFixed(2)}`)
      idleSince = null
    }
  })
  return found
}
