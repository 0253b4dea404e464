import { useMemo } from 'preact/hooks'
import { baseName, formatMoney } from '../api/format'
import type { Pane, Run, Session } from '../api/types'
import { stepName } from '../run/step-name'
import { panes } from '../store/live'
import { sessionName } from '../store/session-name'
import { isLiveSession, isWorking, RunBadge, StatusBadge, sessionAspect } from '../ui/status'
import { Age, Took } from '../ui/time'

/** A session line that is drawn again only when its own pane changes. */
export function LiveSessionLine({ session }: { session: Session }) {
  return <SessionLine session={session} pane={panes.get(session.id)} />
}

/** A session in a list: its status, its name and when the status last changed. */
export function SessionLine({ session, pane }: { session: Session; pane: Pane | undefined }) {
  const isLive = isLiveSession(session)
  const aspect = sessionAspect(session)
  const name = sessionName(session)
  const doing = session.question ?? (pane?.doing || null)
  // Lists change often; an unchanged line is not drawn again.
  return useMemo(
    () => (
      <a class="line-item" href={`/s/${session.id}`}>
        <StatusBadge aspect={aspect} isLive={isWorking(aspect)} />
        <span class="what">
          <span class="cut" style={{ display: 'block' }}>
            <span class="strong" dir="auto">
              {name}
            </span>
            {doing && <span class="soft"> · {doing}</span>}
          </span>
          <span class="small dim cut" style={{ display: 'block' }} title={session.cwd}>
            #{session.number} · {session.agent} · {baseName(session.cwd)}
            {session.on && ` · on ${session.on}${session.awaySince ? ', which is away' : ''}`}
          </span>
        </span>
        <span class="meta">
          <Age
            at={isLive ? (pane?.since ?? session.startedAt) : (session.endedAt ?? session.startedAt)}
            suffix=" ago"
          />
        </span>
      </a>
    ),
    [session, doing, pane?.since],
  )
}

export function RunLine({ run }: { run: Run }) {
  return (
    <a class="line-item" href={`/r/${run.id}`}>
      <RunBadge run={run} />
      <span class="what">
        <span class="cut" style={{ display: 'block' }}>
          <span class="strong">{run.title}</span>
          {run.step && run.endedAt === null && <span class="soft"> · {stepName(run.step)}</span>}
        </span>
        <span class="small dim cut" style={{ display: 'block' }}>
          {run.kind} · {baseName(run.project)}
          {run.workerName && ` · on ${run.workerName}`}
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
