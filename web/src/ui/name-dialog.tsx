import { useEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from './dialog'

/** Asks for a name. */
export function NameDialog(props: {
  title: string
  label: string
  name?: string
  maxLength?: number
  /** Several lines. */
  isLong?: boolean
  /** The word on the button; default *Save*. */
  action?: string
  onName(name: string): void
  onClose(): void
}) {
  const [text, setText] = useState(props.name ?? '')
  const field = useRef<HTMLInputElement>(null)
  const long = useRef<HTMLTextAreaElement>(null)
  useEffect(() => (field.current ?? long.current)?.select(), [])
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() !== '') props.onName(text.trim())
  }
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form class="stack wide" onSubmit={submit}>
        {props.isLong ? (
          <textarea
            ref={long}
            class="input"
            rows={4}
            dir="auto"
            aria-label={props.label}
            placeholder={props.label}
            maxLength={props.maxLength ?? 4_000}
            value={text}
            onInput={event => setText(event.currentTarget.value)}
            onKeyDown={event => {
              if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
            }}
          />
        ) : (
          <input
            ref={field}
            class="input"
            aria-label={props.label}
            placeholder={props.label}
            maxLength={props.maxLength ?? 100}
            value={text}
            onInput={event => setText(event.currentTarget.value)}
          />
        )}
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={props.onClose}>
            Back
          </button>
          <button type="submit" class="btn solid" disabled={text.trim() === ''}>
            {props.action ?? 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
