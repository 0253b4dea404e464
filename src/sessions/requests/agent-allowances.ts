import type { ApprovalRecord } from '../../approvals/index.js'

interface AgentAllowancesOptions {
  /** What an earlier host of the session knew. */
  known: readonly { label: string }[] | undefined
  onAllowed(allowed: { tool: string; label: string; approval: string }): void
  onAsksAgain(label: string): void
}

/**
 * What the agent itself no longer asks about, because a person chose its "do not ask again": such
 * uses never reach the ledger, and people must be able to see that. It has ended when the agent
 * offers the same option again: it would not ask about something that it allows by itself.
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

  /** An option whose key was pressed without a confirmation counts: the agent may have taken it. */
  ended({ id, state, kind, request, screenOptions, decision, outcome }: ApprovalRecord): void {
    const isPressed = state === 'applied' || (state === 'stale' && outcome?.reason === 'unconfirmed')
    if (kind !== 'permission' || !isPressed) return
    const key = decision?.option ?? outcome?.observed?.option
    const option = [...request.options, ...(screenOptions ?? [])].find(candidate => candidate.key === key)
    const isWide = option?.meaning === 'allow-session' || option?.meaning === 'allow-always'
    if (!option || !isWide || option.from !== 'agent') return
    this.#labels.add(option.label)
    this.#options.onAllowed({ tool: request.tool, label: option.label, approval: id })
  }
}
