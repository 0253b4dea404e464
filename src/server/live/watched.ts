/** Tabs of one browser share one stream. Beyond this number the oldest ones are forgotten. */
const VIEWERS_MAX = 32

export interface WatchedItems {
  panes: readonly string[]
  sessions: readonly string[]
}

/**
 * What the readers of one stream watch: panes whose previews they want, and sessions whose
 * provisional text they want. Each reader sets its own items; the stream carries the union.
 */
export class Watched {
  readonly #byViewer = new Map<string, WatchedItems>()
  #panes: ReadonlySet<string> = new Set()
  #sessions: ReadonlySet<string> = new Set()

  set(viewer: string, items: WatchedItems): void {
    this.#byViewer.delete(viewer)
    if (items.panes.length + items.sessions.length > 0) this.#byViewer.set(viewer, items)
    // The viewer that was silent for longest has probably closed its tab.
    for (const oldest of this.#byViewer.keys()) {
      if (this.#byViewer.size <= VIEWERS_MAX) break
      this.#byViewer.delete(oldest)
    }
    const all = [...this.#byViewer.values()]
    this.#panes = new Set(all.flatMap(({ panes }) => panes))
    this.#sessions = new Set(all.flatMap(({ sessions }) => sessions))
  }

  get panes(): ReadonlySet<string> {
    return this.#panes
  }

  get sessions(): ReadonlySet<string> {
    return this.#sessions
  }
}
