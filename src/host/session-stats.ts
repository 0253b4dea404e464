import type { AgentReport } from '../agents/index.js'
import type { Clock, Timer } from '../clock/index.js'
import {
  type AgentStats,
  type LocalSession,
  NO_AGENT_STATS,
  reduceAgentStats,
  type SubAgent,
  subAgentsOf,
} from '../sessions/index.js'
import { statusRecords } from '../terminal/index.js'

/** A busy session emits its stats at most this often. */
const EMIT_MS = 1_000

export interface AgentStatsView extends Omit<AgentStats, 'subAgents'> {
  subAgents: SubAgent[]
  /**
   * Context that is left before the agent compacts its conversation, if only its screen shows that.
   */
  contextLeftPercent: number | null
}

/** The agent stats of one session as they are now; emitted when they have changed. */
export class SessionStats {
  readonly #session: LocalSession
  readonly #clock: Clock
  readonly #emit: (view: AgentStatsView) => void
  #stats: AgentStats = NO_AGENT_STATS
  #emitted = ''
  #subAgents: SubAgent[] = []
  #timer: Timer | null = null

  constructor(session: LocalSession, clock: Clock, emit: (view: AgentStatsView) => void) {
    this.#session = session
    this.#clock = clock
    this.#emit = emit
  }

  report(report: AgentReport): void {
    const next = reduceAgentStats(this.#stats, report)
    if (next === this.#stats) return
    this.#stats = next
    this.changed()
  }

  /** Something was reported or drawn that may change the stats. */
  changed(): void {
    this.#timer ??= this.#clock.setTimer(EMIT_MS, () => {
      this.#timer = null
      const view = this.view
      const text = JSON.stringify(view)
      if (text === this.#emitted) return
      this.#emitted = text
      if (view.subAgents.length > 0) this.#subAgents = view.subAgents
      this.#emit(view)
    })
  }

  get view(): AgentStatsView {
    const { screen, observation } = this.#session
    const facet = observation?.facets.find(({ name }) => name === 'context')
    const left = facet?.data.percent
    return {
      ...this.#stats,
      subAgents: subAgentsOf(this.#stats, statusRecords(screen.programStatus)),
      contextLeftPercent: typeof left === 'number' ? left : null,
    }
  }

  /**
   * What to store when the session has ended; null if the agent never reported anything. An agent
   * that exits first removes its sub-agents from its terminal, so the last ones that were emitted
   * count.
   */
  get final(): AgentStatsView | null {
    const { view } = this
    const { model, context, spent, contextLeftPercent } = view
    const subAgents = view.subAgents.length > 0 ? view.subAgents : this.#subAgents
    const isReported =
      model !== null || context !== null || contextLeftPercent !== null || spent.input + spent.output > 0
    return isReported || subAgents.length > 0 ? { ...view, subAgents } : null
  }

  close(): void {
    this.#timer?.cancel()
  }
}
