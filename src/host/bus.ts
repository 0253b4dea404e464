import type { SessionUpdate } from '../sessions/index.js'
import type { AgentStatsView } from './session-stats.js'

/**
 * Ephemeral: shown now and stored nowhere. A listener that joins late reads the newest state from
 * the session itself.
 */
export type LiveUpdate = SessionUpdate | { type: 'session.crew'; session: string; crew: AgentStatsView }

/**
 * Passes ephemeral updates to all listeners in this process. A listener that throws misses that
 * update only.
 */
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
