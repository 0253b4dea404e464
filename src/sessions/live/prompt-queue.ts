import { type Clock, newId, type Timer } from '../../clock/index.js'
import type { EventData, EventType } from '../../events/index.js'
import type { SessionJournal } from './journal.js'
import { type HeldPrompt, isEchoOf } from './logged-prompts.js'
import type { SendRefusal, SendResult } from './send-prompt.js'
import { cleanText, isCommand, type TextMeaning } from './send-text.js'

export type { HeldPrompt }

export interface SendOptions {
  /** While the agent works: `queue` in the agent or here; `hold` until it is idle; `refuse`. */
  whenBusy?: 'queue' | 'hold' | 'refuse'
  meaning?: TextMeaning
  clearsDraft?: boolean
  /** Chosen by the sender: a prompt with the same id is the same prompt and is not typed again. */
  id?: string
}

export interface SentPrompt {
  text: string
  /** A command of the agent's own: the agent may answer it without any work. */
  isCommand: boolean
  /** The turn that was opened last before it was typed. */
  before: string | null
}

/** A prompt that the agent took: its turn, if it has one, or its place in the agent's queue. */
export type TakenPrompt = { turn: string | null } | 'queued'

export interface Delivery {
  meaning: TextMeaning
  clearsDraft: boolean
  /** Whether the agent's own queue may be used. */
  mayQueue: boolean
  /** To be awaited before the first byte goes to the agent; if it fails, none goes. */
  onStarted(): Promise<void>
}

interface PromptQueueOptions {
  session: string
  clock: Clock
  journal: SessionJournal
  /** Brings one prompt to the agent, and verifies that the agent took it. */
  deliver(text: string, how: Delivery): Promise<SendResult>
  /** Keeps other input away from the agent meanwhile. */
  alone<T>(work: () => Promise<T>): Promise<T>
  isExited(): boolean
  /** Resolves at the next change of the session, or after `ms`. */
  changed(ms: number): Promise<void>
  isIdle(): boolean
  /** Why no prompt is sent now, such as a budget that is used up; null: nothing prevents it. */
  pause?(): string | null
  record<T extends EventType>(type: T, data: EventData<T>): void
  lastTurn(): string | null
  /** Where this prompt is, which the agent took while it worked (`wasBusy`) or while it did not. */
  onTaken(sent: SentPrompt, wasBusy: boolean): TakenPrompt
  /**
   * Resolves when the agent is seen to work on this turn or has finished it, or after a time limit.
   */
  untilStarted(turn: string | null): Promise<unknown>
  /** Resolves when all events so far are in the log. */
  effectsDone(): Promise<void>
  /** The agent did not take a held prompt. */
  onFailed(detail: string): void
  onError(error: unknown): void
}

/** Refusals that pass: a held prompt continues to wait. */
const TEMPORARY: ReadonlySet<SendRefusal> = new Set([
  'busy',
  'menu',
  'draft',
  'no-composer',
  'overlay',
  'completion',
  'shell-mode',
])
const RETRY_MS = 2_000
/** How long a prompt that another host was typing may take to appear as a turn. */
const INTERRUPTED_TYPING_MS = 5_000
const INTERRUPTED_TYPING = 'Signalbox ended while it typed the prompt; part of it may be in the input box'
/** How many results are remembered, for senders that ask again. */
const RESULTS_KEPT = 200

/**
 * Prompts on their way to the agent: typed now, queued in the agent, or held here until it is idle.
 * Each prompt is in the log before its first key, and its result afterwards, so that a host that
 * dies loses none: a prompt that it had not started to type is sent later; one that it had started
 * is looked for on screen and never typed again. Held prompts are sent one at a time, oldest first.
 */
export class PromptQueue {
  readonly #options: PromptQueueOptions
  readonly #results = new Map<string, Promise<SendResult>>()
  #held: HeldPrompt[]
  /** The turn of the prompt that was delivered last. */
  #turn: string | null = null
  #isReleasing = false
  #retry: Timer | null = null

  constructor(options: PromptQueueOptions) {
    this.#options = options
    const { held, results } = options.journal.prompts
    this.#held = [...held]
    for (const { id } of held) this.#rememberResult(id, Promise.resolve({ result: 'held', prompt: id }))
    for (const [id, result] of results) this.#rememberResult(id, Promise.resolve(resultOf(result)))
  }

  get held(): readonly HeldPrompt[] {
    return this.#held
  }

