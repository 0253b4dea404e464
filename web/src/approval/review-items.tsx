import { Revealed } from '../diff/styled-text'
import type { ReviewItem } from './gate-payload'

interface ReviewItemsProps {
  items: readonly ReviewItem[]
  chosen: ReadonlySet<string>
  onChange(chosen: ReadonlySet<string>): void
  comments: Readonly<Record<string, string>>
  onComment(id: string, text: string): void
}

/** Items of a review as a checklist. */
export function ReviewItems({ items, chosen, onChange, comments, onComment }: ReviewItemsProps) {
  const severities = [...new Set(items.map(item => item.severity))]
  const select = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(chosen)
    for (const id of ids) isOn ? next.add(id) : next.delete(id)
    onChange(next)
  }
  return (
    <div>
      <div class="row wrap small">
        <span class="soft">
          {chosen.size} of {items.length} selected
        </span>
        {severities.map(severity => {
          const ids = items.filter(item => item.severity === severity).map(item => item.id)
          const isAll = ids.every(id => chosen.has(id))
          return (
            <button key={severity} type="button" class="btn quiet" onClick={() => select(ids, !isAll)}>
              {isAll ? 'Deselect' : 'Select'} {severity} ({ids.length})
            </button>
          )
        })}
      </div>
      <ul class="items-list">
        {items.map(item => (
          <li key={item.id}>
            <input
              type="checkbox"
              id={`item-${item.id}`}
              checked={chosen.has(item.id)}
              onChange={event => select([item.id], event.currentTarget.checked)}
            />
            <label for={`item-${item.id}`}>
              <span class="chip">{item.severity}</span>{' '}
              <span class="strong">
                <Revealed text={item.title} />
              </span>
              <span class="mono tiny dim">
                {' '}
                <Revealed text={item.file} />
                {item.line !== null && `:${item.line}`}
              </span>
            </label>
            <span />
            <div class="stack small soft">
              <p>
                <Revealed text={item.text} />
              </p>
              <p class="tiny dim">
                {item.verdict}: <Revealed text={item.reason} />
              </p>
              <input
                class="input"
                aria-label={`Comment on ${item.title}`}
                placeholder="Comment"
                value={comments[item.id] ?? ''}
                onInput={event => onComment(item.id, event.currentTarget.value)}
              />
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
