import { useState } from 'preact/hooks'
import type { Run, RunNode } from '../api/types'
import { runs } from '../store/live'
import { go } from '../store/router'
import { attempt } from '../store/toasts'
import { postJson } from '../transport/request'
import { Dialog } from '../ui/dialog'

/**
 * Starts a new run that continues from a node of this one; a rewind replaces this run with the new
 * one.
 */
export function ForkDialog(props: { run: Run; at: string; nodes: readonly RunNode[]; onClose(): void }) {
  const reached = props.nodes.filter(({ visits }) => visits > 0)
  const [at, setAt] = useState(props.at || (reached.at(-1)?.node ?? ''))
  const [isRewind, setRewind] = useState(false)
  const fork = async (event: Event) => {
    event.preventDefault()
    const forked = await attempt(() => postJson<Run>(`/runs/${props.run.id}/fork`, { at, rewind: isRewind }))
    if (!forked) return
    runs.put(forked)
    props.onClose()
    go(`/r/${forked.id}`)
  }
  return (
    <Dialog title="Fork this run" onClose={props.onClose}>
      <form class="stack wide" onSubmit={fork}>
        <div class="field">
          <label for="fork-at">Continue from</label>
          <select id="fork-at" class="input" value={at} onChange={event => setAt(event.currentTarget.value)}>
            {reached.map(({ node, label }) => (
              <option key={node} value={node}>
                {label}
              </option>
            ))}
          </select>
          <span class="hint">Earlier steps are kept. The worktree is reset to that point.</span>
        </div>
        <label class="row small">
          <input type="checkbox" checked={isRewind} onChange={event => setRewind(event.currentTarget.checked)} />
          Replace this run with the new one (rewind)
        </label>
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={props.onClose}>
            Back
          </button>
          <button type="submit" class="btn solid" disabled={at === ''}>
            Fork
          </button>
        </div>
      </form>
    </Dialog>
  )
}
