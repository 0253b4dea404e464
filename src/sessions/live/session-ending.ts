import type { EventData, EventType } from '../../events/index.js'
import type { KeptExit } from '../../keeper/index.js'
import type { Look } from '../../panes/index.js'
import { ExitScreen } from './exit-screen.js'
import type { SessionNotices } from './session-notices.js'
import type { AgentTraits } from './session-options.js'

export interface SessionEndingOptions {
  agent: AgentTraits
  agentSessionId: string | null
  notices(): SessionNotices
  lastLook(): Look | null
  isCatchingUp(): boolean
  record<T extends EventType>(type: T, data: EventData<T>): void
}

/** How a session ends, and by which name its conversation can be gone on with. */
export class SessionEnding {
  readonly #options: SessionEndingOptions
  readonly #screen = new ExitScreen()
  #agentSessionId: string | null
  #exit: KeptExit | null = null
  #wanted: string | null = null

  constructor(options: SessionEndingOptions) {
    this.#options = options
    this.#agentSessionId = options.agentSessionId
  }

  get exit(): KeptExit | null {
    return this.#exit
  }

  observe(look: Look): void {
    this.#screen.observe(look)
  }

  /** The end that comes is wanted: whatever the exit code, it is no crash. */
  expect(reason: string): void {
    this.#wanted ??= reason
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

  /** Writes the end down, and tells of it where nobody wanted it. */
  write(): void {
    const { agent, isCatchingUp, notices, record } = this.#options
    const exit = this.#exit && { code: this.#exit.code, signal: this.#exit.signal }
    const isCrash = exit !== null && (exit.signal !== null || exit.code !== 0) && this.#wanted === null
    this.#identifyByLastWords()
    if (isCrash && !isCatchingUp())
      notices().crashed(this.#exit!, { canResume: agent.canResume && this.#agentSessionId !== null })
    record('session.ended', { exit, reason: this.#wanted ?? (isCrash ? 'crashed' : 'exited') })
  }

  /** Many agents say in their last words how to come back. A better source may have told before. */
  #identifyByLastWords(): void {
    const { agent, lastLook } = this.#options
    const last = lastLook()
    if (this.#agentSessionId !== null || !agent.exitId || !last) return
    const found = agent.exitId(this.#screen.rows(last))
    if (found !== null) this.identify(found, 'exit screen')
  }
}
