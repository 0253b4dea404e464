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
/** Work that goes on after a shorter rest is the same run, where nobody reports starts: a screen blinks. */
const DIP_S = 5
const DIP_SOURCES: ReadonlySet<string> = new Set(['title', 'screen', 'structure'])

/** Follows the readings of one pane and keeps its status, with the last events and what became of them. */
export class StatusTracker {
  #state: StatusState = INITIAL_STATUS
  #claim: Claim | null = null
  #said = ''
  /** The very report that was read last: most readings are the same object again. */
  #readClaim: Claim | null = null
  #readBy = ''
  readonly #history: StatusEntry[] = []
  readonly #longAfterS: number
  readonly #historyMax: number
  /** The run before this one: when it began, when it ended, who read it. */
  #before: { startedAt: number; endedAt: number; source: string } | null = null

  constructor(options: { longAfterS?: number; historyMax?: number } = {}) {
    this.#longAfterS = options.longAfterS ?? LONG_AFTER_S
    this.#historyMax = options.historyMax ?? HISTORY_MAX
  }

  /** What was read last counts no more: the same reading again is an event. */
  forgetReading(): void {
    this.#said = ''
    this.#readBy = ''
  }

  setStuck(stuck: StatusState['stuck']): boolean {
    if (this.#state.stuck === stuck) return false
    this.#state = { ...this.#state, stuck, stateId: this.#state.stateId + 1 }
    return true
  }

  get state(): StatusState {
    return this.#state
  }

  get history(): readonly StatusEntry[] {
    return this.#history
  }

  /** A reading that has been accepted. The same claim again is no event. */
  read(reading: StatusReading, t: number): StatusEntry | null {
    this.tick(t)
    const by = reading.view === 'parallel_agents' ? `${reading.authority} of helpers` : reading.authority
    if (reading.claim === this.#readClaim && by === this.#readBy) return null
    this.#readClaim = reading.claim
    this.#readBy = by
    const said = JSON.stringify([reading.claim, by])
    if (said === this.#said) return null
    this.#said = said
    const event = eventOfClaim(reading, this.#claim, this.#state.status)
    const { claim, authority } = reading
    if (claim) this.#claim = claim
    if (!event || !claim) return null
    return this.apply({
      event,
      source: authority,
      t,
      generation: this.#state.generation,
      isReading: true,
      isAsking:
        reading.isPending === true ||
        (reading.awaiting !== null && reading.awaiting !== 'picker' && reading.awaiting !== 'exit_confirm'),
      ...(claim.is === 'working' && claim.label !== undefined && { label: claim.label }),
      ...(claim.is === 'done' && claim.background !== undefined && { background: claim.background }),
      ...(claim.is === 'exited' && { exitCode: claim.code }),
      ...((claim.is === 'done' || claim.is === 'failed') && claim.exit !== undefined && { exitCode: claim.exit }),
    })
  }

  apply(signal: StatusSignal): StatusEntry {
    const before = this.#state
    const { state, entry } = applySignal(before, signal)
    this.#state = this.#joinRuns(before, state, signal)
    this.#history.push(entry)
    if (this.#history.length > this.#historyMax) this.#history.shift()
    return entry
  }

  /** The same reader sees work again after a dip: the run goes on. */
  #joinRuns(before: StatusState, after: StatusState, signal: StatusSignal): StatusState {
    if (before.run !== null && after.run === null)
      this.#before = { startedAt: before.startedAt, endedAt: signal.t, source: String(before.run.authority) }
    const last = this.#before
    if (last === null || before.run !== null || after.run === null || signal.event !== 'start') return after
    const isDip =
      signal.t - last.endedAt < DIP_S && last.source === signal.source && DIP_SOURCES.has(String(signal.source))
    return isDip && before.generation === after.generation ? { ...after, startedAt: last.startedAt } : after
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