  send(text: string, options: SendOptions = {}): Promise<SendResult> {
    const id = options.id ?? newId('msg')
    const known = this.#results.get(id)
    if (known) return known
    const sending = this.#send(id, text, options)
    this.#rememberResult(id, sending)
    // A prompt that never got into the log may be sent again.
    sending.catch(() => this.#results.delete(id))
    return sending
  }

  /** Drops a held prompt. */
  drop(id: string): boolean {
    const isHeld = this.#held.some(prompt => prompt.id === id)
    if (isHeld) this.#release(id, 'dropped')
    return isHeld
  }

  /** After a restart: finds the results of the prompts that another host was typing. */
  resolveUnfinished(): void {
    for (const prompt of this.#options.journal.prompts.unfinished) {
      const result = this.#findResult(prompt)
      this.#rememberResult(prompt.id, result)
      result.catch(this.#options.onError)
    }
  }

  /** Sends the oldest held prompt if the agent is idle. */
  async releaseNext(): Promise<void> {
    const [next] = this.#held
    if (!next || this.#isReleasing || this.#retry || this.#pause !== null || !this.#options.isIdle()) return
    this.#isReleasing = true
    try {
      const result = await this.#type(next.id, next.text, {
        meaning: next.meaning,
        clearsDraft: false,
        mayQueue: false,
        isOffered: () => this.#held.some(({ id }) => id === next.id),
      })
      if (result === null) return
      if (result.result === 'refused' && TEMPORARY.has(result.reason)) return this.#tryAgain()
      this.#release(next.id, result.result, result.result === 'delivered' ? this.#turn : null)
      if (result.result === 'refused' || result.result === 'unconfirmed') this.#options.onFailed(result.detail)
    } finally {
      this.#isReleasing = false
    }
  }

  async #send(
    id: string,
    text: string,
    { whenBusy = 'queue', meaning = 'auto', clearsDraft = false }: SendOptions,
  ): Promise<SendResult> {
    const { session, journal, isIdle, isExited } = this.#options
    await journal.write('prompt.accepted', { session, prompt: id, text, meaning, whenBusy })
    const pause = this.#pause
    if (pause !== null && !isExited()) {
      if (whenBusy !== 'refuse') return { ...this.#hold(id, text, meaning), detail: pause }
      this.#release(id, 'refused')
      return { result: 'refused', reason: 'budget', detail: pause }
    }
    if (whenBusy === 'hold' && !isIdle() && !isExited()) return this.#hold(id, text, meaning)
    const result = (await this.#type(id, text, { meaning, clearsDraft, mayQueue: whenBusy === 'queue' }))!
    const isHeld = result.result === 'refused' && result.reason === 'busy' && whenBusy !== 'refuse'
    if (isHeld) return this.#hold(id, text, meaning)
    this.#release(id, result.result, result.result === 'delivered' ? this.#turn : null)
    return result
  }

  /** Null: the prompt was dropped while it waited for the keyboard. */
  async #type(
    id: string,
    text: string,
    how: Omit<Delivery, 'onStarted'> & { isOffered?: () => boolean },
  ): Promise<SendResult | null> {
    const { session, journal, alone, deliver, untilStarted, lastTurn, onTaken } = this.#options
    const { isOffered = () => true, ...options } = how
    return alone(async () => {
      // The agent shows a prompt that it just took before it shows work: another one now would be
      // typed into a turn that no look has seen begin.
      await untilStarted(this.#turn)
      if (!isOffered()) return null
      const before = lastTurn()
      let hasBegun = false
      const onStarted = async () => {
        if (!hasBegun) await journal.write('prompt.started', { session, prompt: id })
        hasBegun = true
      }
      const result = await deliver(text, { ...options, onStarted })
      if (result.result !== 'delivered' && result.result !== 'queued') return result
      const sent = { text, before, isCommand: isCommand(cleanText(text), how.meaning) }
      const taken = onTaken(sent, result.result === 'queued')
      if (taken === 'queued') return { result: 'queued' }
      this.#turn = taken.turn
      return { result: 'delivered' }
    })
  }

  /**
   * Another host may have typed it: the agent's turns show whether it did. Nothing is typed here.
   */
  async #findResult({ id, text, version }: { id: string; text: string; version: number }): Promise<SendResult> {
    const { isExited, changed, clock, journal, effectsDone, onFailed } = this.#options
    const deadline = clock.monotonic() + INTERRUPTED_TYPING_MS
    for (;;) {
      await effectsDone()
      const found = (await journal.turnsSince(version)).find(({ prompt }) => isEchoOf(journal.asWritten(text), prompt))
      if (found) {
        this.#release(id, 'delivered', found.turn)
        return { result: 'delivered' }
      }
      const left = deadline - clock.monotonic()
      if (left <= 0 || isExited()) break
      await changed(left)
    }
    this.#release(id, 'unconfirmed')
    onFailed(INTERRUPTED_TYPING)
    return { result: 'unconfirmed', detail: INTERRUPTED_TYPING }
  }

  #tryAgain(): void {
    this.#retry = this.#options.clock.setTimer(RETRY_MS, () => {
      this.#retry = null
      this.releaseNext().catch(this.#options.onError)
    })
  }

  get #pause(): string | null {
    return this.#options.pause?.() ?? null
  }

  #hold(id: string, text: string, meaning: TextMeaning): { result: 'held'; prompt: string } {
    const { session, record } = this.#options
    this.#held.push({ id, text, meaning })
    record('prompt.held', { session, prompt: id, text, meaning })
    return { result: 'held', prompt: id }
  }

  #release(id: string, result: string, turn: string | null = null): void {
    const { session, record } = this.#options
    this.#held = this.#held.filter(prompt => prompt.id !== id)
    record('prompt.ended', { session, prompt: id, result, ...(turn && { turn }) })
  }

  #rememberResult(id: string, result: Promise<SendResult>): void {
    this.#results.set(id, result)
    const [oldest] = this.#results.keys()
    if (this.#results.size > RESULTS_KEPT && oldest !== undefined) this.#results.delete(oldest)
  }
}

/** The result that the log has, for a sender that asks again. */
function resultOf(result: string): SendResult {
  if (result === 'delivered' || result === 'queued') return { result }
  return { result: 'unconfirmed', detail: result === 'dropped' ? 'it was dropped' : 'it was not delivered' }
}
