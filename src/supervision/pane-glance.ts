import type { SessionPane } from './pane-board.js'
import { rawDoing } from './pane-info.js'
import type { TmuxPane } from './tmux-pane.js'

/** Everything that a description of a pane is made of, as values and references that are cheap to compare. */
export type Glance = readonly unknown[]

/**
 * A hundred idle panes are asked each second whether anything is new, and one at work twenty times: most looks at it bring a turned spinner
 * or another row of text, of which no list tells. To describe a pane costs redaction and many words; to compare what it would be made of
 * costs little. What a description takes in must stand here: time itself only where it changes a word.
 */
export function glanceAt(pane: SessionPane | TmuxPane, more: readonly unknown[]): Glance {
  const t = pane.now()
  const { supervisor } = pane
  const state = supervisor.state(t)
  const { staleFor, run: _run, claim, ...values } = state
  const { name, commandLine } = supervisor.job ?? {}
  const about = 'about' in pane ? Object.values(pane.about()) : [pane.info, pane.agent]
  return [
    staleFor === null,
    ...Object.values(values),
    claim?.is,
    rawDoing(supervisor.pane.state(t), state),
    stillTitle(supervisor.pane.screen.last?.frame.title ?? ''),
    name,
    commandLine,
    ...about,
    ...more,
  ]
}

/** Agents turn a spinner in their title ten times a second: the next thing that is told brings the title as it is. */
export function stillTitle(title: string): string {
  return title.replace(/^[^\p{L}\p{N}]+/u, '')
}

export function isSameGlance(before: Glance | undefined, now: Glance): boolean {
  return (
    before !== undefined && before.length === now.length && now.every((value, index) => Object.is(value, before[index]))
  )
}
