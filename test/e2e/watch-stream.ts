import type { ChildProcess } from 'node:child_process'
import type { PaneInfo } from '../../src/supervision/index.js'
import { waitFor } from './harness.js'

/** `signalbox watch --json`, as a program reads it. */
export class Watch {
  readonly panes = new Map<string, PaneInfo>()
  readonly told: { type: string; pane: PaneInfo }[] = []
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

  /** The first time, after what was waited for before, that this pane was told of with such a status. */
  wait(place: string, ...statuses: string[]): Promise<PaneInfo> {
    const from = this.#read.get(place) ?? 0
    return waitFor(`${place} to be ${statuses.join(' or ')}`, () => {
      const at = this.told.findIndex(
        ({ type, pane }, index) =>
          index >= from && type === 'pane' && pane.place === place && statuses.includes(pane.status) && isRead(pane),
      )
      if (at < 0) return null
      this.#read.set(place, at)
      return this.told[at]!.pane
    })
  }

  /** A place in what is told: what comes later is about what is done from now on. */
  get mark(): number {
    return this.told.length
  }

  /** The mark behind the first time, from this mark on, that the pane was told of with this status. */
  since(mark: number, place: string, status: string): Promise<number> {
    return waitFor(`${place} to be ${status} again`, () => {
      const at = this.told.findIndex(
        ({ type, pane }, index) => index >= mark && type === 'pane' && pane.place === place && pane.status === status,
      )
      return at + 1
    })
  }

  /** Every status that the pane was told of with between two marks. */
  statuses(place: string, from: number, to: number): string[] {
    return this.told.slice(from, to).flatMap(({ pane }) => (pane.place === place ? [pane.status] : []))
  }

  #take(line: { type: string; pane: PaneInfo }): void {
    if (line.type === 'listed') this.isListed = true
    if (line.type === 'pane') this.panes.set(line.pane.id, line.pane)
    if (line.type === 'gone') this.panes.delete(line.pane.id)
    if (line.type === 'pane' || line.type === 'gone') this.told.push(line)
  }
}

/** Somebody has said something about it. */
export function isRead({ why }: PaneInfo): boolean {
  return why.authority !== 'none'
}
