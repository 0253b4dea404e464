import { type Clock, newId, type Timer } from '../clock/index.js'
import type { EventData, EventType } from '../events/index.js'
import type { Pack } from '../screen/index.js'
import type { Keyboard } from './keyboard.js'
import { type SendPort, type SendRefusal, type SendResult, sendPrompt } from './send-gate.js'
import type { TextMeaning } from './send-text.js'

export interface SendOptions {
  /** While the agent works: `queue` in the agent where it can, else here; `hold` here until it rests; `refuse`. */
  whenBusy?: 'queue' | 'hold' | 'refuse'
  meaning?: TextMeaning
  clearsDraft?: boolean
}

export interface HeldPrompt {
  id: string
  text: string
  meaning: TextMeaning
}

export interface PromptsOptions {
  session: string
  port: SendPort
  pack: Pack
  clock: Clock
  keyboard: Keyboard
  readyWaitMs: number
  /** Those that an earlier host held. */
  held: readonly HeldPrompt[]
  isIdle(): boolean
  record<T extends EventType>(type: T, data: EventData<T>): void
  /** The agent took a prompt: its turn has begun. Returns the turn's name. */
  onDelivered(): string | null
  /** Resolves when the agent is seen at work on this turn, or done with it; or when that has been waited for long enough. */
  untilBegun(turn: string | null): Promise<unknown>
  /** A prompt that waited here was not taken. */
  onFailed(detail: string): void
  onError(error: unknown): void
}

/** Someone was faster, or stands in the way for the moment: what is held goes on waiting. */
const PASSING: ReadonlySet<SendRefusal> = new Set([
  'busy',
  'menu',
  'draft',
  'no-composer',
  'overlay',
  'completion',
  'focus',
])
const RETRY_MS = 2_000

/**
 * Prompts on their way to the agent: typed now, waiting in the agent's own queue, or held here until it rests. Held ones are in the log, so
 * that a restart loses none; they go out one at a time, oldest first.
 */
export class Prompts {
  readonly #options: PromptsOptions
  #held: HeldPrompt[]
  /** The turn of the prompt that was delivered last. */
  #turn: string | null = null
  #isReleasing = false
  #retry: Timer | null = null

  constructor(options: PromptsOptions) {
    this.#options = options
    this.#held = [...options.held]
  }

  get held(): readonly HeldPrompt[] {
    return this.#held
  }

  async send(
    text: string,
    { whenBusy = 'queue', meaning = 'auto', clearsDraft = false }: SendOptions = {},
  ): Promise<SendResult> {
    if (whenBusy === 'hold' && !this.#options.isIdle() && !this.#options.port.isExited())
      return this.#hold(text, meaning)
    const result = await this.#type(text, { meaning, clearsDraft, mayQueue: whenBusy === 'queue' })
    const isHeld = result.result === 'refused' && result.reason === 'busy' && whenBusy !== 'refuse'
    return isHeld ? this.#hold(text, meaning) : result
  }

  /** Takes back a prompt that is still held. */
  drop(id: string): boolean {
    const isHeld = this.#held.some(prompt => prompt.id === id)
    if (isHeld) this.#release(id, 'dropped')
    return isHeld
  }

  /** The agent may be at rest: the oldest held prompt goes out. */
  async releaseNext(): Promise<void> {
    const [next] = this.#held
    if (!next || this.#isReleasing || this.#retry || !this.#options.isIdle()) return
    this.#isReleasing = true
    try {
      const result = await this.#type(next.text, { meaning: next.meaning, clearsDraft: false, mayQueue: false })
      if (result.result === 'refused' && PASSING.has(result.reason)) return this.#tryAgain()
      this.#release(next.id, result.result, result.result === 'delivered' ? this.#turn : null)
      if (result.result === 'refused' || result.result === 'unconfirmed') this.#options.onFailed(result.detail)
    } finally {
      this.#isReleasing = false
    }
  }

  async #type(
    text: string,
    { meaning, clearsDraft, mayQueue }: { meaning: TextMeaning; clearsDraft: boolean; mayQueue: boolean },
  ): Promise<SendResult> {
    const { keyboard, port, pack, clock, readyWaitMs, untilBegun } = this.#options
    return keyboard.alone(async () => {
      // A prompt that was just taken shows before the work on it does: what follows would be typed into a turn that nobody saw begin.
      await untilBegun(this.#turn)
      const result = await sendPrompt(port, text, { pack, clock, readyWaitMs, meaning, clearsDraft, mayQueue })
      if (result.result === 'delivered') this.#turn = this.#options.onDelivered()
      return result
    })
  }

  #tryAgain(): void {
    this.#retry = this.#options.clock.setTimer(RETRY_MS, () => {
      this.#retry = null
      this.releaseNext().catch(this.#options.onError)
    })
  }

  #hold(text: string, meaning: TextMeaning): SendResult {
    const { session, record } = this.#options
    const prompt = { id: newId('msg'), text, meaning }
    this.#held.push(prompt)
    record('prompt.held', { session, prompt: prompt.id, text, meaning })
    return { result: 'held', prompt: prompt.id }
  }

  #release(id: string, result: string, turn: string | null = null): void {
    this.#held = this.#held.filter(prompt => prompt.id !== id)
    this.#options.record('prompt.released', {
      session: this.#options.session,
      prompt: id,
      result,
      ...(turn && { turn }),
    })
  }
}
