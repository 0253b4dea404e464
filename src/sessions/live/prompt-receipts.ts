import type { Clock } from '../../clock/index.js'
import { squash } from './send-text.js'

interface Signal {
  at: number
  source: string
  /** The prompt that was taken; null: it works, on whatever. */
  prompt: string | null
}

const KEPT = 50

/** What the agent lately said about itself beside its screen, as proof that it took a prompt. */
export class PromptReceipts {
  readonly #clock: Clock
  #signals: Signal[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note(source: string, prompt: string | null): void {
    this.#signals = [...this.#signals.slice(-KEPT), { at: this.#clock.monotonic(), source, prompt }]
  }

  /**
   * Who says that this text was taken after this moment. A hook may repeat a long prompt in part. From an agent that worked before
   * (`wasBusy`), work is no proof.
   */
  proofOf(text: string, since: number, wasBusy: boolean): string | null {
    const wanted = squash(text)
    const found = this.#signals.find(({ at, prompt }) => {
      if (at < since) return false
      if (prompt === null) return !wasBusy
      const told = squash(prompt)
      return told.endsWith(wanted.slice(-200)) || (told.length >= 20 && wanted.startsWith(told))
    })
    return found?.source ?? null
  }
}
