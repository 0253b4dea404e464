import { computed } from '@preact/signals'
import { timeOf } from '../api/format'
import type { Approval, Pane, Run } from '../api/types'
import { approvals, panes, runs } from './live'

/** Open requests, those that block others and the oldest first. What was decided just now stays until its outcome was seen. */
export const openApprovals = computed<Approval[]>(() =>
  approvals.all.value
    .filter(({ state }) => state === 'pending' || state === 'decided')
    .sort((a, b) => timeOf(a.requestedAt) - timeOf(b.requestedAt)),
)

export const pendingCount = computed(() => openApprovals.value.filter(({ state }) => state === 'pending').length)

/** Runs that ended badly and were not looked at again, newest first. */
export const failedRuns = computed<Run[]>(() =>
  runs.all.value
    .filter(({ status, endedAt }) => (status === 'failed' || status === 'rejected') && isRecent(endedAt))
    .sort((a, b) => timeOf(b.endedAt ?? 0) - timeOf(a.endedAt ?? 0)),
)

/** Panes that wait, failed or stand still, without an approval that says it already. */
export const needyPanes = computed<Pane[]>(() => {
  const covered = new Set(openApprovals.value.map(({ subject }) => subject.session))
  return panes.all.value.filter(
    pane => (pane.needsYou || pane.stuck !== null) && !covered.has(pane.id) && pane.approval === undefined,
  )
})

export const needsCount = computed(() => pendingCount.value + failedRuns.value.length + needyPanes.value.length)

function isRecent(at: Run['endedAt']): boolean {
  return at !== null && Date.now() - timeOf(at) < 24 * 3_600_000
}
