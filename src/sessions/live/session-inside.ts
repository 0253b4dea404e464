import type { EventData, EventType } from '../../events/index.js'
import { Effects, Waiters } from './effects.js'
import { Keyboard } from './keyboard.js'
import { PromptReceipts } from './prompt-receipts.js'
import { SessionEnding } from './session-ending.js'
import { type LiveSessionOptions, SILENT_AGENT } from './session-options.js'
import { createParts, type SessionGround, type SessionParts } from './session-parts.js'
import { SessionTerminal } from './session-terminal.js'
import { DEFAULT_TIMES } from './session-times.js'

/** What the inside of a session needs of its outside. */
export type SessionOutside = Pick<SessionGround, 'press' | 'stop' | 'interrupt' | 'unattendedMs'>

/** The inside of a live session: its terminal, its parts, and what they share. Here looks become phases, and rest lets prompts go out. */
export class SessionInside {
  readonly terminal: SessionTerminal
  readonly ending: SessionEnding
  readonly waiters: Waiters
  readonly effects: Effects
  readonly keyboard: Keyboard
  readonly parts: SessionParts
  readonly #options: LiveSessionOptions

  constructor(options: LiveSessionOptions, outside: SessionOutside) {
    const { record, clock, onError } = options
    const agent = options.agent ?? SILENT_AGENT
    const signals = new PromptReceipts(clock)
    this.#options = options
    this.waiters = new Waiters(clock)
    this.effects = new Effects(onError, () => {
      this.waiters.wake()
      this.releasePrompts()
    })
    this.keyboard = new Keyboard(clock)
    this.terminal = this.#createTerminal(signals)
    this.ending = new SessionEnding({
      agent,
      agentSessionId: record.agentSessionId ?? null,
      notices: () => this.parts.notices,
      lastLook: () => this.terminal.screen.last,
      isCatchingUp: () => this.terminal.isCatchingUp,
      record: (type, data) => this.record(type, data),
    })
    this.parts = createParts({
      ...outside,
      options,
      agent,
      signals,
      times: { ...DEFAULT_TIMES, ...options.times },
      terminal: this.terminal,
      ending: this.ending,
      waiters: this.waiters,
      effects: this.effects,
      keyboard: this.keyboard,
      record: (type, data) => this.record(type, data),
      isIdle: () => this.isIdle,
    })
  }

  /** The agent is at rest, that has been believed, and all it said is in the log. */
  get isIdle(): boolean {
    return this.#isAtRest && !this.isResuming && !this.parts.messages.isClosing
  }

  /** It goes on with an earlier conversation, and has not shown it yet. */
  get isResuming(): boolean {
    return this.#options.record.resumedFrom !== undefined && !this.parts.phase.isReady && this.ending.exit === null
  }

  record<T extends EventType>(type: T, data: EventData<T>): void {
    this.effects.later(async () => void (await this.#options.journal.write(type, data)))
  }

  /** Prompts that waited go out, if the agent rests. */
  releasePrompts(): void {
    const { prompts } = this.parts
    if (this.terminal.isCatchingUp || prompts.held.length === 0) return
    void prompts.releaseNext().catch(this.#options.onError)
  }

  get #isAtRest(): boolean {
    const look = this.terminal.last
    if (this.parts.phase.phase !== 'dormant' || !look?.isSettled) return false
    return look.observation.busy === false && look.observation.awaiting === null
  }

  #createTerminal(signals: PromptReceipts): SessionTerminal {
    return new SessionTerminal({
      session: this.#options,
      signals,
      isExited: () => this.ending.exit !== null,
      onLook: look => {
        this.ending.observe(look)
        this.parts.phase.see(look)
      },
      onTime: t => this.parts.phase.tick(t),
      nextDeadline: () => this.parts.phase.nextDeadline(),
      onOutputs: outputs => {
        if (outputs.length > 0) this.waiters.wake()
        this.releasePrompts()
      },
    })
  }
}
