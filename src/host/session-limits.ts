import { SignalboxError } from '../errors/index.js'
import type { SessionRecord } from '../sessions/index.js'
import type { HostSettings } from './settings.js'

/** The person at this machine, who may start as many sessions as the host can hold. */
export const LOCAL_PERSON = 'local'

/** @throws SignalboxError `E_LIMIT`, naming the limit and the sessions that run. */
export function checkLimits(records: readonly SessionRecord[], person: string, settings: HostSettings): void {
  const running = records.filter(({ state }) => state === 'starting' || state === 'live')
  if (running.length >= settings.maxSessions) refuse(running, settings.maxSessions, 'sessions.max_total')
  const { maxPerPerson } = settings.sessions
  const theirs = running.filter(record => record.person === person)
  if (person !== LOCAL_PERSON && maxPerPerson > 0 && theirs.length >= maxPerPerson)
    refuse(theirs, maxPerPerson, 'sessions.max_per_person')
}

function refuse(running: readonly SessionRecord[], limit: number, setting: string): never {
  const shown = running.slice(0, 10).map(({ number, agent }) => `${number} (${agent})`)
  const more = running.length > shown.length ? ` and ${running.length - shown.length} more` : ''
  throw new SignalboxError(
    'E_LIMIT',
    `${running.length} sessions are running, and the limit is ${limit} (${setting}): ${shown.join(', ')}${more}`,
    { next: 'stop one, or raise the limit in the settings' },
  )
}
