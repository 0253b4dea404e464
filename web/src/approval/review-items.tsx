import type { ReviewItem } from '../api/types'

interface ReviewItemsProps {
  items: readonly ReviewItem[]
  chosen: ReadonlySet<string>
  onChange(chosen: ReadonlySet<string>): void
  comments?: Readonly<Record<string, string>>
  onComment?(id: string, text: string): void
}

/** Findings as a checklist: what is ticked is worked on. */
export function ReviewItems({ items, chosen, onChange, comments = {}, onComment }: ReviewItemsProps) {
  const severities = [...new Set(items.map(item => item.severity ?? 'note'))]
  const tick = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(chosen)
    for (const id of ids) isOn ? next.add(id) : next.delete(id)
    onChange(next)
  }
  return (
    <div>
      <div class="row wrap small">
        <span class="soft">
          {chosen.size} of {items.length} ticked
        </span>
        {severities.map(severity => {
          const ids = items.filter(item => (item.severity ?? 'note') === severity).map(item => item.id)
          const isAll = ids.every(id => chosen.has(id))
          return (
            <button key={severity} type="button" class="btn quiet" onClick={() => tick(ids, !isAll)}>
              {isAll ? 'untick' : 'tick'} {severity} ({ids.length})
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
              onChange={event => tick([item.id], event.currentTarget.checked)}
            />
            <label for={`item-${item.id}`}>
              <span class="chip">{item.severity ?? 'note'}</span> <span class="strong">{item.title ?? item.id}</span>
              {item.file && (
                <span class="mono tiny dim">
                  {' '}
                  {item.file}
                  {item.line !== undefined && `:${item.line}`}
                </span>
              )}
            </label>
            <span />
            <div class="stack small soft">
              {item.text && <p>{item.text}</p>}
              {item.code && <pre class="code-box">{item.code}</pre>}
              {item.verdict && (
                <p class="tiny dim">
                  {item.verdict}
                  {item.evidence && `: ${item.evidence}`}
                </p>
              )}
              {onComment && (
                <input
                  class="input"
                  aria-label={`Comment on ${item.title ?? item.id}`}
                  placeholder="Say something to it"
                  value={comments[item.id] ?? ''}
                  onInput={event => onComment(item.id, event.currentTarget.value)}
                />
              )}
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
