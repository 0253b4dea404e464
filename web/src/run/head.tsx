import { isOpenRun } from '../../../src/text/needs-you'
import { baseName, formatCost, formatCount } from '../api/format'
import type { Run, RunNode } from '../api/types'
import { cancelAfterAsking, controlRun } from '../store/actions'
import { canDecide } from '../store/live'
import { attempt } from '../store/toasts'
import { request } from '../transport/request'
import { download } from '../ui/download'
import { PlayIcon, StopIcon } from '../ui/icons'
import { Menu } from '../ui/menu'
import { TimeSince, Took } from '../ui/time'
import { canRunAgain, runAgain } from './run-again'
import { RunBadge } from './run-badge'
import { runKind } from './run-kind'

export function RunHead({ run, nodes, onFork }: { run: Run; nodes: readonly RunNode[]; onFork(): void }) {
  const exportAs = (format: string) =>
    attempt(async () => {
      const response = await request(`/runs/${run.id}/export?format=${format}`)
      download(`${run.id}.${format}.json`, await response.arrayBuffer(), 'application/octet-stream')
    })
  const copyDot = () =>
    attempt(
      async () => navigator.clipboard.writeText(await (await request(`/runs/${run.id}/graph?format=dot`)).text()),
      'DOT copied',
    )
  // A cancelled run has the button in its panel.
  const isOverHere = run.status === 'completed' || run.status === 'failed'
  const copyId = () => attempt(() => navigator.clipboard.writeText(run.id), 'Run id copied')
  return (
    <div class="page-head">
      <div class="grow">
        <div class="row wrap" style={{ rowGap: '2px' }}>
          <h1>{run.title}</h1>
          <RunBadge run={run} />
        </div>
        <p class="small dim facts dots">
          <span>{runKind(run)}</span>
          <span title={run.project}>{baseName(run.project)}</span>
          {run.endedAt !== null && (
            <span>
              took <Took from={run.startedAt ?? run.createdAt} to={run.endedAt} />
            </span>
          )}
          {run.usage.input + run.usage.output > 0 && (
            <span>
              {run.usage.costUsd !== undefined && `${formatCost(run.usage)} · `}
              {formatCount(run.usage.input + run.usage.output)} tokens
            </span>
          )}
          <TimeSince at={run.createdAt} prefix="started " suffix=" ago" />
          {run.from && (
            <a class="link" href={`/r/${run.from.run}`}>
              {run.from.as} of another run
            </a>
          )}
        </p>
      </div>
      <div class="actions">
        {(run.status === 'running' || run.status === 'waiting') && !run.isUndriven && (
          <button
            type="button"
            class="btn"
            disabled={!canDecide.value}
            onClick={() => void controlRun(run.id, 'pause', 'The run was paused')}
          >
            Pause
          </button>
        )}
        {canRunAgain(run, nodes) && isOverHere && (
          <button type="button" class="btn" disabled={!canDecide.value} onClick={() => void runAgain(run, nodes)}>
            <PlayIcon /> Run again
          </button>
        )}
        {isOpenRun(run) && (
          <button
            type="button"
            class="btn danger"
            disabled={!canDecide.value}
            onClick={() => void cancelAfterAsking(run)}
          >
            <StopIcon /> Cancel
          </button>
        )}
        <Menu label="More actions">
          {canRunAgain(run, nodes) && !isOverHere && (
            <button type="button" disabled={!canDecide.value} onClick={() => void runAgain(run, nodes)}>
              Run again
            </button>
          )}
          <button type="button" disabled={!canDecide.value} onClick={onFork}>
            Fork…
          </button>
          <a href={`/requests?run=${run.id}`}>History of requests</a>
          <hr />
          <button type="button" onClick={() => void copyDot()}>
            Copy DOT
          </button>
          <button type="button" onClick={() => void exportAs('bundle')}>
            Export (bundle)
          </button>
          {run.kind === 'graph' && (
            <button type="button" onClick={() => void exportAs('attractor')}>
              Export (attractor format)
            </button>
          )}
          {run.kind === 'oneshot' && (
            <button type="button" onClick={() => void exportAs('oneshot')}>
              Export (oneshot files)
            </button>
          )}
          <button type="button" onClick={() => void copyId()}>
            Copy run id
          </button>
        </Menu>
      </div>
    </div>
  )
}
