import type { Run, RunNode } from '../api/types'
import { canDecide } from '../store/live'
import { sentence } from '../store/toasts'
import { PlayIcon } from '../ui/icons'
import { runBadge, StatusIcon } from '../ui/status'
import { Took } from '../ui/time'
import { canRunAgain, runAgain } from './run-again'

/** Where a run was when a person cancelled it, and how to start over. */
export function CancelledPanel({ run, nodes }: { run: Run; nodes: readonly RunNode[] }) {
  const at = nodes.find(({ status }) => status === 'cancelled')
  return (
    <section class="panel result" aria-label="Cancelled">
      <header>
        <span class="badge tone-muted">
          <StatusIcon shape={runBadge('cancelled').shape} />
        </span>
        <h2 class="grow">
          {at ? `Cancelled at “${at.label}”` : 'Cancelled'}
          <span class="small dim">
            {' '}
            after <Took from={run.startedAt ?? run.createdAt} to={run.endedAt} />
          </span>
        </h2>
        {canRunAgain(run, nodes) && (
          <button type="button" class="btn solid" disabled={!canDecide.value} onClick={() => void runAgain(run, nodes)}>
            <PlayIcon /> Run again
          </button>
        )}
      </header>
      <p class="result-facts small">
        <span>
          {run.why ? sentence(run.why) : 'A cancelled run cannot be resumed. Fork it to continue from a step.'}
        </span>
      </p>
    </section>
  )
}
