import { useEffect, useRef } from 'preact/hooks'
import { announcement, dismiss, toasts } from '../store/toasts'
import { CloseIcon } from '../ui/icons'

/**
 * Toasts are in the browser's top layer, and enter it again with each new one, so that no dialog
 * covers them.
 */
export function Toasts() {
  const box = useRef<HTMLDivElement>(null)
  const newest = toasts.value.at(-1)?.id
  useEffect(() => {
    const element = box.current
    if (!element?.showPopover) return
    if (element.matches(':popover-open')) element.hidePopover()
    if (newest !== undefined) element.showPopover()
  }, [newest])
  return (
    <>
      <div class="toasts" role="status" aria-live="polite" ref={box} popover="manual">
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
