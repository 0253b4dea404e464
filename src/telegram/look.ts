import type { Host } from '../host/index.js'
import type { LiveSession, SessionRecord } from '../sessions/index.js'
import type { StoredEvent } from '../store/index.js'
import { ago } from './times.js'

/** The screen as text, without the blank rows at its end. */
export async function screenText(live: LiveSession): Promise<string> {
  await live.settled()
  return (live.frame?.lines ?? [])
    .map(({ text }) => text.trimEnd())
    .join('\n')
    .replace(/\n+$/, '')
}

/** `works · 3 min ago`, and the last row that is not blank. */
export function statusOf(host: Host, record: SessionRecord, now: number): string {
  const live = host.live(record.id)
  const since = ago(now - record.startedAt)
  if (!live) return `${record.state} · started ${since}`
  const doing =
    live.approval?.state === 'pending'
      ? 'needs you'
      : live.isIdle
        ? 'rests'
        : live.phase === 'dormant'
          ? 'rests'
          : 'works'
  return `${doing} · started ${since}`
}

export interface Answer {
  message: string
  blocks: readonly unknown[]
}

/** The answers of a session in the order in which they were first given, each as it was given last. */
export function answersOf(events: readonly StoredEvent[]): Answer[] {
  const answers = new Map<string, Answer>()
  for (const { type, data } of events)
    if (type === 'message.final')
      answers.set(String(data.message), { message: String(data.message), blocks: data.blocks as unknown[] })
  return [...answers.values()]
}
