import type { AgentReport } from '../agents/index.js'
import type { Clock, Timer } from '../clock/index.js'
import { type Crew, type Helper, hearCrew, helpersOf, type LiveSession, NO_CREW } from '../sessions/index.js'

/** A busy session tells of its crew at most so often. */
const TELL_MS = 1_000

export interface CrewView extends Omit<Crew, 'helpers'> {
  helpers: Helper[]
  /** Context that is left before the agent makes room, where only its screen says so. */
  contextLeftPercent: number | null
}

/** One session's crew as it is now, told again when it has changed. */
export class SessionCrew {
  readonly #session: LiveSession
  readonly #clock: Clock
  readonly #tell: (view: CrewView) => void
  #crew: Crew = NO_CREW
  #told = ''
  #timer: Timer | null = null

  constructor(session: LiveSession, clock: Clock, tell: (view: CrewView) => void) {
    this.#session = session
    this.#clock = clock
    this.#tell = tell
  }

  hear(report: AgentReport): void {
    const next = hearCrew(this.#crew, report)
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
      this.#tell(view)
    })
  }

  get view(): CrewView {
    const { screen, observation } = this.#session
    const facet = observation?.facets.find(({ name }) => name === 'context')
    const left = facet?.data.percent
    return {
      ...this.#crew,
      helpers: helpersOf(this.#crew, screen.emulator.statusRecords),
      contextLeftPercent: typeof left === 'number' ? left : null,
    }
  }

  close(): void {
    this.#timer?.cancel()
  }
}
