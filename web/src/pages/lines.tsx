import { useMemo } from 'preact/hooks'
import { baseName, formatMoney } from '../api/format'
import type { Pane, Run, Session } from '../api/types'
import { panes } from '../store/live'
import { isLiveSession, RunBadge, StatusBadge, sessionAspect } from '../ui/status'
import { Age, Took } from '../ui/time'

/** A session line that is drawn again only when its own pane changes. */
export function LiveSessionLine({ session }: { session: Session }) {
  return <SessionLine session={session} pane={panes.get(session.id)} />
}

/** A session in a list: its status, its directory and the source of the status. */
export function SessionLine({ session, pane }: { session: Session; pane: Pane | undefined }) {
  const isLive = isLiveSession(session)
  const aspect = sessionAspect(session)
  const name = session.label ?? `${session.agent} in ${baseName(session.cwd)}`
  const doing = session.question ?? (pane?.doing || null)
  // Lists change often; an unchanged line is not drawn again.
  return useMemo(
    () => (
      <a class="line-item" href={`/s/${session.id}`}>
        <StatusBadge aspect={aspect} isLive={aspect.word === 'working'} />
        <span class="what">
          <span class="cut" style={{ display: 'block' }}>
            <span class="dim num">{session.number}</span> <span class="strong">{name}</span>
            {doing && <span class="soft"> · {doing}</span>}
          </span>
          <span class="small dim cut" style={{ display: 'block' }} title={session.cwd}>
            {session.agent} · {baseName(session.cwd)}
            {pane && isLive && ` · status from ${pane.why.authority}`}
          </span>
        </span>
        <span class="meta">
          {isLive ? <Age at={session.startedAt} /> : <Age at={session.endedAt ?? session.startedAt} suffix=" ago" />}
        </span>
      </a>
    ),
    [session, doing, pane?.why.authority],
  )
}

export function RunLine({ run }: { run: Run }) {
  return (
    <a class="line-item" href={`/r/${run.id}`}>
      <RunBadge run={run} />
      <span class="what">
        <span class="cut" style={{ display: 'block' }}>
          <span class="strong">{run.title}</span>
          {run.step && run.endedAt === null && <span class="soft"> · step {run.step}</span>}
        </span>
        <span class="small dim cut" style={{ display: 'block' }}>
          {run.kind} · {baseName(run.project)}
          {run.why && ` · ${run.why}`}
        </span>
      </span>
      <span class="meta">
        {run.usage.costUsd !== undefined && <span class="num">{formatMoney(run.usage.costUsd)}</span>}
        <Took from={run.startedAt ?? run.createdAt} to={run.endedAt} />
      </span>
    </a>
  )
}
