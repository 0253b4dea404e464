import { runState } from '../../../src/text/status-word'
import type { Run, RunNode, Timeline } from '../api/types'
import { controlRun } from '../store/actions'
import { canDecide } from '../store/live'
import { PlayIcon } from '../ui/icons'
import { runBadge, StatusIcon } from '../ui/status'
import { TimeSince } from '../ui/time'
import { ProgressBar } from './progress'
import { runNow } from './run-now'

/** What an open run does, or why it does nothing and how it continues. A request has its card. */
export function NowPanel({ run, nodes, timeline }: { run: Run; nodes: readonly RunNode[]; timeline: Timeline | null }) {
  const now = runNow(run, nodes, timeline)
  if (now === null) return null
  const badge = runBadge(runState(run))
  const mayResume = run.status === 'paused' || run.isUndriven
  const { progress } = run
  return (
    <section class={`panel result tone-${badge.tone}`} aria-label="Now">
      <header>
        <span class="badge">
          <StatusIcon shape={badge.shape} isLive={run.status === 'running' && !run.isUndriven} />
        </span>
        <h2 class="grow">
          {now.title}
          {now.since !== null && (
            <span class="small dim">
              {' '}
              for <TimeSince at={now.since} />
            </span>
          )}
        </h2>
        {progress && progress.of > 0 && (
          <span class="run-progress">
            <ProgressBar done={progress.done} of={progress.of} words={progressWords(progress)} />
            <span class="num small dim">{progressWords(progress)}</span>
          </span>
        )}
        {mayResume && (
          <button
            type="button"
            class="btn solid"
            disabled={!canDecide.value}
            onClick={() => void controlRun(run.id, 'resume', 'The run was resumed')}
          >
            <PlayIcon /> Resume
          </button>
        )}
      </header>
      {(now.text !== '' || run.isUndriven) && (
        <p class="result-facts small">
          <span>{now.text}</span>
          {run.isUndriven && run.next && (
            <span>
              In a terminal: <code>{run.next}</code>
            </span>
          )}
        </p>
      )}
    </section>
  )
}

function progressWords({ done, of, unit }: NonNullable<Run['progress']>): string {
  return `${done} of ${of} ${unit === 'nodes' ? 'steps' : 'rounds'}`
}
