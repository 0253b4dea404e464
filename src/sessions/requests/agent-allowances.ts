import type { ApprovalRecord } from '../../approvals/index.js'
import type { SessionRecord } from '../live/session-record.js'

export interface AgentAllowancesOptions {
  /** What was known before, when another host had the session. */
  known: SessionRecord['allows']
  onAllowed(allowed: { tool: string; label: string; approval: string }): void
  onAsksAgain(label: string): void
}

/**
 * What the agent no longer asks about because somebody chose its own "do not ask again": from then on nothing of it reaches the ledger,
 * and people must be able to see that. It is over when the agent offers the same again: what it allows by itself it would not ask about.
 */
export class AgentAllowances {
  readonly #options: AgentAllowancesOptions
  readonly #labels: Set<string>

  constructor(options: AgentAllowancesOptions) {
    this.#options = options
    this.#labels = new Set(options.known?.map(({ label }) => label))
  }

  asked({ kind, request, screenOptions }: ApprovalRecord): void {
    if (kind !== 'permission') return
    for (const { label } of screenOptions ?? request.options)
      if (this.#labels.delete(label)) this.#options.onAsksAgain(label)
  }

  ended({ id, state, kind, request, screenOptions, decision, outcome }: ApprovalRecord): void {
    if (kind !== 'permission' || state !== 'applied') return
    const key = decision?.option ?? outcome?.observed?.option
    const option = [...request.options, ...(screenOptions ?? [])].find(candidate => candidate.key === key)
    const isWide = option?.meaning === 'allow-session' || option?.meaning === 'allow-always'
    if (!option || !isWide || option.from !== 'agent') return
    this.#labels.add(option.label)
    this.#options.onAllowed({ tool: request.tool, label: option.label, approval: id })
  }
}
