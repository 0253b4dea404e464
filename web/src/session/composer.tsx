import { useEffect, useRef, useState } from 'preact/hooks'
import type { Session } from '../api/types'
import { dropPrompt, sendPrompt } from '../store/actions'
import { canDecide, onEvent } from '../store/live'
import { attempt, toast } from '../store/toasts'
import { getJson, request } from '../transport/request'
import { ClipIcon, CloseIcon, SendIcon } from '../ui/icons'
import { useLoad } from '../ui/use-load'

interface Held {
  id: string
  text: string
}

/** What becomes of a prompt is said as the session says it: delivered, queued in the agent, held here, or not delivered and why. */
export function Composer({ session }: { session: Session }) {
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<{ result: string; detail?: string } | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const file = useRef<HTMLInputElement>(null)
  const isAsking = session.awaiting !== null && session.awaiting !== undefined
  const isOff = !canDecide.value || isBusy

  const send = async (when: 'now' | 'after-turn') => {
    const prompt = text.trim()
    if (prompt === '' || isOff) return
    setBusy(true)
    const sent = await attempt(() => sendPrompt(session.id, prompt, when))
    setBusy(false)
    if (!sent) return
    setText('')
    setOutcome({ result: sent.result ?? 'sent', ...(sent.detail !== undefined && { detail: sent.detail }) })
    field.current?.focus()
  }
  const upload = async (files: FileList | null) => {
    if (!files || files.length === 0) return
    const form = new FormData()
    for (const one of files) form.append('file', one)
    const done = await attempt(() => request(`/sessions/${session.id}/uploads`, { method: 'POST', form }))
    if (done) toast('good', `${files.length} ${files.length === 1 ? 'file' : 'files'} given to the agent`)
    if (file.current) file.current.value = ''
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    void send(event.ctrlKey || event.metaKey ? 'after-turn' : 'now')
  }

  return (
    <div class="composer">
      <HeldPrompts session={session} onEdit={held => setText(held.text)} />
      {outcome && <Outcome {...outcome} />}
      <div class="composer-box">
        <textarea
          id="composer"
          ref={field}
          aria-label="Prompt"
          placeholder={isAsking ? 'The agent asks something: answer that first, or queue a prompt' : 'Send a prompt'}
          rows={2}
          value={text}
          disabled={!canDecide.value}
          onInput={event => setText(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <div class="row">
          <input ref={file} type="file" multiple hidden onChange={event => void upload(event.currentTarget.files)} />
          <button
            type="button"
            class="btn quiet icon"
            aria-label="Give files to the agent"
            title="Give files to the agent"
            disabled={isOff}
            onClick={() => file.current?.click()}
          >
            <ClipIcon />
          </button>
          <span class="grow tiny dim composer-hint">
            <kbd>Enter</kbd> sends · <kbd>Ctrl</kbd> <kbd>Enter</kbd> queues · <kbd>Shift</kbd> <kbd>Enter</kbd> new
            line
          </span>
          <button
            type="button"
            class="btn"
            disabled={isOff || text.trim() === ''}
            title="Send when the agent rests"
            onClick={() => void send('after-turn')}
          >
            Queue
          </button>
          <button
            type="button"
            class="btn solid"
            disabled={isOff || text.trim() === ''}
            onClick={() => void send('now')}
          >
            <SendIcon /> Send
          </button>
        </div>
      </div>
    </div>
  )
}

const WORDS: Readonly<Record<string, string>> = {
  delivered: 'Delivered',
  queued: 'Queued in the agent',
  held: 'Held here until the agent rests',
  refused: 'Not delivered',
  failed: 'Not delivered',
}

function Outcome({ result, detail }: { result: string; detail?: string }) {
  const isBad = result === 'refused' || result === 'failed' || /not/.test(result)
  return (
    <p
      class={`tiny ${isBad ? 'tone-danger' : 'dim'}`}
      role="status"
      style={isBad ? { color: 'var(--danger)' } : undefined}
    >
      {WORDS[result] ?? result}
      {detail && `: ${detail}`}
    </p>
  )
}

function HeldPrompts({ session, onEdit }: { session: Session; onEdit(held: Held): void }) {
  const { value, reload } = useLoad(`${session.id}:${session.held ?? 0}`, signal =>
    getJson<{ items: Held[] }>(`/sessions/${session.id}/messages`, { signal }),
  )
  useEffect(
    () =>
      onEvent(({ type, data }) => {
        if (type.startsWith('prompt.') && data.session === session.id) reload()
      }),
    [session.id, reload],
  )
  const held = value?.items ?? []
  if (held.length === 0) return null
  const edit = async (item: Held) => {
    await dropPrompt(session.id, item.id)
    onEdit(item)
    reload()
  }
  return (
    <ul class="held" aria-label="Waiting prompts">
      {held.map(item => (
        <li key={item.id} class="row small">
          <span class="chip">waits</span>
          <span class="grow cut">{item.text}</span>
          <button type="button" class="btn quiet" disabled={!canDecide.value} onClick={() => void edit(item)}>
            Edit
          </button>
          <button
            type="button"
            class="btn quiet icon"
            aria-label="Take this prompt back"
            disabled={!canDecide.value}
            onClick={() => void dropPrompt(session.id, item.id).then(reload)}
          >
            <CloseIcon />
          </button>
        </li>
      ))}
    </ul>
  )
}
