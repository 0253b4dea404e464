import { type EventData, type EventType, newEvent } from '../../events/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import type { Redactor } from '../../text/index.js'
import { turnPrompts } from '../conversation/index.js'
import { type LoggedPrompts, loggedPrompts } from './logged-prompts.js'
import { sessionStream } from './session-record.js'

/**
 * Events that describe progress, not results. A hundred sessions write dozens of them each second,
 * and waiting for the disk would stop every terminal of the host. A crash of the host loses none of
 * them; a power cut may, and it ends the session anyway.
 */
const PROGRESS: ReadonlySet<EventType> = new Set<EventType>([
  'session.phase',
  'session.ready',
  'turn.opened',
  'turn.prompted',
])

/** Events that are read at once: at most a few milliseconds. */
const PAGE = 100

export interface JournalOptions {
  /** Called after each page that is read. */
  pause?(): Promise<void>
  /** Removes secrets from what was said before it is written. */
  redactor?: Redactor | undefined
}

/**
 * Writes a session's events, each once. After a restart the same bytes are read again and lead to
 * the same turns and messages under the same names; the journal does not write what the log already
 * has.
 */
export class SessionJournal {
  readonly #store: EventStore
  readonly #session: string
  readonly #known: Set<string>
  readonly #redactor: Redactor | undefined
  /** Prompts that an earlier host left. */
  readonly prompts: LoggedPrompts

  private constructor(
    store: EventStore,
    session: string,
    earlier: { known: Set<string>; prompts: LoggedPrompts },
    redactor: Redactor | undefined,
  ) {
    this.#store = store
    this.#session = session
    this.#known = earlier.known
    this.#redactor = redactor
    this.prompts = earlier.prompts
  }

  /**
   * Reads what the log has, in pages with a pause after each: a long session has thousands of
   * events, and others want to work meanwhile.
   */
  static async open(
    store: EventStore,
    session: string,
    { pause, redactor }: JournalOptions = {},
  ): Promise<SessionJournal> {
    const known = new Set<string>()
    const prompts: StoredEvent[] = []
    for (let fromVersion = 1; ; ) {
      const page = await store.readStream(sessionStream(session), { fromVersion, limit: PAGE })
      for (const event of page) {
        const name = nameOf(event)
        if (name !== null) known.add(name)
        if (event.type.startsWith('prompt.')) prompts.push(event)
      }
      if (page.length < PAGE)
        return new SessionJournal(store, session, { known, prompts: loggedPrompts(prompts) }, redactor)
      fromVersion = page.at(-1)!.version + 1
      await pause?.()
    }
  }

  /** False: the log already has it. */
  async write<T extends EventType>(type: T, data: EventData<T>): Promise<boolean> {
    const name = nameOf({ type, data })
    if (name !== null) {
      if (this.#known.has(name)) return false
      this.#known.add(name)
    }
    try {
      const options = PROGRESS.has(type) ? { durability: 'normal' as const, documents: 'later' as const } : {}
      await this.#store.append(
        sessionStream(this.#session),
        'any',
        [newEvent(type, this.#withoutSecrets(type, data))],
        options,
      )
      return true
    } catch (error) {
      // It is not in the log: reading the same bytes again writes it then.
      if (name !== null) this.#known.delete(name)
      throw error
    }
  }

  /** A text as events contain it. */
  asWritten(text: string): string {
    return this.#redactor?.redact(text) ?? text
  }

  /** What was said, without secrets. Prompts that wait are written as they will be typed. */
  #withoutSecrets<T extends EventType>(type: T, data: EventData<T>): EventData<T> {
    if (!this.#redactor) return data
    if (type === 'message.final') {
      const { markdown, blocks } = data as EventData<'message.final'>
      return { ...data, markdown: this.asWritten(markdown), blocks: this.#redactor.redactValue(blocks) }
    }
    const { prompt } = data as { prompt?: string }
    const isShown = type === 'turn.opened' || type === 'turn.prompted'
    return isShown && prompt !== undefined ? { ...data, prompt: this.asWritten(prompt) } : data
  }

  /** Turns whose prompts the agent has shown since this version of the log, oldest first. */
  async turnsSince(version: number): Promise<{ turn: string; prompt: string }[]> {
    const events = await this.#store.readStream(sessionStream(this.#session), { fromVersion: version + 1 })
    return turnPrompts(events)
  }
}

/** Notices that occur once in a session's life. */
const ONCE = new Set(['not-ready', 'crash', 'lost'])

/** The name of an event that occurs once; null for events that may repeat. */
function nameOf({ type, data }: Pick<StoredEvent, 'type' | 'data'>): string | null {
  if (type === 'message.final') return `${type} ${String(data.message)} ${String(data.revision ?? 0)}`
  if (type === 'session.identified') return `${type} ${String(data.agentSessionId)}`
  if (type === 'session.noticed' && ONCE.has(String(data.kind))) return `${type} ${String(data.kind)}`
  if (type === 'turn.opened' || type === 'turn.prompted' || type === 'turn.closed')
    return `${type} ${String(data.turn)}`
  if (type === 'session.ready' || type === 'session.ended' || type === 'recording.failed') return type
  return null
}
