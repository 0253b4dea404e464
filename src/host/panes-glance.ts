import type { SessionPane } from './panes-board.js'
import type { TmuxPane } from './panes-tmux.js'

/** Everything that a description of a pane is made of, as values and references that are cheap to compare. */
export type Glance = readonly unknown[]

/**
 * A hundred idle panes are asked each second whether anything is new. To describe one costs redaction and many words; to compare what it
 * would be made of costs nothing. What a description takes in must stand here: time itself only where it changes a word.
 */
export function glanceAt(pane: SessionPane | TmuxPane, more: readonly unknown[]): Glance {
  const t = pane.now()
  const { supervisor } = pane
  const { staleFor, run: _run, ...state } = supervisor.state(t)
  const { name, commandLine } = supervisor.job ?? {}
  const about = 'about' in pane ? Object.values(pane.about()) : [pane.info, pane.agent]
  return [staleFor === null, ...Object.values(state), name, commandLine, supervisor.pane.screen.last, ...about, ...more]
}

export function isSameGlance(before: Glance | undefined, now: Glance): boolean {
  return (
    before !== undefined && before.length === now.length && now.every((value, index) => Object.is(value, before[index]))
  )
}
