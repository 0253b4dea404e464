import { signal } from '@preact/signals'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { attempt } from '../store/toasts'
import { ApiError, postJson } from '../transport/request'
import { Dialog } from './dialog'

interface Prompted {
  done(isConfirmed: boolean): void
}

const prompted = signal<Prompted | null>(null)

/**
 * Runs an action. If the server requires a second confirmation, asks for it and runs the action
 * again.
 */
export async function withStepUp<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'E_STEP_UP')) throw error
    const isConfirmed = await new Promise<boolean>(done => {
      prompted.value = { done }
    })
    if (!isConfirmed) throw error
    return act()
  }
}

export function StepUpDialog() {
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const open = prompted.value
  useLayoutEffect(() => field.current?.focus(), [open])
  if (!open) return null
  const end = (isConfirmed: boolean) => {
    prompted.value = null
    setText('')
    open.done(isConfirmed)
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    const secret = text.trim()
    const code = secret.includes('#') ? secret.slice(secret.indexOf('#') + 1) : secret
    const confirmed = await attempt(() =>
      postJson('/auth/step-up', /^[\w-]{32}$/.test(code) ? { code } : { passphrase: secret }),
    )
    if (confirmed) end(true)
  }
  return (
    <Dialog title="Confirm it’s you" onClose={() => end(false)}>
      <form class="stack wide" onSubmit={submit}>
        <div class="field">
          <label for="step-up">Passphrase, or the link from “signalbox serve --link”</label>
          <input
            id="step-up"
            ref={field}
            class="input"
            type="password"
            autocomplete="off"
            value={text}
            onInput={event => setText(event.currentTarget.value)}
          />
          <span class="hint">Valid for 5 minutes on this device.</span>
        </div>
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={() => end(false)}>
            Back
          </button>
          <button type="submit" class="btn solid" disabled={text.trim() === ''}>
            Confirm
          </button>
        </div>
      </form>
    </Dialog>
  )
}
