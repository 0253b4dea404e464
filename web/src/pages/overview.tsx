import { computed } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { baseName, formatCount, formatMoney, plural, timeOf } from '../api/format'
import type { Approval, Grant, Pane, Run, Session } from '../api/types'
import { BatchBar } from '../approval/batch-bar'
import { ApprovalCard } from '../approval/card'
import { usePageKeys } from '../shell/keyboard'
import { acknowledgePane, pauseGrants, revokeGrant } from '../store/actions'
import { approvals, areGrantsPaused, canDecide, grants, runs, sessions, spend } from '../store/live'
import { failedRuns, needsCount, needyPanes, openApprovals } from '../store/needs'
import { go } from '../store/router'
import { PlusIcon } from '../ui/icons'
import { Empty, Section } from '../ui/panel'
import { isLiveSession, isOpenRun, paneAspect, runAspect, StatusBadge, sessionAspect } from '../ui/status'
import { Age, Left } from '../ui/time'
import { AtWork } from './at-work'
import { LiveSessionLine, RunLine, SessionLine } from './lines'

/** How long a decided card stays in its place, so that its outcome is seen where the press was. */
const LINGER_MS = 4_000

const running = computed(() => sessions.all.value.filter(isLiveSession).sort((a, b) => attention(a) - attention(b)))
const working = computed(() => runs.all.value.filter(isOpenRun))

export function OverviewPage() {
  const shown = useLingering(openApprovals.value)
  const [at, setAt] = useState(-1)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const picked = shown[at]?.id
  usePageKeys({
    move: step => {
      const next = Math.max(0, Math.min(shown.length - 1, at + step))
      setAt(next)
      const card = document.querySelector<HTMLElement>(`[data-approval="${shown[next]?.id}"]`)
      card?.focus({ preventScroll: true })
      card?.scrollIntoView({ block: 'nearest' })
    },
    open: () => {
      const { session, run } = shown[at]?.subject ?? {}
      if (session) go(`/s/${session}`)
      else if (run) go(`/r/${run}`)
    },
    select: () => {
      if (!picked) return
      const next = new Set(selected)
      if (!next.delete(picked)) next.add(picked)
      setSelected(next)
    },
  })
  // What runs is not made again because somebody is asked.
  const atWork = useMemo(
    () => ({
      lines: <Running sessions={running.value} runs={working.value} />,
      one: <AtWork sessions={running.value} />,
    }),
    [running.value, working.value],
  )
  return (
    <div class="page">
      <div class="page-head">
        <h1>
          {needsCount.value === 0
            ? 'Nothing needs you'
            : `${plural(needsCount.value, 'thing')} ${needsCount.value === 1 ? 'needs' : 'need'} you`}
        </h1>
        <div class="actions">
          <a class="btn solid" href="/start">
            <PlusIcon /> Start
          </a>
        </div>
      </div>
      <div class="with-aside">
        <div>
          {(shown.length > 0 || needsCount.value > 0) && (
            <Section
              title="Needs you"
              of={shown.length > 0 ? plural(shown.length, 'request') : undefined}
              tone="caution"
            >
              <div class="cards">
                {shown.map(approval => (
                  <ApprovalCard
                    key={approval.id}
                    approval={approval}
                    isPicked={approval.id === picked}
                    isSelected={selected.has(approval.id)}
                  />
                ))}
              </div>
              <Needy panes={needyPanes.value} runs={failedRuns.value} />
            </Section>
          )}
          <BatchBar approvals={shown.filter(({ id }) => selected.has(id))} onDone={() => setSelected(new Set())} />
          {atWork.lines}
          <Done sessions={sessions.all.value} runs={runs.all.value} />
        </div>
        <aside class="aside" aria-label="Today">
          {atWork.one}
          <Today />
          <Grants items={grants.all.value.filter(grant => !grant.ended)} />
        </aside>
      </div>
    </div>
  )
}

/** Moving first, then what waits for the cards above, then what rests. */
function attention(session: Session): number {
  return { clear: 0, caution: 1, danger: 1, lunar: 2, unlit: 3 }[sessionAspect(session).tone]
}

/** Keeps what has just been decided in its place for a moment: cards below must not jump under somebody's finger. */
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

