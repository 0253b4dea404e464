import { useState } from 'preact/hooks'
import { budgetSentence, raisedLimit } from '../../../src/text/budget-words'
import { formatCount, formatMoney } from '../api/format'
import type { Session } from '../api/types'
import { setBudget } from '../store/actions'
import { canDecide, isOwner } from '../store/live'
import { toast } from '../store/toasts'
import { NameDialog } from '../ui/name-dialog'

/** A session that has used its budget: why it is paused, and how to continue. */
export function PausedLine({ session }: { session: Session }) {
  const [isAsking, setAsking] = useState(false)
  const { paused } = session
  if (!paused) return null
  const isOfDay = paused.limit === 'day-usd'
  return (
    <div class="nearly-full" role="status">
      <span class="grow">
        Paused. {budgetSentence(paused)}
        {session.held ? ' Prompts are held until you raise it.' : ''}
      </span>
      {isOfDay ? (
        isOwner.value && (
          <a class="btn" href="/settings/budget">
            Change the daily budget
          </a>
        )
      ) : (
        <>
          <RaiseBudget session={session} />
          <button type="button" class="btn" disabled={!canDecide.value} onClick={() => setAsking(true)}>
            Other…
          </button>
        </>
      )}
      {isAsking && <BudgetDialog session={session} onClose={() => setAsking(false)} />}
    </div>
  )
}

/** One press gives the session more, and it continues. The budget of a day is a setting. */
export function RaiseBudget({ session }: { session: Session }) {
  if (!session.paused || session.paused.limit === 'day-usd') return null
  const raised = raisedBudget(session)
  const isTokens = session.paused.limit === 'session-tokens'
  return (
    <button
      type="button"
      class="btn solid"
      disabled={!canDecide.value}
      onClick={() => void setBudget(session.id, raised)}
    >
      Raise to {isTokens ? `${formatCount(raised.tokens ?? 0)} tokens` : formatMoney(raised.usd ?? 0)} and resume
    </button>
  )
}

function raisedBudget({ paused, budget }: Session): { usd: number | null; tokens: number | null } {
  const { usd = null, tokens = null } = budget ?? {}
  const next = raisedLimit(paused!)
  return paused!.limit === 'session-usd' ? { usd: next, tokens } : { usd, tokens: next }
}

/** Asks for the budget of a session. */
export function BudgetDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const save = (text: string) => {
    const usd = /^none$/i.test(text) ? null : Number(text.replace(/^\$/, ''))
    if (usd !== null && !(usd > 0)) return toast('bad', 'Enter an amount above 0, or none')
    onClose()
    void setBudget(session.id, { usd, tokens: session.budget?.tokens ?? null })
  }
  return (
    <NameDialog
      title="Budget of this session"
      label="Budget in USD, or none"
      name={session.budget?.usd ? String(session.budget.usd) : ''}
      onName={save}
      onClose={onClose}
    />
  )
}
