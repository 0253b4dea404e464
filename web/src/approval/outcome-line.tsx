import { timeOf } from '../api/format'
import type { Approval } from '../api/types'
import { me } from '../store/live'
import { approvalAspect, StatusBadge } from '../ui/status'
import { Age } from '../ui/time'
import { decisionLabel } from './options'

/** The decision, who made it, and whether the agent continued, as the ledger has recorded it. */
export function OutcomeLine({ approval }: { approval: Approval }) {
  const { decision, outcome, state } = approval
  const mine = decision && decision.actor.id === me.value?.person.id && decision.surface === 'web'
  const who = !decision ? null : mine ? 'you' : `${decision.actor.name} (${decision.surface})`
  return (
    <div class={`card-end tone-${approvalAspect(approval).tone}`}>
      <StatusBadge aspect={approvalAspect(approval)} isLive={state === 'decided'} />
      {decision && (
        <span>
          <b>{decisionLabel(approval)}</b> · decided by {decision.grantId ? 'a grant' : who}{' '}
          <Age at={decision.at} suffix=" ago" />
        </span>
      )}
      {state === 'decided' && <span class="dim">waiting for the agent to continue</span>}
      {outcome?.reason && <span>{outcome.reason.replaceAll('-', ' ')}</span>}
      {state === 'applied' && !decision && (
        <span>{outcome?.observed?.result ?? 'answered'} in the agent’s own dialog</span>
      )}
      {decision?.note && <span class="dim">“{decision.note}”</span>}
      {decision && approval.subject.session && (
        <a class="link" href={`/replay/${approval.subject.session}?at=${timeOf(decision.at)}`}>
          Screen at the time of the decision
        </a>
      )}
    </div>
  )
}
