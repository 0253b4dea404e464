import { useState } from 'preact/hooks'
import type { Approval } from '../api/types'
import type { Decision } from '../store/actions'
import type { ReviewWork } from './gate-payload'
import { ReviewItems } from './review-items'

interface ReviewFormProps {
  approval: Approval
  work: ReviewWork
  isBusy: boolean
  onAnswer(decision: Omit<Decision, 'whole'>): void
}

/** Findings of a review: what is ticked is worked on, what is said to one goes along. */
export function ReviewForm({ approval, work, isBusy, onAnswer }: ReviewFormProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(work.advised))
  const [comments, setComments] = useState<Readonly<Record<string, string>>>({})
  const note = () => {
    const said = Object.entries(comments).filter(([, text]) => text.trim() !== '')
    return said.length === 0 ? {} : { note: said.map(([id, text]) => `${id}: ${text.trim()}`).join('\n') }
  }
  const submit = (event: Event) => {
    event.preventDefault()
    onAnswer({ choices: chosen.size === 0 ? ['none'] : [...chosen], ...note() })
  }
  return (
    <form class="card-form" onSubmit={submit} aria-label={approval.display.title}>
      <ReviewItems
        items={work.items}
        chosen={chosen}
        onChange={setChosen}
        comments={comments}
        onComment={(id, text) => setComments({ ...comments, [id]: text })}
      />
      <div class="row card-submit">
        {work.canPassAgain && (
          <button
            type="button"
            class="btn tall"
            disabled={isBusy}
            onClick={() => onAnswer({ choices: ['pass'], ...note() })}
          >
            Review again first
          </button>
        )}
        <button type="submit" class="btn solid tall" disabled={isBusy}>
          {chosen.size === 0 ? 'Fix none' : `Fix ${chosen.size} of ${work.items.length}`}
        </button>
      </div>
    </form>
  )
}
