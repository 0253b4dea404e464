import { announcement, dismiss, toasts } from '../store/toasts'
import { CloseIcon } from '../ui/icons'

export function Toasts() {
  return (
    <>
      <div class="toasts" role="status" aria-live="polite">
        {toasts.value.map(({ id, tone, text, next }) => (
          <div key={id} class={`toast ${tone}`}>
            <p class="grow">
              {text}
              {next && <span class="soft"> – {next}</span>}
            </p>
            <button type="button" class="btn quiet icon" aria-label="Dismiss" onClick={() => dismiss(id)}>
              <CloseIcon />
            </button>
          </div>
        ))}
      </div>
      <div class="sr" role="alert" aria-live="assertive">
        {announcement.value}
      </div>
    </>
  )
}
