import type { LiveBus, LiveUpdate } from '../../host/index.js'
import type { CleanText } from '../wire/clean-text.js'
import { frameOf } from './event-feed.js'

export interface FedUpdate {
  type: LiveUpdate['type']
  session: string
  frame: string
}

/** Provisional text, written once for all who listen, and not at all while nobody does. */
export class UpdateFeed {
  readonly #listeners = new Set<(update: FedUpdate) => void>()
  readonly #unlisten: () => void

  constructor(bus: LiveBus, text: CleanText) {
    this.#unlisten = bus.listen(update => {
      if (this.#listeners.size === 0) return
      const { type, session } = update
      const fed = { type, session, frame: frameOf(type, text.json(update, 'rfc3339')) }
      for (const listener of this.#listeners) listener(fed)
    })
  }

  listen(listener: (update: FedUpdate) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#unlisten()
    this.#listeners.clear()
  }
}
