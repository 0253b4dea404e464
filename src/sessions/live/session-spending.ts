import type { SessionRecord } from './session-record.js'

interface Spent {
  input: number
  output: number
  costUsd: number | null
}

/** The label of a session that works for a run: the run counts what it spends. */
const OF_A_RUN = /^run_[a-z0-9]+\//

export function isOfRun({ label }: Pick<SessionRecord, 'label'>): boolean {
  return OF_A_RUN.test(label ?? '')
}

/** What a session has used by day (UTC), as far as the log has it. */
export function spentDays({ stats, spent }: SessionRecord): Readonly<Record<string, Spent>> {
  return stats?.days ?? spent?.days ?? {}
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
