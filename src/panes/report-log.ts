import type { Authority } from './evidence.js'

/** A report of the last hour: its source, its content and its effect. */
export interface LoggedReport {
  t: number
  /** The time of the last of several equal ones in a row. */
  lastT: number
  count: number
  source: Authority | 'timer' | 'user' | 'content' | 'process'
  says: string
  ref: string
  /** `running → done`, or why nothing changed: `agrees`, `lost to hook`, `debounce` … */
  effect: string
}

const HOUR_S = 3600
const ENTRIES_MAX = 2000

/** Every report of the last hour, with equal neighbours merged. */
export class ReportLog {
  #entries: LoggedReport[] = []

  add(entry: Pick<LoggedReport, 't' | 'source' | 'says' | 'ref' | 'effect'>): void {
    // A report that only repeats the last one of its source adds nothing.
    const same = this.#entries
      .slice(-4)
      .find(
        before =>
          before.source === entry.source &&
          before.says === entry.says &&
          before.ref === entry.ref &&
          before.effect === entry.effect,
      )
    if (same) {
      same.count++
      same.lastT = entry.t
      return
    }
    this.#entries.push({ ...entry, lastT: entry.t, count: 1 })
    if (this.#entries.length > ENTRIES_MAX) this.#entries.shift()
    while (this.#entries.length > 0 && entry.t - this.#entries[0]!.lastT > HOUR_S) this.#entries.shift()
  }

  entries(t: number): LoggedReport[] {
    return this.#entries.filter(entry => t - entry.lastT <= HOUR_S).map(entry => ({ ...entry }))
  }
}
