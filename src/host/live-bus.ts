import type { SessionUpdate } from '../sessions/index.js'
import type { AgentStatsView } from './session-stats.js'

/** Ephemeral: stored nowhere. A late listener reads the state from the session. */
export type LiveUpdate = SessionUpdate | { type: 'session.stats'; session: string; stats: AgentStatsView }

/** Passes ephemeral updates on. A listener that throws misses that update only. */
export class LiveBus {
  readonly #listeners = new Set<(update: LiveUpdate) => void>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  listen(listener: (update: LiveUpdate) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(update: LiveUpdate): void {
    for (const listener of this.#listeners) {
      try {
        listener(update)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
