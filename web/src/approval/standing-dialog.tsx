import { useEffect, useState } from 'preact/hooks'
import { baseName, plural } from '../api/format'
import type { Approval, StandingPreview } from '../api/types'
import { toast } from '../store/toasts'
import { postJson } from '../transport/request'
import { Dialog } from '../ui/dialog'
import { isCancelled, withStepUp } from '../ui/step-up'
import { TimeSince } from '../ui/time'
import type { Match } from './standing-match'

/** Typing stops for this long before the preview is loaded again. */
const PREVIEW_AFTER_MS = 250
const SHOWN = 5

/**
 * "Always allow this here, until I revoke it": by pattern, with what it would have covered in the
 * last 30 days. Nothing that is rated high is ever covered.
 */
export function StandingDialog(props: { approval: Approval; match: Match; onMade(): void; onClose(): void }) {
  const { approval, match: suggested } = props
  const { agent, project } = approval.subject
  const isCommand = suggested.kind === 'prefix'
  const [text, setText] = useState(isCommand ? suggested.words.join(' ') : suggested.directory)
  const [isAnyAgent, setAnyAgent] = useState(false)
  const [preview, setPreview] = useState<StandingPreview | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const match: Match = isCommand
    ? { kind: 'prefix', words: text.trim().split(/\s+/) }
    : { kind: 'path', directory: text.trim() }
  const body = { project, agent: isAnyAgent ? null : agent, match }
  const key = JSON.stringify(body)
  useEffect(() => {
    let isCurrent = true
    const timer = setTimeout(async () => {
      try {
        const found = await postJson<StandingPreview>('/grants/preview', JSON.parse(key))
        if (isCurrent) setPreview(found)
        if (isCurrent) setProblem(null)
      } catch (error) {
        if (isCurrent) setPreview(null)
        if (isCurrent) setProblem((error as Error).message)
      }
    }, PREVIEW_AFTER_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [key])
  const make = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      await withStepUp('add a standing approval', () => postJson('/grants', body))
      toast('good', 'Standing approval added', 'Needs you lists it; Revoke ends it.')
      props.onMade()
    } catch (error) {
      if (!isCancelled(error)) setProblem((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <Dialog title="Always allow" onClose={props.onClose}>
      <form class="stack wide" onSubmit={make}>
        <label class="field">
          <span class="label">{isCommand ? 'Commands that begin with' : 'Edits of files below'}</span>
          <input
            class="input mono"
            value={text}
            spellcheck={false}
            onInput={event => setText(event.currentTarget.value)}
          />
        </label>
        <p class="small soft">
          In <b title={project}>{baseName(project)}</b>, until you revoke it. Requests with a high risk are never
          covered.
        </p>
        <label class="row small">
          <input type="checkbox" checked={isAnyAgent} onChange={event => setAnyAgent(event.currentTarget.checked)} />
          For every agent, not only {agent}
        </label>
        <div class="standing-preview" aria-live="polite">
          {problem !== null ? (
            <p class="small tone-danger">{problem}</p>
          ) : preview === null ? (
            <p class="small soft">Looking at the last 30 days…</p>
          ) : (
            <>
              <p class="small strong">
                {preview.count === 0
                  ? 'It would have covered nothing in the last 30 days.'
                  : `In the last 30 days it would have covered ${plural(preview.count, 'request')}${
                      preview.denied > 0 ? `, of which you denied ${preview.denied}` : ''
                    }.`}
              </p>
              <ul class="tiny soft">
                {preview.items.slice(0, SHOWN).map(({ id, title, requestedAt }) => (
                  <li key={id} class="row">
                    <span class="cut grow">{title}</span> <TimeSince at={requestedAt} suffix=" ago" />
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={props.onClose}>
            Back
          </button>
          <button type="submit" class="btn solid" disabled={isBusy || problem !== null || text.trim() === ''}>
            Always allow
          </button>
        </div>
      </form>
    </Dialog>
  )
}
