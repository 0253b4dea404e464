import type { LiveBus, LiveUpdate } from '../../host/index.js'
import type { CrewUpdate, MessageUpdate, TypingUpdate } from '../api-types.js'
import type { CleanText } from '../wire/clean-text.js'
import type { Sendable } from '../wire/index.js'
import { frameOf } from './event-feed.js'

export interface FedUpdate {
  type: LiveUpdate['type']
  session: string
  frame(): string
}

/**
 * Provisional text, serialised once for all streams that watch the session, and not at all if none
 * does.
 */
export class UpdateFeed {
  readonly #listeners = new Set<(update: FedUpdate) => void>()
  readonly #unlisten: () => void

  constructor(bus: LiveBus, text: CleanText) {
    this.#unlisten = bus.listen(update => {
      if (this.#listeners.size === 0) return
      const { type, session } = update
      let written: string | null = null
      const frame = () => {
        const body: Sendable<MessageUpdate | CrewUpdate | TypingUpdate> = update
        written ??= frameOf(type, text.json(body, 'rfc3339'))
        return written
      }
      const fed = { type, session, frame }
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
