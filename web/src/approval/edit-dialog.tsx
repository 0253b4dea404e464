import { useState } from 'preact/hooks'
import type { Approval } from '../api/types'
import { Dialog } from '../ui/dialog'

/** Allows the request with a changed input: the same fields, each with a value of the same type. */
export function EditDialog(props: { approval: Approval; onAllow(input: unknown): void; onClose(): void }) {
  const fields = Object.entries(props.approval.request.input as Record<string, unknown>)
  const [texts, setTexts] = useState(() => Object.fromEntries(fields.map(([name, value]) => [name, textOf(value)])))
  const [problem, setProblem] = useState<string | null>(null)
  const submit = (event: Event) => {
    event.preventDefault()
    try {
      props.onAllow(
        Object.fromEntries(fields.map(([name, value]) => [name, parseEditedValue(value, texts[name] ?? '')])),
      )
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <Dialog title="Allow with changes" onClose={props.onClose}>
      <form class="stack wide" onSubmit={submit}>
        {problem && (
          <p class="small" role="alert">
            {problem}
          </p>
        )}
        {fields.map(([name]) => (
          <div class="field" key={name}>
            <label for={`edit-${name}`}>{name}</label>
            <textarea
              id={`edit-${name}`}
              class="input code"
              rows={Math.min(10, (texts[name] ?? '').split('\n').length + 1)}
              spellcheck={false}
              value={texts[name]}
              onInput={event => setTexts({ ...texts, [name]: event.currentTarget.value })}
            />
          </div>
        ))}
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={props.onClose}>
            Back
          </button>
          <button type="submit" class="btn solid">
            Allow with changes
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Whether the agent accepts a changed input. */
export function mayEdit({ source, request }: Approval): boolean {
  const isObject = typeof request.input === 'object' && request.input !== null && !Array.isArray(request.input)
  return isObject && source.can?.includes('edit') === true
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/** @throws SyntaxError if the value was not a string and the text is not JSON. */
function parseEditedValue(before: unknown, text: string): unknown {
  return typeof before === 'string' ? text : JSON.parse(text)
}
