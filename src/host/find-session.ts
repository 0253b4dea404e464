import { matchingIds } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { SessionRecord } from '../sessions/index.js'

/**
 * The session that a person names: by number, by id, or by a unique prefix of an id. Numbers are
 * used again, so a number means the running session, else the newest. Digits alone are always a
 * number: an id that happens to begin with them must not select another session in place of one
 * that has ended.
 *
 * @param records oldest first
 * @param person Every person counts their sessions from 1: a number is first one of their own.
 * @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS`
 */
export function findSession(records: readonly SessionRecord[], word: string, person?: string): SessionRecord {
  const own = records.filter(record => record.person === person)
  const found = /^\d+$/.test(word)
    ? (byNumber(own, Number(word)) ?? byNumber(records, Number(word)))
    : byId(records, word)
  if (found) return found
  throw new SignalboxError('E_UNKNOWN', `unknown session "${word}"`, {
    next: 'signalbox sessions --all lists them',
  })
}

/**
 * The session that a person's prompts go to if they name none: the one that they selected last on
 * this surface, or started since; if that has ended, the one that they used before it. Null if none
 * of theirs runs.
 */
export function activeSession(
  records: readonly SessionRecord[],
  { person, surface }: { person: string; surface: string },
): SessionRecord | null {
  const running = records.filter(record => record.person === person && isRunning(record))
  const usedAt = ({ startedAt, chosen }: SessionRecord) => Math.max(startedAt, chosen?.[surface] ?? 0)
  return running.reduce<SessionRecord | null>(
    (newest, record) => (newest === null || usedAt(record) >= usedAt(newest) ? record : newest),
    null,
  )
}

export function isRunning({ state }: SessionRecord): boolean {
  return state === 'starting' || state === 'live'
}

function byNumber(records: readonly SessionRecord[], number: number): SessionRecord | undefined {
  const same = records.filter(record => record.number === number)
  return same.findLast(isRunning) ?? same.at(-1)
}

function byId(records: readonly SessionRecord[], word: string): SessionRecord | undefined {
  const matching = matchingIds('ses', records, word)
  const running = matching.filter(isRunning)
  const meant = running.length > 0 ? running : matching
  if (meant.length <= 1) return meant[0]
  throw new SignalboxError('E_ID_AMBIGUOUS', `"${word}" matches ${meant.map(({ id }) => id).join(', ')}`, {
    next: 'give more of the id',
  })
}
