import { computed } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { budgetSentence } from '../../../src/text/budget-words'
import { knownCost, unpricedText } from '../../../src/text/cost-words'
import { isOpenRun } from '../../../src/text/needs-you'
import { baseName, formatCount, formatMoney, plural, timeOf } from '../api/format'
import type { Approval, Pane, Run, Session } from '../api/types'
import { BatchBar } from '../approval/batch-bar'
import { ApprovalCard } from '../approval/card'
import { targetCard } from '../approval/card-keys'
import { StandingApprovals } from '../approval/standing-list'
import { outcomeOf } from '../run/outcome'
import { RunBadge } from '../run/run-badge'
import { RunLine } from '../run/run-line'
import { LiveSessionLine, SessionLine } from '../session-list/session-line'
import { WorkingSession } from '../session-list/working-session'
import { RaiseBudget } from '../session-page/budget'
import { usePageKeys, useSelectedItem } from '../shell/keyboard'
import { StartCommand } from '../start/start-command'
import { StartLinks } from '../start/start-links'
import { acknowledgePane } from '../store/actions'
import { approvals, canDecide, grants, me, panes, runs, sessions, spend } from '../store/live'
import { needsCount, openApprovals, panesThatNeedYou, pausedSessions, runsThatNeedYou } from '../store/needs'
import { dismissedRuns, isWelcomed } from '../store/prefs'
import { go } from '../store/router'
import { sessionName } from '../store/session-name'
import { CostFigure } from '../ui/cost-figure'
import { HistoryIcon, PlusIcon } from '../ui/icons'
import { Empty, Section } from '../ui/panel'
import { isLiveSession, paneBadge, StatusBadge, sessionBadge } from '../ui/status'
import { TimeSince } from '../ui/time'
import { Welcome } from './welcome'

/**
 * How long a decided card stays in its place, so that its outcome appears where the person pressed.
 */
const LINGER_MS = 4_000

const liveSessions = computed(() => sessions.all.value.filter(isLiveSession).sort((a, b) => rank(a) - rank(b)))
const openRuns = computed(() => runs.all.value.filter(isOpenRun))

export function OverviewPage() {
  const shown = useLingering(openApprovals.value)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const picked = useSelectedItem(shown.map(({ id }) => id))
  usePageKeys({
    move: step => {
      const id = picked.move(step)
      if (id === null) return
      targetCard(id)
      const card = document.querySelector<HTMLElement>(`[data-approval="${id}"]`)
      card?.focus({ preventScroll: true })
      card?.scrollIntoView({ block: 'nearest' })
    },
    open: () => {
      const { session, run } = shown.find(({ id }) => id === picked.now())?.subject ?? {}
      if (session) go(`/s/${session}`)
      else if (run) go(`/r/${run}`)
    },
    select: () => {
      const id = picked.now()
      if (id !== null) select(id, !selected.has(id))
    },
  })
  const select = (id: string, isOn: boolean) => {
    const next = new Set(selected)
    if (isOn) next.add(id)
    else next.delete(id)
    setSelected(next)
  }
  // A new request does not draw the running sessions again.
  const live = useMemo(
    () => ({
      lines: <Running sessions={liveSessions.value} runs={openRuns.value} />,
      preview: <WorkingSession sessions={liveSessions.value} />,
    }),
    [liveSessions.value, openRuns.value],
  )
  const isNew = !isWelcomed.value && !me.value?.isDemo && !me.value?.isReadOnly
  // Before anything was started, the first steps are the page.
  const isFirst = isNew && sessions.all.value.length + runs.all.value.length + needsCount.value === 0
  return (
    <div class="page">
      <div class="page-head">
        <h1>
          {needsCount.value > 0 ? 'Needs you' : isFirst ? 'Welcome to Signalbox' : 'Nothing needs you'}
          {needsCount.value > 0 && <span class="of num">{needsCount.value}</span>}
        </h1>
        <div class="actions beside">
          {!isFirst && (
            <a class="btn" href="/requests" aria-label="History" title="History of requests">
              <HistoryIcon /> <span class="wide-only">History</span>
            </a>
          )}
          <a class="btn solid narrow-only" href="/start">
            <PlusIcon /> Start
          </a>
        </div>
      </div>
      <div class="with-aside">
        <div>
          <BatchBar approvals={shown.filter(({ id }) => selected.has(id))} onDone={() => setSelected(new Set())} />
          {(shown.length > 0 || needsCount.value > 0) && (
            <section class="section" aria-label="Requests">
              <h2 class="sr">Requests</h2>
              <div class="cards">
                {shown.map(approval => (
                  <ApprovalCard
                    key={approval.id}
                    approval={approval}
                    isPicked={approval.id === picked.drawn}
                    isSelected={selected.has(approval.id)}
                    onSelect={isOn => select(approval.id, isOn)}
                  />
                ))}
              </div>
              <OtherNeeds panes={panesThatNeedYou.value} runs={runsThatNeedYou.value} paused={pausedSessions.value} />
            </section>
          )}
          {isNew && <Welcome />}
          {!isFirst && live.lines}
          <Recent sessions={sessions.all.value} runs={runs.all.value} />
        </div>
        {!isFirst && (
          <aside class="aside" aria-label="Today">
            {live.preview}
            <Today />
            <StandingApprovals items={grants.all.value.filter(grant => !grant.ended)} />
          </aside>
        )}
      </div>
    </div>
  )
}

