import { computed } from '@preact/signals'
import { lineComments } from '../store/prefs'
import type { CommentPlace } from './view-rows'

/** A comment on a change that was not sent yet. */
export interface LineComment extends CommentPlace {
  id: string
  text: string
}

/** The collected comments on the changes of a session or run; they stay until they are sent. */
export function commentsOn(subject: string) {
  const items = computed<readonly LineComment[]>(() => lineComments.value[subject] ?? [])
  const set = (next: readonly LineComment[]) => {
    const { [subject]: _, ...others } = lineComments.peek()
    lineComments.value = next.length === 0 ? others : { ...others, [subject]: [...next] }
  }
  return {
    items,
    add: (place: CommentPlace, text: string) =>
      set([...items.peek(), { ...place, text, id: crypto.randomUUID().slice(0, 8) }]),
    change: (id: string, text: string) => set(items.peek().map(item => (item.id === id ? { ...item, text } : item))),
    remove: (id: string) => set(items.peek().filter(item => item.id !== id)),
    clear: () => set([]),
  }
}
export type CommentStore = ReturnType<typeof commentsOn>

/** All comments as one prompt. */
export function promptOf(comments: readonly LineComment[]): string {
  const parts = inOrder(comments).map(({ file, line, side, code, text }) => {
    const place = line === null ? file : `${file}:${line}${side === 'before' ? ' (removed line)' : ''}`
    const quoted = code.trim() === '' ? '' : `\n> ${code.trim()}`
    return `${place}${quoted}\n${text}`
  })
  const [first] = parts
  return parts.length === 1 ? `About ${first}` : `Comments on your changes:\n\n${parts.join('\n\n')}`
}

/** All comments as the findings of a review. */
export function findingsOf(comments: readonly LineComment[]) {
  return inOrder(comments).map(({ file, line, side, code, text }) => ({
    file,
    line: side === 'before' ? null : line,
    text: side === 'before' && code.trim() !== '' ? `${text}\n\nRemoved line: ${code.trim()}` : text,
  }))
}

function inOrder(comments: readonly LineComment[]): LineComment[] {
  return [...comments].sort((a, b) => a.file.localeCompare(b.file) || (a.line ?? 0) - (b.line ?? 0))
}
