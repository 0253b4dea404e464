import { computed } from '@preact/signals'
import { isPausedByBudget, paneNeedsYou, runNeedsYou } from '../../../src/text/needs-you'
import { timeOf } from '../api/format'
import type { Approval, Pane, Run, Session } from '../api/types'
import { approvals, panes, runs, sessions } from './live'
import { dismissedRuns } from './prefs'

/** Open requests, oldest first. A decided request stays until the agent has applied it. */
export const openApprovals = computed<Approval[]>(() =>
  approvals.all.value
    .filter(({ state }) => state === 'pending' || state === 'decided')
    .sort((a, b) => timeOf(a.requestedAt) - timeOf(b.requestedAt)),
)

const pendingCount = computed(() => openApprovals.value.filter(({ state }) => state === 'pending').length)

/**
 * Runs that no process drives, and those that failed in the last 24 hours and were not dismissed,
 * newest first.
 */
export const runsThatNeedYou = computed<Run[]>(() =>
  runs.all.value
    .filter(
      ({ id, isUndriven, status, endedAt }) =>
        !dismissedRuns.value.includes(id) &&
        runNeedsYou({ isUndriven, status, endedAt: endedAt === null ? null : timeOf(endedAt) }, Date.now()),
    )
    .sort((a, b) => timeOf(b.endedAt ?? b.updatedAt) - timeOf(a.endedAt ?? a.updatedAt)),
)

/** Panes that wait for you or are stuck, without those that have an open request. */
export const panesThatNeedYou = computed<Pane[]>(() => {
  const covered = new Set(openApprovals.value.map(({ subject }) => subject.session))
  return panes.all.value.filter(pane => paneNeedsYou(pane, covered))
})

/** Live sessions that have used their budget. */
export const pausedSessions = computed<Session[]>(() => sessions.all.value.filter(isPausedByBudget))

export const needsCount = computed(
  () => pendingCount.value + runsThatNeedYou.value.length + panesThatNeedYou.value.length + pausedSessions.value.length,
)