function Needy({ panes: needy, runs: failed }: { panes: readonly Pane[]; runs: readonly Run[] }) {
  if (needy.length + failed.length === 0) return null
  return (
    <ul class="list" style={{ marginTop: '12px' }}>
      {failed.map(run => (
        <li key={run.id}>
          <a class="line-item" href={`/r/${run.id}`}>
            <StatusBadge aspect={runAspect(run.status)} />
            <span class="what">
              <span class="cut strong" style={{ display: 'block' }}>
                {run.title}
              </span>
              <span class="small soft cut" style={{ display: 'block' }}>
                {run.reason}
              </span>
            </span>
            <span class="meta">
              <Age at={run.endedAt ?? run.updatedAt} suffix=" ago" />
            </span>
          </a>
        </li>
      ))}
      {needy.map(pane => (
        <li key={pane.id} class="line-item">
          <StatusBadge aspect={paneAspect(pane)} />
          <a class="what" href={pane.source === 'session' ? `/s/${pane.id}` : '/panes'}>
            <span class="cut strong" style={{ display: 'block' }}>
              {pane.doing || pane.title || pane.name}
            </span>
            <span class="small soft cut" style={{ display: 'block' }}>
              {pane.agent ?? pane.command} · {baseName(pane.cwd)} · by {pane.why.authority}
            </span>
          </a>
          <span class="meta" style={{ alignItems: 'center' }}>
            <Age at={pane.waitedSince ?? pane.since} />
            <button type="button" class="btn" disabled={!canDecide.value} onClick={() => void acknowledgePane(pane.id)}>
              Seen
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
      <Section title="Running">
        <Empty title="No agents yet">
          <p>Start one here, or from a terminal:</p>
          <code>signalbox start claude --attach</code>
          <div class="row" style={{ marginTop: '8px' }}>
            <a class="btn solid" href="/start">
              Start
            </a>
            <a class="btn" href="/start?agent=demo">
              Demo agent
            </a>
          </div>
        </Empty>
      </Section>
    )
  return (
    <Section title="Running" of={live.length + open.length} tone="clear">
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

const DONE_MOST = 6

function Done({ sessions: all, runs: ended }: { sessions: readonly Session[]; runs: readonly Run[] }) {
  const items = [
    ...all
      .filter(session => !isLiveSession(session))
      .map(session => ({ at: timeOf(session.endedAt ?? session.startedAt), session, run: null })),
    ...ended
      .filter(run => !isOpenRun(run) && run.status !== 'failed')
      .map(run => ({ at: timeOf(run.endedAt ?? run.updatedAt), session: null, run })),
  ]
    .sort((a, b) => b.at - a.at)
    .slice(0, DONE_MOST)
  if (items.length === 0) return null
  return (
    <Section title="Recently done">
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
  const share = today?.budgetUsd ? today.costUsd / today.budgetUsd : null
  return (
    <section class="panel" aria-label="Spend today">
      <div class="pad stack">
        <div class="stat">
          <b>{formatMoney(today?.costUsd ?? 0)}</b>
          <span>
            today · {formatCount(today?.tokens ?? 0)} tokens · {plural(today?.runs ?? 0, 'run')}
          </span>
        </div>
        {share !== null && (
          <>
            <div class={`bar ${share > 1 ? 'tone-danger' : share > 0.8 ? 'tone-caution' : 'tone-clear'}`}>
              <i style={{ width: `${Math.min(100, share * 100)}%` }} />
            </div>
            <p class="tiny dim">
              {Math.round(share * 100)} % of the {formatMoney(today?.budgetUsd ?? 0)} for a day
              {share > 1 && ': used up'}
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

function Grants({ items }: { items: readonly Grant[] }) {
  const isPaused = areGrantsPaused.value
  return (
    <section class="panel" aria-label="Grants">
      <header>
        <h2>Grants</h2>
        <span class="grow">{items.length || ''}</span>
        {items.length > 0 && (
          <button
            type="button"
            class="btn quiet"
            disabled={!canDecide.value}
            onClick={() => void pauseGrants(!isPaused)}
          >
            {isPaused ? 'Resume' : 'Pause all'}
          </button>
        )}
      </header>
      {items.length === 0 ? (
        <p class="pad small soft">No grant is in force: every request comes to you.</p>
      ) : (
        <ul>
          {items.map(grant => (
            <li key={grant.id} class="pad row top" style={{ borderTop: '1px solid var(--line)' }}>
              <span class="grow small">
                <span class="strong">{grant.tools.join(', ')}</span>{' '}
                {grant.match.kind === 'prefix' ? (
                  <code>{grant.match.words?.join(' ')} …</code>
                ) : grant.match.kind === 'path' ? (
                  <code>{grant.match.directory}</code>
                ) : (
                  'the same request'
                )}
                <br />
                <span class="dim tiny">
                  {grant.scope.kind} · {isPaused ? 'rests' : <Left until={grant.expiresAt} />} ·{' '}
                  {grant.uses ?? grant.used ?? 0} of {grant.maxUses}
                </span>
              </span>
              <button
                type="button"
                class="btn quiet"
                disabled={!canDecide.value}
                onClick={() => void revokeGrant(grant.id)}
              >
                End
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
