import { useState } from 'preact/hooks'
import type { Run } from '../api/types'
import { FormProblem } from '../start/fields'
import { runs } from '../store/live'
import { go } from '../store/router'
import { postJson } from '../transport/request'
import { Dialog } from '../ui/dialog'

/** What a pull request is opened for: the branch of a run, or the one that is checked out. */
type PullSource = { run: string } | { branch: string }

/**
 * Starts the run that pushes and opens a pull request. It asks in the ledger before it does either,
 * with title and text.
 */
export function OpenPullDialog(props: {
  project: string
  source: PullSource
  /** Who fixes what is found; by default the agents of the profile. */
  agent?: string
  /** There are changes that no commit has. */
  isDirty?: boolean
  onClose(): void
}) {
  const [isDraft, setDraft] = useState(false)
  const [follow, setFollow] = useState<'no' | 'green' | 'merged'>('no')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      const input = { ...props.source, draft: isDraft, follow, ...(props.agent && { agent: props.agent }) }
      const run = await postJson<Run>('/runs', { pipeline: 'pull_request', input, project: props.project })
      runs.put(run)
      go(`/r/${run.id}`)
    } catch (error) {
      setProblem(error)
      setBusy(false)
    }
  }
  return (
    <Dialog title="Open a pull request" onClose={props.onClose}>
      <form class="stack wide" onSubmit={submit}>
        <p class="small soft">
          Signalbox asks you before it pushes the branch and opens the pull request, and shows title and text.
        </p>
        {props.isDirty && <p class="small">Uncommitted changes are not part of it: commit them first.</p>}
        <label class="row small">
          <input type="checkbox" checked={isDraft} onChange={event => setDraft(event.currentTarget.checked)} />
          Draft
        </label>
        <label class="stack small">
          Then
          <select
            class="input"
            value={follow}
            onChange={event => setFollow(event.currentTarget.value as typeof follow)}
          >
            <option value="no">leave it to me</option>
            <option value="green">fix failed checks and comments until nothing is open</option>
            <option value="merged">follow it until it is merged</option>
          </select>
        </label>
        {problem !== null && <FormProblem error={problem} />}
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={props.onClose}>
            Back
          </button>
          <button type="submit" class="btn solid" disabled={isBusy}>
            Continue
          </button>
        </div>
      </form>
    </Dialog>
  )
}
