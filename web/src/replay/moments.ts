import type { RecordingIndex } from '../api/types'

export interface Moment {
  atMs: number
  kind: 'decision' | 'change' | 'message' | 'exit'
  label: string
}

/** The moments that the scrubber marks, in order. */
export function momentsOf({ markers, decisions }: RecordingIndex): Moment[] {
  return [
    ...decisions.flatMap(({ atMs, decidedAtMs, title, by }) => [
      { atMs, kind: 'decision' as const, label: `request: ${title}` },
      ...(decidedAtMs === null
        ? []
        : [{ atMs: decidedAtMs, kind: 'decision' as const, label: `decided by ${by}: ${title}` }]),
    ]),
    ...markers
      .filter(({ kind }) => kind === 'change' || kind === 'message' || kind === 'exit')
      .map(({ atMs, kind, label }) => ({
        atMs,
        kind: kind as Moment['kind'],
        label: kind === 'change' ? label.replaceAll('_', ' ') : kind,
      })),
  ].sort((a, b) => a.atMs - b.atMs)
}
