import { blockersOf } from '../../approvals/index.js'
import { isEnded, listRuns } from '../../engine/index.js'
import { isPausedByBudget, paneNeedsYou, runNeedsYou } from '../../text/index.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { overview } from '../schemas/overview.js'
import { runView } from '../views/run-view.js'
import { sessionView } from '../views/session-view.js'

const RECENT_RUNS = 50
const RECENT_SESSIONS = 100

/** Everything that the first page shows, at one position of the log. */
export const overviewRoutes: readonly Route[] = [
  route({
    id: 'overview.get',
    method: 'GET',
    path: '/overview',
    summary: 'What needs you, and everything that runs.',
    access: 'viewer',
    answers: { 200: answer('a snapshot', overview) },
    handle: async call => {
      const { host, parts } = call
      const at = await call.position()
      const now = host.clock.now()
      const open = (await host.ledger.list({ isOpenOnly: true })).filter(({ state }) => state === 'pending')
      const behind = blockersOf(open)
      const approvals = open.map(record => {
        const first = behind.get(record.id)
        return first === undefined ? record : { ...record, behind: first }
      })
      const all = (await host.records()).reverse()
      const running = all.filter(({ state }) => state === 'live' || state === 'starting')
      const ended = all.filter(({ state }) => state === 'ended' || state === 'lost')
      const sessions = [...running, ...ended.slice(0, Math.max(0, RECENT_SESSIONS - running.length))]
      const runs = (await listRuns(host.store)).filter(({ isArchived }) => !isArchived)
      const shown = [...runs.filter(({ status }) => !isEnded(status)), ...runs.filter(({ status }) => isEnded(status))]
      shown.length = Math.min(shown.length, RECENT_RUNS)
      const views = await Promise.all(shown.map(record => runView(call, record)))
      const panes = parts.panes.list()
      const asking = new Set(open.map(({ subject }) => subject.session))
      const { isPaused } = await host.ledger.grants.switch()
      return call.json({
        needsYou: [
          ...approvals.map(({ id, display, subject, risk, requestedAt }) => ({
            kind: 'approval' as const,
            id,
            title: display.title,
            project: subject.project,
            agent: subject.agent,
            risk: risk.level,
            since: requestedAt,
          })),
          ...views
            .filter(view => runNeedsYou(view, now))
            .map(({ id, title, project, endedAt, updatedAt }) => ({
              kind: 'run' as const,
              id,
              title,
              project,
              agent: null,
              risk: null,
              since: endedAt ?? updatedAt,
            })),
          ...running.filter(isPausedByBudget).map(({ id, title, label, agent, project, paused }) => ({
            kind: 'session' as const,
            id,
            title: label ?? title ?? agent,
            project,
            agent,
            risk: null,
            since: paused!.since,
          })),
          ...panes
            .filter(found => paneNeedsYou(found, asking))
            .map(({ id, doing, title, cwd, agent, since }) => ({
              kind: 'pane' as const,
              id,
              title: doing || title,
              project: cwd,
              agent,
              risk: null,
              since,
            })),
        ],
        approvals,
        sessions: sessions.map(record => sessionView(host, record)),
        panes,
        runs: views,
        grants: { items: await host.ledger.grants.list(), isPaused },
        spendToday: { ...(await host.budgets.today()), budgetUsd: parts.home().loaded.config.runs.day_usd },
        workers: (await parts.workers?.list())?.length ?? 0,
        health: { version: parts.version, startedAt: parts.startedAt, isReadOnly: parts.settings.isReadOnly },
        now,
        position: at,
      })
    },
  }),
]
