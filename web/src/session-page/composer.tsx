import { useEffect, useRef, useState } from 'preact/hooks'
import { plural } from '../api/format'
import type { HeldPrompt, HeldPrompts as HeldPromptList, Sent, Session } from '../api/types'
import { dropPrompt, sendPrompt } from '../store/actions'
import { canDecide, onEvent } from '../store/live'
import { attempt, toast } from '../store/toasts'
import { getJson, request } from '../transport/request'
import { ClipIcon, CloseIcon, SendIcon } from '../ui/icons'
import { useLoad } from '../ui/use-load'
import { isPhone } from '../ui/use-width'

/**
 * Sends prompts and shows the result: delivered, queued by the agent, held, or not delivered with
 * the reason.
 */
export function Composer({ session }: { session: Session }) {
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<Sent | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const file = useRef<HTMLInputElement>(null)
  const isAsking = session.awaiting !== null && session.awaiting !== undefined
  const isWorking = session.busy === true
  const isOff = !canDecide.value || isBusy

  const send = async (when: 'now' | 'after-turn') => {
    const prompt = text.trim()
    if (prompt === '' || isOff) return
    setBusy(true)
    const sent = await attempt(() => sendPrompt(session.id, prompt, when))
    setBusy(false)
    if (!sent) return
    // What was not delivered can be sent again.
    if (sent.result !== 'refused') setText('')
    setOutcome(sent)
    field.current?.focus()
  }
  const upload = async (files: FileList | null) => {
    if (!files || files.length === 0) return
    const form = new FormData()
    for (const one of files) form.append('file', one)
    const done = await attempt(() => request(`/sessions/${session.id}/uploads`, { method: 'POST', form }))
    if (done) toast('good', `${plural(files.length, 'file')} attached`)
    if (file.current) file.current.value = ''
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    void send(isAsking || event.ctrlKey || event.metaKey ? 'after-turn' : 'now')
  }

  return (
    <div class="composer">
      <HeldPrompts session={session} onEdit={held => setText(held.text)} />
      {outcome && !isSentSince(outcome, session) && <Outcome sent={outcome} />}
      <div class={`composer-box ${text === '' ? 'is-empty' : ''} ${isAsking ? 'is-asking' : ''}`}>
        <textarea
          id="composer"
          ref={field}
          aria-label="Prompt"
          placeholder={placeholderFor(session)}
          rows={isPhone.value || isAsking ? 1 : 2}
          dir="auto"
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
            aria-label="Attach files"
            title="Attach files"
            disabled={isOff}
            onClick={() => file.current?.click()}
          >
            <ClipIcon />
          </button>
          <span class="grow tiny dim composer-hint">
            <kbd>Enter</kbd> {isAsking ? 'queues' : 'sends'}
            {isWorking && !isAsking && (
              <>
                {' '}
                · <kbd>Ctrl</kbd> <kbd>Enter</kbd> queues
              </>
            )}{' '}
            · <kbd>Shift</kbd> <kbd>Enter</kbd> new line
          </span>
          {(isWorking || isAsking) && (
            <button
              type="button"
              class={`btn queue ${isAsking ? 'solid' : ''}`}
              disabled={isOff || text.trim() === ''}
              title="Send when the agent is idle"
              onClick={() => void send('after-turn')}
            >
              Queue
            </button>
          )}
          {!isAsking && (
            <button
              type="button"
              class="btn solid"
              disabled={isOff || text.trim() === ''}
              onClick={() => void send('now')}
            >
              <SendIcon /> Send
            </button>
          )}
        </div>
      </div>
    </div>
  )
}

function placeholderFor({ paused, awaiting, busy }: Session): string {
  if (paused) return 'Held until the budget is raised'
  const isAsking = awaiting !== null && awaiting !== undefined
  if (isPhone.value) return isAsking ? 'Queue a prompt' : 'Send a prompt'
  if (isAsking) return 'Answer the request first, or queue a prompt'
  return busy === true ? 'Add to the work, or queue the next prompt' : 'What should the agent do next?'
}

const RESULTS: Readonly<Record<Sent['result'], string>> = {
  delivered: 'Delivered',
  queued: 'Queued by the agent',
  held: 'Held until the agent is idle',
  refused: 'Not delivered',
  unconfirmed: 'Delivery not confirmed',
}

/** A prompt that was held has left Signalbox. */
function isSentSince({ result }: Sent, { held }: Session): boolean {
  return result === 'held' && held === 0
}

function Outcome({ sent: { result, detail } }: { sent: Sent }) {
  const isBad = result === 'refused' || result === 'unconfirmed'
  return (
    <p
      class={`tiny ${isBad ? 'tone-danger' : 'dim'}`}
      role="status"
      style={isBad ? { color: 'var(--danger)' } : undefined}
    >
      {result === 'held' && detail ? `Held. ${detail}` : RESULTS[result]}
      {result !== 'held' && detail && `: ${detail}`}
    </p>
  )
}

function HeldPrompts({ session, onEdit }: { session: Session; onEdit(held: HeldPrompt): void }) {
  const { value, reload } = useLoad(`${session.id}:${session.held ?? 0}`, signal =>
    getJson<HeldPromptList>(`/sessions/${session.id}/messages`, { signal }),
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
  const edit = async (item: HeldPrompt) => {
    await dropPrompt(session.id, item.id)
    onEdit(item)
    reload()
  }
  return (
    <ul class="held" aria-label="Held prompts">
      {held.map(item => (
        <li key={item.id} class="row small">
          <span class="chip">held</span>
          <span class="grow cut">{item.text}</span>
          <button type="button" class="btn quiet" disabled={!canDecide.value} onClick={() => void edit(item)}>
            Edit
          </button>
          <button
            type="button"
            class="btn quiet icon"
            aria-label="Delete this prompt"
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
