import type { AgentReport } from '../agents/index.js'
import type { Clock, Timer } from '../clock/index.js'
import {
  type AgentStats,
  type LiveSession,
  NO_AGENT_STATS,
  reduceAgentStats,
  type SubAgent,
  subAgentsOf,
} from '../sessions/index.js'

/** A busy session tells of its crew at most so often. */
const TELL_MS = 1_000

export interface AgentStatsView extends Omit<AgentStats, 'helpers'> {
  helpers: SubAgent[]
  /** Context that is left before the agent makes room, where only its screen says so. */
  contextLeftPercent: number | null
}

/** One session's crew as it is now, told again when it has changed. */
export class SessionStats {
  readonly #session: LiveSession
  readonly #clock: Clock
  readonly #tell: (view: AgentStatsView) => void
  #crew: AgentStats = NO_AGENT_STATS
  #told = ''
  #helpers: SubAgent[] = []
  #timer: Timer | null = null

  constructor(session: LiveSession, clock: Clock, tell: (view: AgentStatsView) => void) {
    this.#session = session
    this.#clock = clock
    this.#tell = tell
  }

  hear(report: AgentReport): void {
    const next = reduceAgentStats(this.#crew, report)
    if (next === this.#crew) return
    this.#crew = next
    this.changed()
  }

  /** Something was reported or drawn that may be about the crew. */
  changed(): void {
    this.#timer ??= this.#clock.setTimer(TELL_MS, () => {
      this.#timer = null
      const view = this.view
      const text = JSON.stringify(view)
      if (text === this.#told) return
      this.#told = text
      if (view.helpers.length > 0) this.#helpers = view.helpers
      this.#tell(view)
    })
  }

  get view(): AgentStatsView {
    const { screen, observation } = this.#session
    const facet = observation?.facets.find(({ name }) => name === 'context')
    const left = facet?.data.percent
    return {
      ...this.#crew,
      helpers: subAgentsOf(this.#crew, screen.emulator.statusRecords),
      contextLeftPercent: typeof left === 'number' ? left : null,
    }
  }

  /**
   * What is to be kept of it when the session has ended; null: nothing was ever told. An agent that exits takes its helpers from its
   * terminal first, so that those count which were last told of, as they stood then.
   */
  get kept(): AgentStatsView | null {
    const { view } = this
    const { model, context, spent, contextLeftPercent } = view
    const helpers = view.helpers.length > 0 ? view.helpers : this.#helpers
    const isTold = model !== null || context !== null || contextLeftPercent !== null || spent.input + spent.output > 0
    return isTold || helpers.length > 0 ? { ...view, helpers } : null
  }

  close(): void {
    this.#timer?.cancel()
  }
}
