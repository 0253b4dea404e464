import type { Block } from '../screen/index.js'
import type { CrewView } from './session-crew.js'

/** What is shown now and kept nowhere: provisional text, typing. Late joiners get the newest state from the session itself. */
export type LiveUpdate =
  | { type: 'message.update'; session: string; turn: string; message: string; blocks: readonly Block[] }
  | { type: 'typing'; session: string; on: boolean }
  | { type: 'session.crew'; session: string; crew: CrewView }

/** Fan-out inside one process. A listener that throws is dropped from that update, not from the bus. */
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
