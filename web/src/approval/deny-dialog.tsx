import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { requestTitle } from '../../../src/approvals/request-title'
import type { Approval } from '../api/types'
import { Revealed } from '../diff/styled-text'
import { Dialog } from '../ui/dialog'
import { riskBadge, StatusBadge } from '../ui/status'
import { RequestContent } from './request-content'

/** Denies a request, with an optional reason for the record and for agents that accept one. */
export function DenyDialog(props: { approval: Approval; onDeny(reason: string): void; onClose(): void }) {
  const [reason, setReason] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  const submit = (event: Event) => {
    event.preventDefault()
    props.onDeny(reason.trim())
  }
  return (
    <Dialog title="Deny" onClose={props.onClose}>
      <form class="stack wide" onSubmit={submit}>
        <Request approval={props.approval} />
        <div class="field">
          <label for="deny-reason">Reason (optional), sent to the agent if it accepts one</label>
          <textarea
            id="deny-reason"
            ref={field}
            class="input"
            rows={3}
            maxLength={2000}
            value={reason}
            onInput={event => setReason(event.currentTarget.value)}
            onKeyDown={event => {
              if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
            }}
          />
          <span class="hint">
            <kbd>Ctrl</kbd> <kbd>Enter</kbd> denies
          </span>
        </div>
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={props.onClose}>
            Back
          </button>
          <button type="submit" class="btn solid">
            Deny
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/**
 * Confirms a high risk, and a medium one that was allowed with a key. Enter confirms no high
 * risk.
 */
export function AllowDialog(props: { approval: Approval; onAllow(): void; onClose(): void }) {
  const { approval } = props
  const isHigh = approval.risk.level === 'high'
  const [back, allow] = [useRef<HTMLButtonElement>(null), useRef<HTMLButtonElement>(null)]
  useLayoutEffect(() => (isHigh ? back : allow).current?.focus(), [])
  return (
    <Dialog
      title={isHigh ? 'Allow this high-risk request?' : 'Allow this once?'}
      onClose={props.onClose}
      foot={
        <>
          <button type="button" class="btn" ref={back} onClick={props.onClose}>
            Back
          </button>
          <button type="button" class={`btn ${isHigh ? 'danger-solid' : 'solid'}`} ref={allow} onClick={props.onAllow}>
            Allow once
          </button>
        </>
      }
    >
      <Request approval={approval} />
      <div class="risk-line" style={{ paddingInline: 0 }}>
        <StatusBadge badge={riskBadge(approval.risk.level)} />
        <span>{approval.risk.reasons.join('; ')}</span>
      </div>
    </Dialog>
  )
}

/** The request again: its card may be scrolled out of view. */
function Request({ approval }: { approval: Approval }) {
  const ignore = () => undefined
  return (
    <div class="asked-again">
      <p class="strong">
        <Revealed text={requestTitle(approval)} />
      </p>
      <RequestContent approval={approval} isWhole={false} onSeen={ignore} onShowAll={ignore} />
    </div>
  )
}
