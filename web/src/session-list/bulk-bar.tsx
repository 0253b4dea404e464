import { useState } from 'preact/hooks'
import { plural } from '../api/format'
import { acknowledgePane, interruptSession, sendPrompt } from '../store/actions'
import { canDecide } from '../store/live'
import { attempt, toast } from '../store/toasts'
import { NameDialog } from '../ui/name-dialog'
import { isWorking } from '../ui/status'
import { stopAfterAsking } from './session-actions'
import type { Row } from './session-rows'

/** Actions for all selected sessions. */
export function BulkBar({ rows, onDone }: { rows: readonly Row[]; onDone(): void }) {
  const [isWriting, setWriting] = useState(false)
  if (rows.length === 0) return null
  const live = rows.filter(({ session, state }) => session !== null && state !== 'ended')
  const working = live.filter(({ badge }) => isWorking(badge))
  const panes = rows.filter(({ pane }) => pane !== null)
  const sendAll = async (text: string) => {
    setWriting(false)
    const sent = await Promise.all(live.map(({ id }) => attempt(() => sendPrompt(id, text, 'after-turn'))))
    toast('good', `Sent to ${plural(sent.filter(Boolean).length, 'session')}`)
    onDone()
  }
  return (
    <div class="batch-bar" role="region" aria-label="Selected sessions">
      <span class="grow">{plural(rows.length, 'session')} selected</span>
      <button type="button" class="btn quiet" onClick={onDone}>
        Clear
      </button>
      <button
        type="button"
        class="btn"
        disabled={!canDecide.value || panes.length === 0}
        onClick={() => panes.forEach(({ id }) => void acknowledgePane(id))}
      >
        Mark as seen
      </button>
      <button
        type="button"
        class="btn"
        disabled={!canDecide.value || live.length === 0}
        onClick={() => setWriting(true)}
      >
        Send a prompt…
      </button>
      <button
        type="button"
        class="btn"
        disabled={!canDecide.value || working.length === 0}
        onClick={() => working.forEach(({ id }) => void interruptSession(id))}
      >
        Interrupt
      </button>
      <button
        type="button"
        class="btn danger"
        disabled={!canDecide.value || live.length === 0}
        onClick={() => void stopAfterAsking(live).then(onDone)}
      >
        Stop…
      </button>
      {isWriting && (
        <NameDialog
          title={`Send to ${plural(live.length, 'session')}`}
          label="Prompt"
          maxLength={4_000}
          action="Send"
          onName={text => void sendAll(text)}
          onClose={() => setWriting(false)}
        />
      )}
    </div>
  )
}
