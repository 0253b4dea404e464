import { useState } from 'preact/hooks'
import { plural } from '../api/format'
import type { Approval } from '../api/types'
import { canDecide } from '../store/live'
import { attempt, toast } from '../store/toasts'
import { postJson } from '../transport/request'

interface BatchAnswer {
  items: { id: string; state: 'decided' | 'refused'; message?: string }[]
}

/** What is selected is allowed together, as far as each may be, or denied; each has its own answer. */
export function BatchBar({ approvals, onDone }: { approvals: readonly Approval[]; onDone(): void }) {
  const [isBusy, setBusy] = useState(false)
  if (approvals.length === 0) return null
  const decide = async (answer: 'allow-once' | 'deny', done: string) => {
    setBusy(true)
    const items = approvals.map(({ id, fingerprint }) => ({ id, fingerprint }))
    const told = await attempt(() => postJson<BatchAnswer>('/approvals/decisions', { items, answer }))
    setBusy(false)
    if (!told) return
    const refused = told.items.filter(({ state }) => state === 'refused')
    toast(refused.length > 0 ? 'info' : 'good', `${told.items.length - refused.length} ${done}`, refused[0]?.message)
    onDone()
  }
  return (
    <div class="batch-bar" role="region" aria-label="Selected requests">
      <span class="grow">{plural(approvals.length, 'request')} selected</span>
      <button type="button" class="btn" onClick={onDone}>
        Clear
      </button>
      <button
        type="button"
        class="btn danger"
        disabled={!canDecide.value || isBusy}
        onClick={() => void decide('deny', 'denied')}
      >
        Deny these
      </button>
      <button
        type="button"
        class="btn solid"
        disabled={!canDecide.value || isBusy}
        onClick={() => void decide('allow-once', 'allowed')}
      >
        Allow these once
      </button>
    </div>
  )
}
