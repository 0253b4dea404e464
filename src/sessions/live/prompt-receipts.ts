import type { Clock } from '../../clock/index.js'
import { titleClaim } from '../../panes/index.js'
import type { Pack } from '../../screen/index.js'
import type { TerminalEvidence } from '../../terminal/index.js'
import { comparableText } from '../compare-text.js'

interface Receipt {
  at: number
  source: string
  /** The prompt that the agent took; null: the agent works, and does not say on what. */
  prompt: string | null
}

const RECEIPTS_KEPT = 50

/** Recent reports of the agent besides its screen, as proof that it took a prompt. */
export class PromptReceipts {
  readonly #clock: Clock
  #receipts: Receipt[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  addReceipt(source: string, prompt: string | null): void {
    this.#receipts = [...this.#receipts.slice(-RECEIPTS_KEPT), { at: this.#clock.monotonic(), source, prompt }]
  }

  /** Notes that the terminal reports work. */
  addEvidence(evidence: TerminalEvidence, pack: Pack): void {
    const source = workingSource(evidence, pack)
    if (source) this.addReceipt(source, null)
  }

  /**
   * The source that confirms that the agent took this text after this time. A hook may repeat only
   * a part of a long prompt. If the agent worked before (`wasBusy`), work proves nothing.
   */
  proofOf(text: string, since: number, wasBusy: boolean): string | null {
    const wanted = comparableText(text)
    const found = this.#receipts.find(({ at, prompt }) => {
      if (at < since) return false
      if (prompt === null) return !wasBusy
      const reported = comparableText(prompt)
      return reported.endsWith(wanted.slice(-200)) || (reported.length >= 20 && wanted.startsWith(reported))
    })
    return found?.source ?? null
  }
}

/** What says that the agent works: its status protocol or window title; null: neither. */
function workingSource(evidence: TerminalEvidence, pack: Pack): string | null {
  if (evidence.kind === 'status') return evidence.aggregate?.state === 'working' ? 'osc7501' : null
  if (evidence.kind !== 'title') return null
  return titleClaim(evidence.title, pack)?.claim.is === 'working' ? 'title' : null
}