/** Working sessions first, then those that wait for a decision, then idle ones. */
function rank(session: Session): number {
  return { active: 0, warning: 1, danger: 1, done: 2, muted: 3 }[sessionBadge(session, panes.peek(session.id)).tone]
}

/**
 * Keeps decided cards in their place for a moment, so that the cards below do not move under the
 * pointer.
 */
function useLingering(open: readonly Approval[]): Approval[] {
  const left = useRef(new Map<string, { approval: Approval; until: number }>())
  const [, tick] = useState(0)
  const known = useRef<readonly Approval[]>([])
  const ids = new Set(open.map(({ id }) => id))
  for (const before of known.current)
    if (!ids.has(before.id)) left.current.set(before.id, { approval: before, until: Date.now() + LINGER_MS })
  known.current = open
  useEffect(() => {
    if (left.current.size === 0) return
    const timer = setTimeout(() => {
      for (const [id, { until }] of left.current) if (until <= Date.now()) left.current.delete(id)
      tick(count => count + 1)
    }, LINGER_MS + 50)
    return () => clearTimeout(timer)
  })
  const lingering = [...left.current.values()]
    .filter(({ until }) => until > Date.now())
    .map(({ approval }) => latest(approval))
  return [...open, ...lingering].sort((a, b) => timeOf(a.requestedAt) - timeOf(b.requestedAt))
}

function latest(approval: Approval): Approval {
  return approvals.get(approval.id) ?? { ...approval, state: approval.state === 'pending' ? 'stale' : approval.state }
}

function dismissRun({ id }: Run): void {
  dismissedRuns.value = [...dismissedRuns.value.slice(-200), id]
}

/**
 * Runs that failed or that no process drives, panes that wait without a request, and sessions that
 * have used their budget.
 */
function OtherNeeds({
  panes: waiting,
  runs: failed,
  paused,
}: {
  panes: readonly Pane[]
  runs: readonly Run[]
  paused: readonly Session[]
}) {
  if (waiting.length + failed.length + paused.length === 0) return null
  return (
    <ul class="list" style={{ marginTop: '12px' }}>
      {paused.map(session => (
        <li key={session.id} class="line-item">
          <StatusBadge badge={sessionBadge(session, panes.get(session.id))} />
          <a class="what" href={`/s/${session.id}`}>
            <span class="cut strong block" dir="auto">
              {sessionName(session)}
            </span>
            <span class="small soft cut block">{budgetSentence(session.paused!)}</span>
          </a>
          <span class="meta" style={{ alignItems: 'center' }}>
            <TimeSince at={session.paused!.since} suffix=" ago" />
            <RaiseBudget session={session} />
          </span>
        </li>
      ))}
      {failed.map(run => (
        <li key={run.id} class="line-item">
          <RunBadge run={run} />
          <a class="what" href={`/r/${run.id}`}>
            <span class="cut strong block">{run.title}</span>
            <span class="small soft cut block">
              {outcomeOf(run) ?? 'Open it to see why'}
              {run.isUndriven && run.next && ` · ${run.next}`}
            </span>
          </a>
          <span class="meta" style={{ alignItems: 'center' }}>
            <TimeSince at={run.endedAt ?? run.updatedAt} suffix=" ago" />
            <button type="button" class="btn" onClick={() => dismissRun(run)}>
              Dismiss
            </button>
          </span>
        </li>
      ))}
      {waiting.map(pane => (
        <li key={pane.id} class="line-item">
          <StatusBadge badge={paneBadge(pane)} />
          <a class="what" href={pane.source === 'session' ? `/s/${pane.id}` : '/sessions?view=wall'}>
            <span class="cut strong block">{pane.doing || pane.title || pane.name}</span>
            <span class="small soft cut block">
              {pane.agent ?? pane.command} · {baseName(pane.cwd)}
              {pane.source === 'tmux' && ` · tmux ${pane.place}`}
            </span>
          </a>
          <span class="meta" style={{ alignItems: 'center' }}>
            <TimeSince at={pane.waitedSince ?? pane.since} />
            <button type="button" class="btn" disabled={!canDecide.value} onClick={() => void acknowledgePane(pane.id)}>
              Mark as seen
            </button>
          </span>
        </li>
      ))}
    </ul>
  )
}

