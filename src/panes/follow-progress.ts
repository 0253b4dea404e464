import type { ContentTracker } from './content-tracker.js'
import type { Counters } from './counters.js'
import type { Look } from './pane-screen.js'
import type { ProgressTracker } from './progress.js'
import type { SupervisedStatus } from './supervised-status.js'

/** Records the progress of a look. True if the content has changed. */
export function recordProgress(
  { frame, observation }: Look,
  t: number,
  { content, progress }: { content: ContentTracker; progress: ProgressTracker },
): boolean {
  const novelty = content.follow(frame, observation)
  if (novelty === 'news') progress.progressed(t)
  else if (novelty !== 'nothing') progress.moved(t)
  return novelty === 'news' || novelty === 'change'
}

/** Marks work without progress on the status, and counts it when it begins. */
export function markStuck(
  t: number,
  { status, progress, counters }: { status: SupervisedStatus; progress: ProgressTracker; counters: Counters },
): void {
  const { pane } = status
  const look = pane.screen.last
  const view = look?.observation.view
  const stuck = progress.judge({
    t,
    isActive: status.isActive,
    hasWorkingRow: look?.observation.busy === true && look.observation.anchored,
    isToolRunning: view === 'tool_running' || pane.state(t).reading.authority === 'shell',
    isExcused:
      (look?.observation.facets ?? []).some(({ name }) => name === 'retry' || name === 'background') ||
      view === 'parallel_agents',
  })
  if (status.setStuck(stuck) && stuck !== null) counters.add('pane.stuck', { agent: pane.pack.agent, kind: stuck })
}
