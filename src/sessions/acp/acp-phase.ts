import type { EventData, EventType } from '../../events/index.js'
import type { MessageWriter } from '../conversation/index.js'
import type { Phase } from '../live/phase-table.js'
import type { SessionNotices } from '../live/session-notices.js'
import type { AcpConversation } from './acp-conversation.js'

interface AcpPhaseOptions {
  conversation: AcpConversation
  notices: SessionNotices
  messages: MessageWriter
  isExited(): boolean
  isCatchingUp(): boolean
  record<T extends EventType>(type: T, data: EventData<T>): void
  onChanged(): void
}

/** The phase of a session without a terminal: it follows from the conversation alone. */
export class AcpPhase {
  readonly #options: AcpPhaseOptions
  #value: Phase = 'dormant'

  constructor(options: AcpPhaseOptions) {
    this.#options = options
  }

  get value(): Phase {
    return this.#value
  }

  /** Reads the conversation again; `event` is what changed it. */
  update(event: string): void {
    const { notices, messages, isCatchingUp, record, onChanged } = this.#options
    const from = this.#value
    const to = this.#read()
    if (to === from) return
    this.#value = to
    if (!isCatchingUp()) record('session.phase', { from, to, event })
    notices.atWork(to === 'thinking' || to === 'streaming')
    messages.typing(to === 'thinking' || to === 'streaming')
    onChanged()
  }

  #read(): Phase {
    const { conversation, isExited } = this.#options
    const { turn, asks, openMessage, blocks } = conversation
    if (turn === null || isExited()) return 'dormant'
    if (asks.length > 0) return 'tool-pending'
    return openMessage !== null && blocks.length > 0 ? 'streaming' : 'thinking'
  }
}
