import type { ChildProcess } from 'node:child_process'
import type { PaneInfo } from '../../src/supervision/index.js'
import { waitFor } from './harness.js'

/** The output of `signalbox watch --json`. */
export class Watch {
  readonly panes = new Map<string, PaneInfo>()
  readonly reports: { type: string; pane: PaneInfo }[] = []
  readonly #read = new Map<string, number>()
  isListed = false
  #rest = ''

  constructor(child: ChildProcess) {
    child.stdout!.on('data', chunk => {
      this.#rest += String(chunk)
      const lines = this.#rest.split('\n')
      this.#rest = lines.pop()!
      for (const line of lines) this.#take(JSON.parse(line))
    })
  }

  at(place: string): PaneInfo | undefined {
    return [...this.panes.values()].find(pane => pane.place === place)
  }

  /** Waits for the first report of this pane with such a status, after the last one waited for. */
  wait(place: string, ...statuses: string[]): Promise<PaneInfo> {
    const from = this.#read.get(place) ?? 0
    return waitFor(`${place} to be ${statuses.join(' or ')}`, () => {
      const at = this.reports.findIndex(
        ({ type, pane }, index) =>
          index >= from && type === 'pane' && pane.place === place && statuses.includes(pane.status) && isRead(pane),
      )
      if (at < 0) return null
      this.#read.set(place, at)
      return this.reports[at]!.pane
    })
  }

  /** A position in the stream: later reports follow later actions. */
  get mark(): number {
    return this.reports.length
  }

  /** The position after the first report of the pane with this status, from this position on. */
  since(mark: number, place: string, status: string): Promise<number> {
    return waitFor(`${place} to be ${status} again`, () => {
      const at = this.reports.findIndex(
        ({ type, pane }, index) => index >= mark && type === 'pane' && pane.place === place && pane.status === status,
      )
      return at + 1
    })
  }

  /** All reported statuses of the pane between two positions. */
  statuses(place: string, from: number, to: number): string[] {
    return this.reports.slice(from, to).flatMap(({ pane }) => (pane.place === place ? [pane.status] : []))
  }

  #take(line: { type: string; pane: PaneInfo }): void {
    if (line.type === 'listed') this.isListed = true
    if (line.type === 'pane') this.panes.set(line.pane.id, line.pane)
    if (line.type === 'gone') this.panes.delete(line.pane.id)
    if (line.type === 'pane' || line.type === 'gone') this.reports.push(line)
  }
}

/** There is evidence about it. */
export function isRead({ why }: PaneInfo): boolean {
  return why.authority !== 'none'
}
