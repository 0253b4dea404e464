import type { ApprovalRecord } from '../../approvals/index.js'
import type { EventData, EventType } from '../../events/index.js'
import type { KeptExit, RecordingFailure } from '../../keeper/index.js'
import type { Block } from '../../screen/index.js'
import type { MessageRef } from '../conversation/index.js'
import type { InterruptResult } from '../live/interrupt-agent.js'
import type { HeldPrompt } from '../live/logged-prompts.js'
import type { Phase } from '../live/phase-table.js'
import type { Delivery, SendOptions } from '../live/prompt-queue.js'
import type { SendResult } from '../live/send-prompt.js'
import { cleanText } from '../live/send-text.js'
import { endProcess } from '../live/session-ending.js'
import type { SessionObserver } from '../live/session-options.js'
import type { LocalSession, SessionState } from '../live/session-port.js'
import { type AcpParts, type AcpSessionOptions, acpParts } from './acp-parts.js'
import { METHOD } from './wire.js'
import { observationOf, WithoutScreen } from './without-screen.js'

/** How long the agent may take to stop its turn. */
const CANCEL_MS = 10_000
/** How long a prompt waits for the agent's conversation to be open. */
const READY_MS = 60_000
const STOP_GRACE_MS = 10_000

/**
 * An agent that speaks the Agent Client Protocol, without a terminal. The keeper owns its process
 * and records both directions of the conversation; `AcpConversation` folds them, old messages and
 * new ones alike. What surfaces see and the log contains is the same as for a session in a
 * terminal: turns, messages, requests, prompts.
 *
 * Files and terminals of Signalbox (`client/`) are for an agent without a sandbox, which could
 * reach the same itself. In a sandbox the agent has its own, and what it may do there is a request
 * in the ledger.
 */
export class AcpSession extends WithoutScreen implements LocalSession {
  readonly id: string
  readonly #options: AcpSessionOptions
  readonly #parts: AcpParts
  #observer: SessionObserver | null = null
  #isLive = false
  #isClosed = false

