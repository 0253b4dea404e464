import type { Host } from '../../host/index.js'
import { dayOf, isOfRun, type SessionRecord, spentDays } from '../../sessions/index.js'

/** What a session spent on a day. */
export interface SessionDay {
  session: string
  agent: string
  model: string
  project: string
  day: string
  input: number
  output: number
  costUsd: number | null
}

/** Spending of sessions between two times, by day; of live sessions as they report it now. */
export function sessionDays(
  host: Pick<Host, 'agentStats'>,
  records: readonly SessionRecord[],
  { from, to }: { from: number; to: number },
): SessionDay[] {
  const [first, last] = [dayOf(from), dayOf(to)]
  return records
    .filter(record => record.startedAt <= to && !isOfRun(record))
    .flatMap(record => {
      const { id: session, agent, project } = record
      const live = host.agentStats(session)
      const model = (live ?? record.stats ?? record.spent)?.model ?? 'unknown'
      return Object.entries(live?.days ?? spentDays(record))
        .filter(([day]) => day >= first && day <= last)
        .map(([day, spent]) => ({ session, agent, model, project, day, ...spent }))
    })
}
