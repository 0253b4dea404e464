import type { Approval, Session } from '../api/types'
import { interruptSession } from '../store/actions'
import { canDecide, panes } from '../store/live'
import { StopIcon } from '../ui/icons'
import { isWorking, StatusIcon, sessionBadge } from '../ui/status'
import { TimeSince } from '../ui/time'
import { sessionNow } from './session-now'

/** Above the composer: what the session does or needs now, and the action that goes with it. */
export function NowLine({ session, pending }: { session: Session; pending: readonly Approval[] }) {
  const pane = panes.get(session.id)
  const badge = sessionBadge(session, pane)
  const { text, since } = sessionNow(session, pane, pending)
  const [first] = pending
  return (
    <section
      class={`now-line tone-${badge.tone}`}
      aria-label="Status"
      // The composer shrinks when it loses the focus: the button would move from under the finger.
      onMouseDown={event => event.preventDefault()}
    >
      <span class="badge">
        <StatusIcon shape={badge.shape} isLive={isWorking(badge)} />
      </span>
      <span class="grow cut small" title={text} dir="auto">
        {text}
      </span>
      {since !== null && (
        <span class="small dim num now-since">
          <TimeSince at={since} suffix={isNow(badge.tone) ? '' : ' ago'} />
        </span>
      )}
      {first && (
        <button type="button" class="btn quiet show-request" onClick={() => showRequest(first.id)}>
          Show the request
        </button>
      )}
      {isWorking(badge) && (
        <button type="button" class="btn" disabled={!canDecide.value} onClick={() => void interruptSession(session.id)}>
          <StopIcon /> Interrupt
        </button>
      )}
    </section>
  )
}

/** The status holds now: how long it does, not how long ago it began. */
function isNow(tone: string): boolean {
  return tone === 'active' || tone === 'warning'
}

function showRequest(id: string): void {
  const card = document.querySelector<HTMLElement>(`.talk [data-approval="${id}"]`)
  card?.scrollIntoView({ block: 'start' })
  card?.focus({ preventScroll: true })
}
