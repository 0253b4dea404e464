import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { CloseIcon } from './icons'

interface DialogProps {
  title: string
  onClose(): void
  children: ComponentChildren
  foot?: ComponentChildren
  isWide?: boolean
}

/**
 * The browser's modal dialog: it keeps the focus inside, closes with Esc, and restores the focus.
 */
export function Dialog({ title, onClose, children, foot, isWide = false }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key: what is typed into a dialog must not reach the page below it.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null
    box.current?.showModal()
    return () => before?.focus?.()
  }, [])
  return (
    <dialog
      ref={box}
      class={isWide ? 'wide' : ''}
      aria-labelledby={id}
      onClose={onClose}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="btn quiet icon" aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </button>
      </div>
      <div class="dialog-body">{children}</div>
      {foot && <div class="dialog-foot">{foot}</div>}
    </dialog>
  )
}
