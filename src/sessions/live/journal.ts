import { type EventData, type EventType, newEvent } from '../../events/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import { turnPrompts } from '../conversation/turn-prompts.js'
import { type LoggedPrompts, loggedPrompts } from './logged-prompts.js'
import { sessionStream } from './session-record.js'

/**
 * What a session is going through, as against what it has said and done. A hundred sessions write dozens of these each second, and waiting
 * for the disk stops every terminal of the host: a crash of the host loses none of them, a power cut may, and it ends the session anyway.
 */
const PASSING: ReadonlySet<EventType> = new Set<EventType>([
  'session.phase',
  'session.ready',
  'turn.opened',
  'turn.prompted',
])

/**
 * Writes a session's events, each once. After a restart the same bytes are read again and lead to the same turns and messages under the
 * same names; what the log has of them already is not written again.
 */
export class SessionJournal {
  readonly #store: EventStore
  readonly #session: string
  readonly #known: Set<string>
  /** Prompts that an earlier host left. */
  readonly prompts: LoggedPrompts

  constructor(store: EventStore, session: string, known: Set<string>, prompts: LoggedPrompts = loggedPrompts([])) {
    this.#store = store
    this.#session = session
    this.#known = known
    this.prompts = prompts
  }

  static async open(store: EventStore, session: string): Promise<SessionJournal> {
    const events = await store.readStream(sessionStream(session))
    const known = new Set(events.map(event => nameOf(event)).filter(name => name !== null))
    return new SessionJournal(store, session, known, loggedPrompts(events))
  }

  /** False: the log has it already. */
  async write<T extends EventType>(type: T, data: EventData<T>): Promise<boolean> {
    const name = nameOf({ type, data })
    if (name !== null) {
      if (this.#known.has(name)) return false
      this.#known.add(name)
    }
    try {
      const options = PASSING.has(type) ? { durability: 'normal' as const, documents: 'later' as const } : {}
      await this.#store.append(sessionStream(this.#session), 'any', [newEvent(type, data)], options)
      return true
    } catch (error) {
      // Not in the log, so not known: whoever reads the same bytes again writes it then.
      if (name !== null) this.#known.delete(name)
      throw error
    }
  }

  /** The turns whose prompts the agent has shown since this version of the log, oldest first. */
  async turnsSince(version: number): Promise<{ turn: string; prompt: string }[]> {
    const events = await this.#store.readStream(sessionStream(this.#session), { fromVersion: version + 1 })
    return turnPrompts(events)
  }
}

/** Notices that come once in a session's life. */
const ONCE = new Set(['not-ready', 'crash', 'lost'])

/** What makes an event one of its kind; null for events that may repeat. */
function nameOf({ type, data }: Pick<StoredEvent, 'type' | 'data'>): string | null {
  if (type === 'message.final') return `${type} ${String(data.message)} ${String(data.revision ?? 0)}`
  if (type === 'session.identified') return `${type} ${String(data.agentSessionId)}`
  if (type === 'session.noticed' && ONCE.has(String(data.kind))) return `${type} ${String(data.kind)}`
  if (type === 'turn.opened' || type === 'turn.prompted' || type === 'turn.closed')
    return `${type} ${String(data.turn)}`
  if (type === 'session.ready' || type === 'session.ended' || type === 'recording.failed') return type
  return null
}
