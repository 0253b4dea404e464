import { postJson } from '../transport/request'
import { onHello, streamSubscription } from './live'

const viewer = crypto.randomUUID()
const wishes = new Map<object, { panes: readonly string[]; sessions: readonly string[] }>()
let isTelling = false
let isTold = true

/** Says what a part of the page looks at, until it is called off: the stream carries pictures and unfinished text only for that. */
export function watch(wish: { panes?: readonly string[]; sessions?: readonly string[] }): () => void {
  const key = {}
  wishes.set(key, { panes: wish.panes ?? [], sessions: wish.sessions ?? [] })
  tell()
  return () => {
    wishes.delete(key)
    tell()
  }
}

/** One at a time, and always what is true at the end. */
function tell(): void {
  isTold = false
  if (isTelling) return
  isTelling = true
  queueMicrotask(async () => {
    while (!isTold) {
      isTold = true
      const subscription = streamSubscription()
      if (!subscription) break
      const all = [...wishes.values()]
      const panes = [...new Set(all.flatMap(wish => wish.panes))].slice(0, 200)
      const sessions = [...new Set(all.flatMap(wish => wish.sessions))].slice(0, 50)
      await postJson(`/events/${subscription}/watch`, { panes, sessions, viewer }).catch(() => undefined)
    }
    isTelling = false
  })
}

onHello(tell)
