import { postJson } from '../transport/request'
import { onHello, streamSubscription } from './live'

const viewer = crypto.randomUUID()
const watched = new Map<object, { panes: readonly string[]; sessions: readonly string[] }>()
let isSending = false
let isSent = true

/**
 * Subscribes to previews and provisional text, until the returned function is called. The stream
 * sends them only for watched panes and sessions.
 */
export function watch(subjects: { panes?: readonly string[]; sessions?: readonly string[] }): () => void {
  const key = {}
  watched.set(key, { panes: subjects.panes ?? [], sessions: subjects.sessions ?? [] })
  send()
  return () => {
    watched.delete(key)
    send()
  }
}

/** One request at a time; the last one has the final state. */
function send(): void {
  isSent = false
  if (isSending) return
  isSending = true
  queueMicrotask(async () => {
    while (!isSent) {
      isSent = true
      const subscription = streamSubscription()
      if (!subscription) break
      const all = [...watched.values()]
      const panes = [...new Set(all.flatMap(subjects => subjects.panes))].slice(0, 200)
      const sessions = [...new Set(all.flatMap(subjects => subjects.sessions))].slice(0, 50)
      await postJson(`/events/${subscription}/watch`, { panes, sessions, viewer }).catch(() => undefined)
    }
    isSending = false
  })
}

onHello(send)
