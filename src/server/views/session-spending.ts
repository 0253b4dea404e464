import type { Host } from '../../host/index.js'
import type { SessionRecord } from '../../sessions/index.js'

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

/** The label of a session that works for a run: the run counts what it spends. */
const OF_A_RUN = /^run_[a-z0-9]+\//

/** What sessions spent between two times, by day; live ones as they report it now. */
export function sessionDays(
  host: Pick<Host, 'agentStats'>,
  records: readonly SessionRecord[],
  { from, to }: { from: number; to: number },
): SessionDay[] {
  const [first, last] = [dayOf(from), dayOf(to)]
  return records
    .filter(({ label, startedAt }) => startedAt <= to && !OF_A_RUN.test(label ?? ''))
    .flatMap(record => {
      const { id: session, agent, project, stats: final } = record
      const stats = host.agentStats(session) ?? final
      return Object.entries(stats?.days ?? {})
        .filter(([day]) => day >= first && day <= last)
        .map(([day, spent]) => ({ session, agent, model: stats?.model ?? '–', project, day, ...spent }))
    })
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
