import { plainLabel } from '../../../src/text/visible-text'
import type { Approval, ApprovalOption } from '../api/types'
import { Revealed } from '../diff/styled-text'
import { mayEdit } from './edit-dialog'
import { mayGrant } from './options'

interface OtherAnswersProps {
  approval: Approval
  others: readonly ApprovalOption[]
  onChoose(option: ApprovalOption): void
  onGrant(): void
  /** Null if no pattern covers it, or if it is never allowed in advance. */
  onStandingApproval: (() => void) | null
  onEdit(): void
  onDeny: (() => void) | null
  /** Null if the request belongs to no session. */
  onInterrupt: (() => void) | null
}

/** The menu of a request: answers of Signalbox, answers of the agent's own dialog, links. */
export function OtherAnswers(props: OtherAnswersProps) {
  const { approval, others } = props
  return (
    <>
      {mayGrant(approval) && (
        <button type="button" onClick={props.onGrant}>
          Allow this request for 1 hour in this session
        </button>
      )}
      {props.onStandingApproval && (
        <button type="button" onClick={props.onStandingApproval}>
          Always allow…
        </button>
      )}
      {mayEdit(approval) && (
        <button type="button" onClick={props.onEdit}>
          Allow with changes…
        </button>
      )}
      {props.onDeny && (
        <button type="button" onClick={props.onDeny}>
          Deny with a reason…
        </button>
      )}
      {props.onInterrupt && (
        <button type="button" onClick={props.onInterrupt}>
          Deny and interrupt
        </button>
      )}
      {others.length > 0 && <div class="menu-label">Answers of the agent’s own dialog</div>}
      {others.map(option => (
        <button key={option.key} type="button" onClick={() => props.onChoose(option)}>
          <span dir="auto">
            <Revealed text={plainLabel(option.label)} />
          </span>
        </button>
      ))}
      <div class="menu-label">Open</div>
      {approval.subject.session && <a href={`/s/${approval.subject.session}`}>Session</a>}
      {approval.subject.run && <a href={`/r/${approval.subject.run}`}>Run</a>}
      <a href={`/a/${approval.id}`}>This request alone</a>
    </>
  )
}
