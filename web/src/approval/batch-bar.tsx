import { useState } from 'preact/hooks'
import { plural } from '../api/format'
import type { Approval, BatchResults } from '../api/types'
import { canDecide } from '../store/live'
import { attempt, toast } from '../store/toasts'
import { postJson } from '../transport/request'

/**
 * Why the server would refuse to allow these together; null if it may allow them. Denying has no
 * conditions.
 */
function allowProblem([first, ...others]: readonly Approval[]): string | null {
  if ([first, ...others].some(approval => approval?.risk.level !== 'low')) return 'Only requests with a low risk'
  const isOther = ({ subject, request }: Approval) =>
    subject.run !== first?.subject.run ||
    subject.session !== first?.subject.session ||
    request.tool !== first?.request.tool
  return others.some(isOther) ? 'Only requests of one session for the same tool' : null
}

/**
 * Allows or denies all selected requests with one press. The server decides each of them
 * separately.
 */
export function BatchBar({ approvals, onDone }: { approvals: readonly Approval[]; onDone(): void }) {
  const [isBusy, setBusy] = useState(false)
  if (approvals.length === 0) return null
  const problem = allowProblem(approvals)
  const decide = async (answer: 'allow-once' | 'deny', done: string) => {
    setBusy(true)
    const items = approvals.map(({ id, fingerprint }) => ({ id, fingerprint }))
    const results = await attempt(() => postJson<BatchResults>('/approvals/decisions', { items, answer }))
    setBusy(false)
    if (!results) return
    const refused = results.items.filter(({ state }) => state === 'refused')
    toast(refused.length > 0 ? 'info' : 'good', `${results.items.length - refused.length} ${done}`, refused[0]?.message)
    onDone()
  }
  return (
    <div class="batch-bar" role="region" aria-label="Selected requests">
      <span class="grow">
        {plural(approvals.length, 'request')} selected
        {problem && <span class="dim small">{` · ${problem} can be allowed together.`}</span>}
      </span>
      <button type="button" class="btn" onClick={onDone}>
        Clear
      </button>
      <button
        type="button"
        class="btn danger"
        disabled={!canDecide.value || isBusy}
        onClick={() => void decide('deny', 'denied')}
      >
        Deny selected
      </button>
      <button
        type="button"
        class="btn solid"
        disabled={!canDecide.value || isBusy || problem !== null}
        onClick={() => void decide('allow-once', 'allowed')}
      >
        Allow selected once
      </button>
    </div>
  )
}
