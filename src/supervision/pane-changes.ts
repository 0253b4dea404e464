import { type Glance, isSameGlance, stillTitle } from './pane-glance.js'
import type { PaneInfo } from './pane-info.js'

export type BoardChange = { type: 'pane'; pane: PaneInfo; before: PaneInfo | null } | { type: 'gone'; pane: PaneInfo }

/** What everybody was last told of each pane: a change is told once, and what is the same again is not. */
export class ToldPanes {
  readonly #shown = new Map<string, PaneInfo>()
  readonly #keys = new Map<string, string>()
  readonly #glances = new Map<string, Glance>()
  readonly #listeners = new Set<(change: BoardChange) => void>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  listen(listener: (change: BoardChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Most of the time nothing has happened to a pane since it was last described: then it is not described again. */
  isNew(id: string, glance: Glance): boolean {
    const isSame = isSameGlance(this.#glances.get(id), glance)
    this.#glances.set(id, glance)
    return !isSame
  }

  /** Tells of a pane if there is something to tell. */
  tell(info: PaneInfo): void {
    const { id } = info
    const key = JSON.stringify({
      ...info,
      title: stillTitle(info.title),
      stateId: 0,
      why: { ...info.why, staleForS: info.why.staleForS === null ? null : 1 },
    })
    if (this.#keys.get(id) === key) return
    this.#keys.set(id, key)
    const before = this.#shown.get(id) ?? null
    this.#shown.set(id, info)
    this.#send({ type: 'pane', pane: info, before })
  }

  leave(id: string): void {
    const info = this.#shown.get(id)
    this.#shown.delete(id)
    this.#keys.delete(id)
    this.#glances.delete(id)
    if (info) this.#send({ type: 'gone', pane: info })
  }

  #send(change: BoardChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
