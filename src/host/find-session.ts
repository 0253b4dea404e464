import { SignalboxError } from '../errors/index.js'
import type { SessionRecord } from '../sessions/index.js'

/**
 * The session a person means: by number, id, or a unique beginning of one. Numbers are used again, so the one that runs is meant, else the
 * newest. Digits alone are always a number: an id that happens to begin with them must not stand in for a session that is gone.
 *
 * @param records oldest first
 * @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS`
 */
export function findSession(records: readonly SessionRecord[], word: string): SessionRecord {
  const found = /^\d+$/.test(word) ? byNumber(records, Number(word)) : byId(records, word)
  if (found) return found
  throw new SignalboxError('E_UNKNOWN', `there is no session "${word}"`, {
    next: 'signalbox sessions --all lists them',
  })
}

function byNumber(records: readonly SessionRecord[], number: number): SessionRecord | undefined {
  const same = records.filter(record => record.number === number)
  return same.findLast(isRunning) ?? same.at(-1)
}

function byId(records: readonly SessionRecord[], word: string): SessionRecord | undefined {
  if (word === '') return undefined
  const exact = records.find(({ id }) => id === word)
  if (exact) return exact
  const matching = records.filter(({ id }) => id.startsWith(word) || id.startsWith(`ses_${word}`))
  const running = matching.filter(isRunning)
  const meant = running.length > 0 ? running : matching
  if (meant.length <= 1) return meant[0]
  throw new SignalboxError('E_ID_AMBIGUOUS', `"${word}" could be ${meant.map(({ id }) => id).join(', ')}`, {
    next: 'type more of it',
  })
}

function isRunning({ state }: SessionRecord): boolean {
  return state === 'starting' || state === 'live'
}
