import { timeOf } from '../api/format'
import type { RecordingIndex } from '../api/types'
import { blocksText } from '../blocks/blocks'
import type { Replayed } from './load-replay'

/** The detected status at a position, as rows of a table that compares two positions. */
export function readingAt({ markers, decisions }: RecordingIndex, ms: number): { name: string; value: string }[] {
  const change = markers.findLast(({ kind, atMs }) => kind === 'change' && atMs <= ms)
  const { status, phase, authority, rule } = change?.detail ?? {}
  const open = decisions.find(({ atMs, decidedAtMs }) => atMs <= ms && (decidedAtMs === null || decidedAtMs > ms))
  const made = decisions.findLast(({ decidedAtMs }) => decidedAtMs !== null && decidedAtMs <= ms)
  return [
    { name: 'View', value: change?.label.replaceAll('_', ' ') ?? 'unknown' },
    { name: 'Status', value: status ?? '–' },
    { name: 'Phase', value: phase ?? '–' },
    { name: 'Source', value: authority ? `${authority} (${rule})` : '–' },
    { name: 'Request', value: open?.title ?? '–' },
    { name: 'Last decision', value: made ? `${made.title}, by ${made.by}` : '–' },
    { name: 'Messages', value: String(markers.filter(({ kind, atMs }) => kind === 'message' && atMs <= ms).length) },
  ]
}

/** The lines of all messages up to a position. */
export function conversationUntil({ index, messages }: Replayed, ms: number): string[] {
  const startedAt = timeOf(index.recording.startedAt)
  return messages
    .filter(({ at }) => timeOf(at) - startedAt <= ms)
    .flatMap(message => (message.markdown ?? blocksText(message.blocks)).split('\n'))
}
