import { plural } from '../api/format'
import type { Run } from '../api/types'
import { canDecide, runs } from '../store/live'
import { go } from '../store/router'
import { attempt, toast } from '../store/toasts'
import { postJson } from '../transport/request'
import { askFirst } from '../ui/confirm'
import { findingsOf, promptOf } from './comment-texts'
import type { CommentStore } from './line-comments'

/** What to do with the collected comments: one prompt to the agent, or the findings of a review. */
export function CommentBar(props: {
  comments: CommentStore
  /** The directory that a review fixes. */
  project: string
  /** The run whose branch a review fixes; if absent, the uncommitted changes of the project. */
  run?: string
  /** Who fixes the findings; by default the agents of the profile. */
  agent?: string
  /** Sends a prompt to the agent; absent where there is none. */
  send?: (text: string) => Promise<unknown>
}) {
  const { comments, project, run, agent, send } = props
  const items = comments.items.value
  if (items.length === 0) return null
  const sendAll = async () => {
    const sent = await attempt(() => send!(promptOf(items)))
    if (sent === null) return
    comments.clear()
    toast('good', `${plural(items.length, 'comment')} sent to the agent`)
  }
  const review = async () => {
    const input = { findings: findingsOf(items), fix: true, ...(run !== undefined && { run }), ...(agent && { agent }) }
    const started = await attempt(() => postJson<Run>('/runs', { pipeline: 'review', input, project }))
    if (!started) return
    comments.clear()
    runs.put(started)
    go(`/r/${started.id}`)
  }
  const discard = async () => {
    const isSure = await askFirst({
      title: `Delete ${plural(items.length, 'comment')}?`,
      text: 'They were not sent yet.',
      action: 'Delete',
    })
    if (isSure) comments.clear()
  }
  return (
    <div class="row wrap comment-bar" role="group" aria-label="Collected comments">
      <span class="small grow">{plural(items.length, 'comment')}, not sent yet</span>
      <button type="button" class="btn quiet" onClick={() => void discard()}>
        Delete
      </button>
      <button type="button" class="btn" disabled={!canDecide.value} onClick={() => void review()}>
        Start a review with them
      </button>
      {send && (
        <button type="button" class="btn solid" disabled={!canDecide.value} onClick={() => void sendAll()}>
          Send to the agent
        </button>
      )}
    </div>
  )
}
