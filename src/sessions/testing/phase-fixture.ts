import { SimulatedClock } from '../../clock/index.js'
import type { EventType } from '../../events/index.js'
import { type PaneOutput, PaneScreen } from '../../panes/index.js'
import { Effects } from '../effects.js'
import type { PhaseEvent } from '../live/phase-table.js'
import { SessionPhase } from '../live/session-phase.js'
import { COLS, demoPack, ROWS, screenBytes } from './session-fixture.js'

/**
 * The phase of a session over a real screen, for events that no screen causes: its ports are
 * counted.
 */
export class PhaseFixture {
  readonly phase: SessionPhase
  readonly calls: string[] = []
  readonly recorded: EventType[] = []
  readonly errors: unknown[] = []
  readonly #clock = new SimulatedClock(1_000_000)
  readonly #effects = new Effects(
    error => this.errors.push(error),
    () => undefined,
  )
  readonly #screen: PaneScreen

  constructor(changes?: (toml: string) => string) {
    const pack = demoPack(changes)
    const count = (call: string) => () => void this.calls.push(call)
    const nothing = () => undefined
    this.#screen = new PaneScreen(pack, { cols: COLS, rows: ROWS })
    this.phase = new SessionPhase({
      session: 'ses_stage',
      pack,
      rows: this.#screen,
      clock: this.#clock,
      effects: this.#effects,
      messages: { update: count('update'), close: count('close'), patch: count('close'), turnBegun: () => undefined },
      typing: isOn => void this.calls.push(`typing ${isOn}`),
      notices: {
        signedIn: nothing,
        atWork: nothing,
        needsSignIn: count('notice'),
        endUnlessAttended: nothing,
        silent: count('notice'),
        ready: nothing,
      },
      requests: {
        raise: async () => void this.calls.push('ask'),
        seenAgain: nothing,
        menuGone: async () => void this.calls.push('menuGone'),
        expectTakeOver: nothing,
        loadOpen: async () => [],
        takeOver: async () => 'none',
      },
      isResumed: false,
      hasTranscript: false,
      restored: null,
      isCatchingUp: () => false,
      isExited: () => false,
      record: type => void this.recorded.push(type),
      onEnd: count('end'),
      onError: error => void this.errors.push(error),
    })
  }

  async paint(rows: readonly string[], box: { isGone?: boolean; footer?: string } = {}, passMs = 100): Promise<void> {
    this.#see(this.#screen.feed(new TextEncoder().encode(screenBytes(rows, box)), this.#t, { live: true }))
    for (let passed = 0; passed < passMs; passed += 10) {
      this.#clock.advance(10)
      this.#see(this.#screen.tick(this.#t))
      this.phase.tick(this.#t)
    }
    await this.#effects.done()
  }

  async dispatch(event: PhaseEvent): Promise<void> {
    this.phase.dispatch(event, this.#screen.last)
    await this.#effects.done()
  }

  get #t(): number {
    return (this.#clock.now() - 1_000_000) / 1000
  }

  #see(outputs: readonly PaneOutput[]): void {
    for (const output of outputs) if (output.type === 'look') this.phase.observe(output.look)
  }
}
