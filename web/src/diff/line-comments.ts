import { computed } from '@preact/signals'
import { lineComments } from '../store/prefs'
import type { LineComment } from './comment-texts'
import type { CommentPosition } from './view-rows'

/** The collected comments on the changes of a session or run; they stay until they are sent. */
export function commentsOn(subject: string) {
  const items = computed<readonly LineComment[]>(() => lineComments.value[subject] ?? [])
  const set = (next: readonly LineComment[]) => {
    const { [subject]: _, ...others } = lineComments.peek()
    lineComments.value = next.length === 0 ? others : { ...others, [subject]: [...next] }
  }
  return {
    items,
    add: (position: CommentPosition, text: string) =>
      set([...items.peek(), { ...position, text, id: crypto.randomUUID().slice(0, 8) }]),
    change: (id: string, text: string) => set(items.peek().map(item => (item.id === id ? { ...item, text } : item))),
    remove: (id: string) => set(items.peek().filter(item => item.id !== id)),
    clear: () => set([]),
  }
}
export type CommentStore = ReturnType<typeof commentsOn>
