import { isEvent } from '../events/index.js'
import type { EventStore, StoredEvent } from '../store/index.js'

/** What messages about a turn depend on. */
export interface TurnSummary {
  turn: string
  /** Null: its start is not in the log. */
  openedAt: number | null
  prompt: string | null
  hasMessage: boolean
  /** One of its messages has a tool call. */
  hasToolCall: boolean
}

interface KnownSession {
  /** All events up to this version of its stream are in the turns. */
  version: number
  turns: Map<string, TurnSummary>
  /** The turn that got its prompt last. */
  prompted: TurnSummary | null
}

/** Sessions whose turns are kept; those asked about longest ago are read again. */
const SESSIONS_MAX = 200

/**
 * The turns of sessions, for messages about them. An hour of work is thousands of events in one
 * stream: each event is read once, and a message costs the same at the end of a turn as at its
 * start.
 */
export class TurnSummaries {
  readonly #store: Pick<EventStore, 'readStream'>
  readonly #sessions = new Map<string, KnownSession>()

  constructor(store: Pick<EventStore, 'readStream'>) {
    this.#store = store
  }

  async turn(session: string, turn: string): Promise<TurnSummary> {
    return turnOf(await this.#read(session), turn)
  }

  /** The prompt of the newest turn that has one. */
  async lastPrompt(session: string): Promise<string | null> {
    return (await this.#read(session)).prompted?.prompt ?? null
  }

  async #read(session: string): Promise<KnownSession> {
    const known = this.#sessions.get(session) ?? { version: 0, turns: new Map(), prompted: null }
    const events = await this.#store.readStream(`session/${session}`, { fromVersion: known.version + 1 })
    // Another call may have read the same events meanwhile.
    for (const event of events) if (event.version > known.version) fold(known, event)
    this.#sessions.delete(session)
    this.#sessions.set(session, known)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > SESSIONS_MAX) this.#sessions.delete(oldest!)
    return known
  }
}

function fold(known: KnownSession, event: StoredEvent): void {
  known.version = event.version
  if (isEvent(event, 'turn.opened') || isEvent(event, 'turn.prompted')) {
    const turn = turnOf(known, event.data.turn)
    if (isEvent(event, 'turn.opened')) turn.openedAt ??= event.at
    if (event.data.prompt === undefined || turn.prompt !== null) return
    turn.prompt = event.data.prompt
    known.prompted = turn
  } else if (isEvent(event, 'message.final')) {
    const turn = turnOf(known, event.data.turn)
    turn.hasMessage = true
    turn.hasToolCall ||= event.data.blocks.some(({ kind }) => kind === 'tool_call')
  }
}

function turnOf({ turns }: KnownSession, turn: string): TurnSummary {
  const found = turns.get(turn) ?? { turn, openedAt: null, prompt: null, hasMessage: false, hasToolCall: false }
  turns.set(turn, found)
  return found
}
