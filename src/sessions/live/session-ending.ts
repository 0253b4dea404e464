import type { EventData, EventType } from '../../events/index.js'
import type { KeptExit } from '../../keeper/index.js'
import type { Look } from '../../panes/index.js'
import type { SessionNotices } from './session-notices.js'
import type { AgentTraits } from './session-options.js'

interface SessionEndingOptions {
  agent: AgentTraits
  agentSessionId: string | null
  notices: Pick<SessionNotices, 'crashed'>
  lastLook(): Look | null
  isCatchingUp(): boolean
  record<T extends EventType>(type: T, data: EventData<T>): void
}

/** How a session ends, and under which id its agent can resume the conversation. */
export class SessionEnding {
  readonly #options: SessionEndingOptions
  readonly #screen = new ExitScreen()
  #agentSessionId: string | null
  #exit: KeptExit | null = null
  #expected: string | null = null

  constructor(options: SessionEndingOptions) {
    this.#options = options
    this.#agentSessionId = options.agentSessionId
  }

  get exit(): KeptExit | null {
    return this.#exit
  }

  get isExpected(): boolean {
    return this.#expected !== null
  }

  observe(look: Look): void {
    this.#screen.observe(look)
  }

  /** An end is expected: it is not a crash, whatever the exit code. */
  expect(reason: string): void {
    this.#expected ??= reason
  }

  exited(exit: KeptExit): void {
    this.#exit = exit
  }

  identify(agentSessionId: string, source: string, agentVersion?: string): void {
    if (agentSessionId === this.#agentSessionId) return
    this.#agentSessionId = agentSessionId
    const version = agentVersion === undefined ? {} : { agentVersion }
    this.#options.record('session.identified', { agentSessionId, source, ...version })
  }

  /** Records the end, and notifies people if it was a crash. */
  write(): void {
    const { agent, isCatchingUp, notices, record } = this.#options
    const exit = this.#exit && { code: this.#exit.code, signal: this.#exit.signal }
    const isCrash = exit !== null && (exit.signal !== null || exit.code !== 0) && this.#expected === null
    this.#identifyByExitScreen()
    if (isCrash && !isCatchingUp())
      notices.crashed(this.#exit!, { canResume: agent.canResume && this.#agentSessionId !== null })
    record('session.ended', { exit, reason: this.#expected ?? (isCrash ? 'crashed' : 'exited') })
  }

  /** Many agents print at their end how to resume. Better sources come first. */
  #identifyByExitScreen(): void {
    const { agent, lastLook } = this.#options
    const last = lastLook()
    if (this.#agentSessionId !== null || !agent.exitId || !last) return
    const found = agent.exitId(this.#screen.rows(last))
    if (found !== null) this.identify(found, 'exit screen')
  }
}

/**
 * The rows that an agent prints when it ends. Only rows drawn after its input box was last seen
 * count: the same words may occur in the conversation.
 */
class ExitScreen {
  #live = new Map<number, string>()

  observe({ frame, observation }: Look): void {
    if (!observation.composer && !observation.awaiting) return
    this.#live = new Map(frame.lines.map(row => [row.id, row.text]))
  }

  rows({ frame }: Look): string[] {
    return frame.lines.filter(row => this.#live.get(row.id) !== row.text).map(row => row.text)
  }
}
