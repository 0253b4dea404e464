import { signal } from '@preact/signals'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { sentence } from '../store/toasts'
import { ApiError, postJson } from '../transport/request'
import { Dialog } from './dialog'

interface Prompted {
  /** What the person confirms, as a part of a sentence: “pair a chat”. */
  what: string
  done(isConfirmed: boolean): void
}

const prompted = signal<Prompted | null>(null)

/**
 * Runs an action. If the server requires a second confirmation, says what it is for, asks for it
 * and runs the action again. Without it, ends with an error that is not shown (`isCancelled`).
 */
export async function withStepUp<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'E_STEP_UP')) throw error
    const isConfirmed = await new Promise<boolean>(done => {
      prompted.value = { what, done }
    })
    if (!isConfirmed) throw new DOMException('Not confirmed', 'AbortError')
    return act()
  }
}

/** The person pressed *Back*: no error to show. */
export function isCancelled(error: unknown): boolean {
  return (error as Error)?.name === 'AbortError'
}

export function StepUpDialog() {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const open = prompted.value
  useLayoutEffect(() => field.current?.focus(), [open])
  if (!open) return null
  const end = (isConfirmed: boolean) => {
    prompted.value = null
    setText('')
    setProblem(null)
    open.done(isConfirmed)
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    const secret = text.trim()
    const code = secret.includes('#') ? secret.slice(secret.indexOf('#') + 1) : secret
    const body = /^[\w-]{32}$/.test(code) ? { code } : { passphrase: secret }
    try {
      await postJson('/auth/step-up', body, { keepsAccess: true })
      end(true)
    } catch (error) {
      const isWrong = error instanceof ApiError && error.code === 'E_LOGIN'
      setProblem(isWrong ? 'Wrong passphrase or link' : sentence((error as Error).message))
      field.current?.select()
    }
  }
  return (
    <Dialog title="Confirm it’s you" onClose={() => end(false)}>
      <form class="stack wide" onSubmit={submit}>
        <p>
          You are about to <b>{open.what}</b>.
        </p>
        <div class="field">
          <label for="step-up">Passphrase, or the link from “signalbox serve --link”</label>
          <input
            id="step-up"
            ref={field}
            class="input"
            type="password"
            autocomplete="off"
            value={text}
            aria-invalid={problem !== null}
            onInput={event => {
              setText(event.currentTarget.value)
              setProblem(null)
            }}
          />
          {problem !== null && (
            <span class="tiny field-problem" role="alert">
              {problem}
            </span>
          )}
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
