/** Tabs of one browser share one stream; more of them than this are counted as one. */
const VIEWERS_MAX = 32

export interface Wish {
  panes: readonly string[]
  sessions: readonly string[]
}

/**
 * What the readers behind one stream look at now: panes whose pictures they want told of, sessions whose words they want while they are
 * written. Each reader says it for itself; the stream carries what any of them wants.
 */
export class Watched {
  readonly #wishes = new Map<string, Wish>()
  #panes: ReadonlySet<string> = new Set()
  #sessions: ReadonlySet<string> = new Set()

  set(viewer: string, wish: Wish): void {
    this.#wishes.delete(viewer)
    if (wish.panes.length + wish.sessions.length > 0) this.#wishes.set(viewer, wish)
    // The one that has said nothing for longest is the one that is gone.
    for (const oldest of this.#wishes.keys()) {
      if (this.#wishes.size <= VIEWERS_MAX) break
      this.#wishes.delete(oldest)
    }
    const all = [...this.#wishes.values()]
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