function Running({ sessions: live, runs: open }: { sessions: readonly Session[]; runs: readonly Run[] }) {
  if (live.length + open.length === 0)
    return (
      <Section title="Live">
        <Empty title="No live sessions">
          <p>Start an agent here, or from a terminal:</p>
          <StartCommand />
          {isWelcomed.value && <StartLinks />}
        </Empty>
      </Section>
    )
  return (
    <Section title="Live" of={live.length + open.length} tone="active">
      <ul class="list lines">
        {open.map(run => (
          <li key={run.id}>
            <RunLine run={run} />
          </li>
        ))}
        {live.map(session => (
          <li key={session.id}>
            <LiveSessionLine session={session} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

const RECENT_MAX = 6

function Recent({ sessions: all, runs: ended }: { sessions: readonly Session[]; runs: readonly Run[] }) {
  const items = [
    ...all
      .filter(session => !isLiveSession(session))
      .map(session => ({ at: timeOf(session.endedAt ?? session.startedAt), session, run: null })),
    ...ended
      .filter(run => !isOpenRun(run) && run.status !== 'failed')
      .map(run => ({ at: timeOf(run.endedAt ?? run.updatedAt), session: null, run })),
  ]
    .sort((a, b) => b.at - a.at)
    .slice(0, RECENT_MAX)
  if (items.length === 0) return null
  return (
    <Section title="Recently ended">
      <ul class="list">
        {items.map(({ session, run }) =>
          run ? (
            <li key={run.id}>
              <RunLine run={run} />
            </li>
          ) : (
            <li key={session!.id}>
              <SessionLine session={session!} pane={undefined} />
            </li>
          ),
        )}
      </ul>
    </Section>
  )
}

function Today() {
  const today = spend.value
  const budget = today?.budgetUsd ?? null
  const share = today && budget ? today.costUsd / budget : null
  // An agent that reports tokens and no cost costs an unknown amount, not nothing.
  const cost = today ? knownCost(today.costUsd, today.unpriced) : { costUsd: 0 }
  const isUnknown = cost.costUsd === undefined
  const without = today && unpricedText(today.unpriced)
  return (
    <section class="panel" aria-label="Spend today">
      <div class="pad stack">
        <div class="stat">
          <b>{isUnknown ? `${formatCount(today?.tokens ?? 0)} tokens` : <CostFigure cost={cost} />}</b>
          <span>
            today · {isUnknown ? 'cost unknown' : `${formatCount(today?.tokens ?? 0)} tokens`} ·{' '}
            {plural(today?.runs ?? 0, 'run')}
          </span>
        </div>
        {without && <p class="tiny dim">{without}</p>}
        {share !== null && (
          <>
            <div class={`bar ${share > 1 ? 'tone-danger' : share > 0.8 ? 'tone-warning' : 'tone-active'}`}>
              <i style={{ width: `${Math.min(100, share * 100)}%` }} />
            </div>
            <p class="tiny dim">
              {without ? 'At least ' : ''}
              {Math.round(share * 100)}% of today’s {formatMoney(budget ?? 0)} budget
              {share > 1 && ', exceeded'}
            </p>
          </>
        )}
        <a class="small link" href="/usage">
          Usage
        </a>
      </div>
    </section>
  )
}
