import type { SessionRecord } from '../sessions/index.js'

/**
 * The session that a person's words go to when they name none: the one they chose last on this surface, or began since; when that has
 * ended, the one they used most recently before it. Null when none of theirs runs.
 */
export function activeSession(
  records: readonly SessionRecord[],
  { person, surface }: { person: string; surface: string },
): SessionRecord | null {
  const running = records.filter(
    record => record.person === person && (record.state === 'live' || record.state === 'starting'),
  )
  const usedAt = ({ startedAt, chosen }: SessionRecord) => Math.max(startedAt, chosen?.[surface] ?? 0)
  return running.reduce<SessionRecord | null>(
    (newest, record) => (newest === null || usedAt(record) >= usedAt(newest) ? record : newest),
    null,
  )
}
