import { type EventData, type EventType, newEvent } from '../events/index.js'
import type { EventStore, StoredEvent } from '../store/index.js'
import { sessionStream } from './session-record.js'

/**
 * Writes a session's events, each once. After a restart the same bytes are read again and lead to the same turns and messages under the
 * same names; what the log has of them already is not written again.
 */
export class SessionJournal {
  readonly #store: EventStore
  readonly #session: string
  readonly #known: Set<string>

  constructor(store: EventStore, session: string, known: Set<string>) {
    this.#store = store
    this.#session = session
    this.#known = known
  }

  static async open(store: EventStore, session: string): Promise<SessionJournal> {
    const events = await store.readStream(sessionStream(session))
    const known = new Set(events.map(event => nameOf(event)).filter(name => name !== null))
    return new SessionJournal(store, session, known)
  }

  async write<T extends EventType>(type: T, data: EventData<T>): Promise<void> {
    const name = nameOf({ type, data })
    if (name !== null) {
      if (this.#known.has(name)) return
      this.#known.add(name)
    }
    try {
      await this.#store.append(sessionStream(this.#session), 'any', [newEvent(type, data)])
    } catch (error) {
      // Not in the log, so not known: whoever reads the same bytes again writes it then.
      if (name !== null) this.#known.delete(name)
      throw error
    }
  }
}

/** What makes an event one of its kind; null for events that may repeat. */
function nameOf({ type, data }: Pick<StoredEvent, 'type' | 'data'>): string | null {
  if (type === 'message.final') return `${type} ${String(data.message)}`
  if (type === 'turn.opened' || type === 'turn.closed') return `${type} ${String(data.turn)}`
  if (type === 'session.ready' || type === 'session.ended' || type === 'recording.failed') return type
  return null
}
