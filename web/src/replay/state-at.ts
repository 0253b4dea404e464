import { timeOf } from '../api/format'
import { blocksText } from '../blocks/blocks'
import type { Replayed } from './load-replay'
import type { Index } from './moments'

/** What Signalbox thought at a moment, and how far things were, word by word, so that two moments can be laid side by side. */
export function readingAt({ markers, decisions }: Index, ms: number): { what: string; is: string }[] {
  const change = markers.findLast(({ kind, atMs }) => kind === 'change' && atMs <= ms)
  const { status, phase, authority, rule } = change?.detail ?? {}
  const open = decisions.find(({ atMs, decidedAtMs }) => atMs <= ms && (decidedAtMs === null || decidedAtMs > ms))
  const made = decisions.findLast(({ decidedAtMs }) => decidedAtMs !== null && decidedAtMs <= ms)
  return [
    { what: 'View', is: change?.label.replaceAll('_', ' ') ?? 'nothing read yet' },
    { what: 'Status', is: status ?? '–' },
    { what: 'Phase', is: phase ?? '–' },
    { what: 'By', is: authority ? `${authority} (${rule})` : '–' },
    { what: 'Asks for', is: open?.title ?? '–' },
    { what: 'Last decision', is: made ? `${made.title}, by ${made.by}` : '–' },
    { what: 'Messages', is: String(markers.filter(({ kind, atMs }) => kind === 'message' && atMs <= ms).length) },
  ]
}

/** Everything that had been said by then, line by line. */
export function saidBefore({ index, messages }: Replayed, ms: number): string[] {
  const began = timeOf(index.recording.startedAt)
  return messages
    .filter(({ at }) => timeOf(at) - began <= ms)
    .flatMap(message => (message.markdown ?? blocksText(message.blocks)).split('\n'))
}
