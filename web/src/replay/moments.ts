import type { Time } from '../api/types'

export interface Marker {
  atMs: number
  kind: 'resize' | 'marker' | 'exit' | 'change' | 'message'
  label: string
  detail?: { status?: string; phase?: string; authority?: string; rule?: string; awaiting?: string | null }
}

export interface Decision {
  approval: string
  atMs: number
  title: string
  state: string
  decidedAtMs: number | null
  by: string | null
  option: string | null
}

export interface Index {
  recording: { id: string; session: string; agent: string; label: string | null; project: string; startedAt: Time }
  durationMs: number
  markers: Marker[]
  decisions: Decision[]
}

export interface Moment {
  atMs: number
  kind: 'decision' | 'change' | 'message' | 'exit'
  label: string
}

export function momentsOf({ markers, decisions }: Index): Moment[] {
  return [
    ...decisions.flatMap(({ atMs, decidedAtMs, title, by }) => [
      { atMs, kind: 'decision' as const, label: `asked: ${title}` },
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