  constructor(options: AcpSessionOptions) {
    super()
    this.id = options.record.id
    this.#options = options
    this.#parts = acpParts(options, {
      isLive: () => this.#isLive,
      isIdle: () => this.isIdle,
      record: (type, data) => this.#record(type, data),
      deliver: (text, how) => this.#deliver(text, how),
      interrupt: () => this.interrupt(),
      changed: () => this.#changed(),
    })
  }

  // — what surfaces read —

  get offset(): number {
    return this.#parts.channel.offset
  }

  get phase(): Phase {
    return this.#parts.phase.value
  }

  get lastTurn(): string | null {
    return this.#parts.conversation.lastTurn
  }

  get exit(): KeptExit | null {
    return this.#parts.ending.exit
  }

  get observation(): SessionState['observation'] {
    if (this.#parts.conversation.isReady) return observationOf(this.phase, 'open')
    return observationOf(this.phase, this.#parts.handshake.needsSignIn ? 'needs sign-in' : 'opening')
  }

  get question(): string | null {
    return this.approval?.display.title ?? null
  }

  get compactCommand(): string | null {
    const found = ['compact', 'compress', 'summarize'].find(name => this.#parts.conversation.commands.includes(name))
    return found === undefined ? null : `/${found}`
  }

  get approval(): ApprovalRecord | null {
    return this.#parts.requests.first
  }

  get openMessage(): MessageRef | null {
    return this.#parts.conversation.openMessage
  }

  get blocks(): readonly Block[] {
    return this.#parts.conversation.blocks
  }

  get heldPrompts(): readonly HeldPrompt[] {
    return this.#parts.prompts.held
  }

  get isIdle(): boolean {
    return (
      this.#parts.conversation.isReady &&
      this.phase === 'dormant' &&
      !this.#parts.messages.isClosing &&
      this.exit === null
    )
  }

  // — from the keeper —

  output(bytes: Uint8Array, t: number, offset: number): void {
    this.#parts.channel.output(bytes, t, offset)
    this.#parts.notices.changed()
    this.#observer?.outputs([], t, this.#isLive)
    this.#changed()
  }

  typed(bytes: Uint8Array, t: number): void {
    this.#parts.channel.typed(bytes, t)
  }

  marked(label: string): void {
    this.#parts.channel.marked(label)
  }

  exited(exit: KeptExit): void {
    this.#parts.ending.exited(exit)
    this.#parts.channel.exited(exit.t)
    this.#observer?.exited(exit, this.#parts.ending.isExpected)
    this.#parts.notices.stop()
    this.#parts.effects.enqueue(() => this.#parts.requests.withdrawAll('session ended'))
    this.#parts.phase.update('process-exit')
    this.#parts.ending.write()
    this.#parts.effects.enqueue(async () => this.#parts.terminals?.endAll())
    this.#parts.effects.enqueue(() => this.#options.keeper.forget(this.id))
    this.#parts.effects.enqueue(async () => this.#options.onEnded?.())
    this.#parts.waiters.wake()
  }

  lagging(): void {
    this.#isLive = false
    this.#options.onLagging?.()
  }

  unrecorded({ code, message }: RecordingFailure): void {
    const { recording } = this.#options.record
    this.#record('recording.failed', { session: this.id, recording, code, message })
  }

  async goLive(): Promise<void> {
    this.#isLive = true
    if (this.exit) return
    this.#parts.notices.start({ isReady: this.#parts.conversation.isReady })
    this.#parts.notices.atWork(this.phase !== 'dormant')
    if (this.offset > 0) this.#parts.effects.enqueue(() => this.#parts.requests.takeOver(this.#parts.conversation.asks))
    this.#parts.clientCalls?.takeOver(this.#parts.conversation.clientCalls)
    this.#parts.prompts.resolveUnfinished()
    this.#parts.effects.enqueue(() => this.#parts.events.continueHandshake())
    this.#changed()
  }

  observe(observer: SessionObserver): void {
    this.#observer = observer
  }

  detach(): void {
    this.#parts.messages.stop()
  }

  close(): void {
    this.#isClosed = true
    this.#parts.notices.stop()
  }

  // — from people —

  async send(text: string, options: SendOptions = {}): Promise<SendResult> {
    await this.#parts.waiters.until(READY_MS, () => this.#isSettled)
    return this.#parts.prompts.send(text, options)
  }

  async dropPrompt(id: string): Promise<boolean> {
    return this.#parts.prompts.drop(id)
  }

  async interrupt(): Promise<InterruptResult> {
    const { turn, agentSession: sessionId } = this.#parts.conversation
    if (this.exit) return { result: 'refused', reason: 'gone', detail: 'the session has ended' }
    if (turn === null) return { result: 'idle' }
    await this.#parts.channel.write({ method: METHOD.cancel, params: { sessionId } })
    for (const ask of this.#parts.conversation.asks) {
      await this.#parts.requests.withdraw(ask, 'interrupted')
      await this.#parts.channel.answer(ask, null)
      this.#changed()
    }
    const isStopped = await this.#parts.waiters.until(
      CANCEL_MS,
      () => this.exit !== null || this.#parts.conversation.turn !== turn,
    )
    await this.effectsDone()
    return isStopped
      ? { result: 'interrupted' }
      : { result: 'unconfirmed', detail: 'the agent has not ended its turn yet' }
  }

  async stop(reason = 'stopped', graceMs = STOP_GRACE_MS): Promise<void> {
    if (this.exit) return
    this.#parts.ending.expect(reason)
    const { clock, keeper } = this.#options
    if (graceMs > 0 && this.#parts.conversation.turn !== null) await this.interrupt().catch(this.#options.onError)
    await endProcess(this, { clock, keeper, graceMs })
  }

  async apply(record: ApprovalRecord): Promise<void> {
    await this.#parts.requests.apply(record)
    this.#changed()
  }

  changed(ms: number): Promise<void> {
    return this.#parts.waiters.changed(ms)
  }

  effectsDone(): Promise<void> {
    return this.#parts.effects.done()
  }

  // — inside —

  /** Its conversation is open, or never will be. */
  get #isSettled(): boolean {
    return this.#parts.conversation.isReady || this.#parts.handshake.failure !== null || this.exit !== null
  }

  async #deliver(text: string, { onStarted }: Delivery): Promise<SendResult> {
    const { agentSession: sessionId } = this.#parts.conversation
    if (this.exit) return { result: 'refused', reason: 'gone', detail: 'the session has ended' }
    if (!this.#parts.conversation.isReady)
      return {
        result: 'refused',
        reason: 'no-agent',
        detail: this.#parts.handshake.failure?.error.message ?? 'the agent has not opened its conversation yet',
      }
    const clean = cleanText(text)
    if (clean.trim() === '') return { result: 'refused', reason: 'text', detail: 'the prompt is empty' }
    if (this.#parts.conversation.turn !== null)
      return { result: 'refused', reason: 'busy', detail: 'the agent works on another prompt' }
    await onStarted()
    await this.#parts.channel.call(METHOD.prompt, { sessionId, prompt: [{ type: 'text', text: clean }] })
    return { result: 'delivered' }
  }

  #record<T extends EventType>(type: T, data: EventData<T>): void {
    if (this.#isClosed) return
    this.#parts.effects.enqueue(async () => void (await this.#options.journal.write(type, data)))
  }

  #changed(): void {
    this.#parts.waiters.wake()
    this.releasePrompts()
  }

  releasePrompts(): void {
    if (!this.#isLive || this.exit || this.#parts.prompts.held.length === 0) return
    void this.#parts.prompts.releaseNext().catch(this.#options.onError)
  }
}
