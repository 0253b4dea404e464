import { baseName } from '../api/format'
import type { Pane, Session } from '../api/types'
import { panes } from '../store/live'
import { agentWord, sessionName } from '../store/session-name'
import { isLiveSession, isWorking, StatusBadge, sessionBadge } from '../ui/status'
import { TimeSince } from '../ui/time'
import { Unchanged } from '../ui/unchanged'
import { doingOf } from './session-rows'

/** A session line that is drawn again only when its own pane changes. */
export function LiveSessionLine({ session }: { session: Session }) {
  return <SessionLine session={session} pane={panes.get(session.id)} />
}

/** A session in a list: its status, its name and when the status last changed. */
export function SessionLine({ session, pane }: { session: Session; pane: Pane | undefined }) {
  const isLive = isLiveSession(session)
  const badge = sessionBadge(session, pane)
  const name = sessionName(session)
  const doing = doingOf(session, pane)
  // Lists change often; an unchanged line is not drawn again.
  return (
    <Unchanged by={[session, doing, pane?.since, pane?.shown]}>
      {() => (
        <a class="line-item" href={`/s/${session.id}`}>
          <StatusBadge badge={badge} isLive={isWorking(badge)} />
          <span class="what">
            <span class="cut" style={{ display: 'block' }}>
              <span class="strong" dir="auto">
                {name}
              </span>
              {doing && <span class="soft"> · {doing}</span>}
            </span>
            <span class="small dim cut" style={{ display: 'block' }} title={session.cwd}>
              #{session.number} · {agentWord(session)} · {baseName(session.cwd)}
              {session.on && ` · on ${session.on}${session.awaySince ? ', which is away' : ''}`}
            </span>
          </span>
          <span class="meta">
            <TimeSince
              at={isLive ? (pane?.since ?? session.startedAt) : (session.endedAt ?? session.startedAt)}
              suffix=" ago"
            />
          </span>
        </a>
      )}
    </Unchanged>
  )
}
