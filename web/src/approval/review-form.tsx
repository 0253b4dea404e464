import { useState } from 'preact/hooks'
import type { Approval } from '../api/types'
import type { Decision } from '../store/actions'
import type { Review } from './gate-payload'
import { ReviewItems } from './review-items'

interface ReviewFormProps {
  approval: Approval
  review: Review
  isBusy: boolean
  onAnswer(decision: Omit<Decision, 'whole'>): void
}

/** Items of a review: the agent fixes the selected ones and gets the comments. */
export function ReviewForm({ approval, review, isBusy, onAnswer }: ReviewFormProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(review.advised))
  const [comments, setComments] = useState<Readonly<Record<string, string>>>({})
  const note = () => {
    const written = Object.entries(comments).filter(([, text]) => text.trim() !== '')
    return written.length === 0 ? {} : { note: written.map(([id, text]) => `${id}: ${text.trim()}`).join('\n') }
  }
  const submit = (event: Event) => {
    event.preventDefault()
    onAnswer({ choices: chosen.size === 0 ? ['none'] : [...chosen], ...note() })
  }
  return (
    <form class="card-form" onSubmit={submit} aria-label={approval.display.title}>
      <ReviewItems
        items={review.items}
        chosen={chosen}
        onChange={setChosen}
        comments={comments}
        onComment={(id, text) => setComments({ ...comments, [id]: text })}
      />
      <div class="row card-submit">
        {review.canReviewAgain && (
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
          {chosen.size === 0 ? 'Fix none' : `Fix ${chosen.size} of ${review.items.length}`}
        </button>
      </div>
    </form>
  )
}
