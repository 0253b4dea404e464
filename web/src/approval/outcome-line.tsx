import { closedReason } from '../../../src/text/status-word'
import { timeOf } from '../api/format'
import type { Approval } from '../api/types'
import { me } from '../store/live'
import { approvalBadge, StatusBadge } from '../ui/status'
import { TimeSince } from '../ui/time'
import { decisionLabel } from './options'

/** The decision, who made it, and whether the agent continued, as the ledger has recorded it. */
export function OutcomeLine({ approval }: { approval: Approval }) {
  const { decision, outcome, state, kind } = approval
  const mine = decision && decision.actor.id === me.value?.person.id && decision.surface === 'web'
  const who = !decision ? null : mine ? 'you' : `${decision.actor.name} (${decision.surface})`
  return (
    <div class={`card-end tone-${approvalBadge(approval).tone}`}>
      <StatusBadge badge={approvalBadge(approval)} isLive={state === 'decided'} />
      {decision && (
        <span>
          {kind !== 'permission' && (
            <>
              <b dir="auto">{decisionLabel(approval)}</b>{' '}
            </>
          )}
          by {decision.grantId ? 'a standing approval' : who} <TimeSince at={decision.at} suffix=" ago" />
        </span>
      )}
      {state === 'decided' && <span class="dim">waiting for the agent to continue</span>}
      {state === 'applied' && !decision && <span>in the terminal</span>}
      {outcome?.reason && <span>{closedReason(outcome.reason)}</span>}
      {decision?.note && (
        <span class="dim" dir="auto">
          “{decision.note}”
        </span>
      )}
      {decision && approval.subject.session && (
        <a class="link" href={`/replay/${approval.subject.session}?at=${timeOf(decision.at)}`}>
          Screen at the time of the decision
        </a>
      )}
    </div>
  )
}
