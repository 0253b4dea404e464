import { baseName, formatCost } from '../api/format'
import type { Run } from '../api/types'
import { Took } from '../ui/time'
import { outcomeOf } from './outcome'
import { RunBadge } from './run-badge'
import { runKind } from './run-kind'
import { stepName } from './step-name'

/** A run in a list: its status, its name, its current step and what it cost. */
export function RunLine({ run }: { run: Run }) {
  const outcome = outcomeOf(run)
  return (
    <a class="line-item" href={`/r/${run.id}`}>
      <RunBadge run={run} />
      <span class="what">
        <span class="cut" style={{ display: 'block' }}>
          <span class="strong">{run.title}</span>
          {run.step && run.endedAt === null && <span class="soft"> · {placeOf(run)}</span>}
        </span>
        <span class="small dim cut" style={{ display: 'block' }}>
          {runKind(run)} · {baseName(run.project)}
          {run.workerName && ` · on ${run.workerName}`}
          {outcome !== null && ` · ${outcome}`}
        </span>
      </span>
      <span class="meta">
        {run.usage.costUsd !== undefined && <span class="num">{formatCost(run.usage)}</span>}
        <Took from={run.startedAt ?? run.createdAt} to={run.endedAt} />
      </span>
    </a>
  )
}

/** The label of the node where the run is; a run without a graph has only the name of its step. */
function placeOf({ progress, step }: Run): string {
  return (progress?.unit === 'nodes' ? progress.node : null) ?? stepName(step!)
}
