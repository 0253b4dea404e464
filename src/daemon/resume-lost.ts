import type { Clock } from '../clock/index.js'
import { type Host, resumableLost } from '../host/index.js'

/** Older ones were left alone by their person. */
const RECENT_MS = 24 * 3_600_000

/**
 * Continues the sessions that ran when the machine stopped (`sessions.resume_lost`), one after the
 * other. A session that cannot be resumed does not prevent the others.
 */
export async function resumeLost(host: Host, clock: Clock, log: (line: string) => void): Promise<void> {
  const isRecent = (endedAt = 0) => clock.now() - endedAt < RECENT_MS
  const lost = resumableLost(await host.records())
  for (const record of lost.filter(one => host.isHere(one) && isRecent(one.endedAt))) {
    try {
      const { id } = await host.resumeSession(record, { terminal: null, size: record.size, person: record.person })
      log(`resumed session ${record.id} as ${id}`)
    } catch (error) {
      log(`error: cannot resume session ${record.id}: ${(error as Error).message}`)
    }
  }
}
