import type { Claim } from './evidence.js'
import {
  applySignal,
  eventOfClaim,
  INITIAL_STATUS,
  type StatusEntry,
  type StatusReading,
  type StatusSignal,
  type StatusState,
} from './status.js'

const HISTORY_MAX = 30
const LONG_AFTER_S = 60

/** Follows the readings of one pane and keeps its status, with the last events and what became of them. */
export class StatusTracker {
  #state: StatusState = INITIAL_STATUS
  #claim: Claim | null = null
  #said = ''
  readonly #history: StatusEntry[] = []
  readonly #longAfterS: number

  constructor(options: { longAfterS?: number } = {}) {
    this.#longAfterS = options.longAfterS ?? LONG_AFTER_S
  }

  get state(): StatusState {
    return this.#state
  }

  get history(): readonly StatusEntry[] {
    return this.#history
  }

  /** A reading that has been accepted. The same claim again is no event. */
  read(reading: StatusReading, t: number): void {
    this.tick(t)
    const said = JSON.stringify([reading.claim, reading.authority, reading.view === 'parallel_agents'])
    if (said === this.#said) return
    this.#said = said
    const event = eventOfClaim(reading, this.#claim, this.#state.status)
    const { claim, authority } = reading
    if (claim) this.#claim = claim
    if (!event || !claim) return
    this.apply({
      event,
      source: authority,
      t,
      generation: this.#state.generation,
      isReading: true,
      isAsking: reading.awaiting !== null && reading.awaiting !== 'picker' && reading.awaiting !== 'exit_confirm',
      ...(claim.is === 'working' && claim.label !== undefined && { label: claim.label }),
      ...(claim.is === 'done' && claim.background !== undefined && { background: claim.background }),
      ...(claim.is === 'exited' && { exitCode: claim.code }),
    })
  }

  apply(signal: StatusSignal): StatusEntry {
    const { state, entry } = applySignal(this.#state, signal)
    this.#state = state
    this.#history.push(entry)
    if (this.#history.length > HISTORY_MAX) this.#history.shift()
    return entry
  }

  /** Time alone: a run becomes a long one. */
  tick(t: number): void {
    const due = this.nextDeadline()
    if (due !== null && t >= due)
      this.apply({ event: 'long', source: 'timer', t: due, generation: this.#state.generation })
  }

  nextDeadline(): number | null {
    return this.#state.status === 'running' ? this.#state.startedAt + this.#longAfterS : null
  }
}
