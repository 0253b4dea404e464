import { signal } from '@preact/signals'
import { Dialog } from './dialog'

interface Question {
  title: string
  text: string
  /** The label of the button that confirms. */
  action: string
}

const asked = signal<(Question & { done(isSure: boolean): void }) | null>(null)

/** Asks before something irreversible. */
export function askFirst(question: Question): Promise<boolean> {
  return new Promise(resolve => {
    asked.value = {
      ...question,
      done: isSure => {
        asked.value = null
        resolve(isSure)
      },
    }
  })
}

/** The dialog of `askFirst`; part of the shell. */
export function ConfirmDialog() {
  const question = asked.value
  if (!question) return null
  const { title, text, action, done } = question
  return (
    <Dialog
      title={title}
      onClose={() => done(false)}
      foot={
        <>
          <button type="button" class="btn" onClick={() => done(false)}>
            Back
          </button>
          <button type="button" class="btn danger-solid" onClick={() => done(true)}>
            {action}
          </button>
        </>
      }
    >
      <p>{text}</p>
    </Dialog>
  )
}
