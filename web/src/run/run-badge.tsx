import { runState } from '../../../src/text/status-word'
import type { Run } from '../api/types'
import { openApprovals } from '../store/needs'
import { runBadge, StatusBadge } from '../ui/status'

/**
 * The status of a run; one that no process drives is not running. A request reaches the page before
 * the run's own record says that it waits: the request counts.
 */
export function RunBadge({ run }: { run: Run }) {
  const { status, isUndriven } = run
  const isAsking =
    status === 'running' &&
    openApprovals.value.some(({ state, subject }) => state === 'pending' && subject.run === run.id)
  const badge = runBadge(isAsking && !isUndriven ? 'waiting' : runState(run))
  return <StatusBadge badge={badge} isLive={status === 'running' && !isAsking && !isUndriven} />
}
