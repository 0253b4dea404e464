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
/**
 * Work that continues after a shorter idle time is the same work, if starts are not reported: a
 * screen flickers.
 */
const SHORT_IDLE_S = 5
const SHORT_IDLE_SOURCES: ReadonlySet<string> = new Set(['title', 'screen', 'structure'])

/**
 * Follows the readings of one pane and keeps its status, with the last events and their effects.
 */
export class StatusTracker {
  #state: StatusState = INITIAL_STATUS
  #claim: Claim | null = null
  #lastReading = ''
  /** The report that was read last, by identity: most readings are the same object again. */
  #readClaim: Claim | null = null
  #readBy = ''
  readonly #history: StatusEntry[] = []
  readonly #longAfterS: number
  readonly #historyMax: number
  /** An agent was started in the work: its first idle state is the end of the start. */
  #isStarting = false
  /** The previous work: when it started, when it ended, who reported it. */
  #before: { startedAt: number; endedAt: number; source: string } | null = null

  constructor(options: { longAfterS?: number; historyMax?: number } = {}) {
    this.#longAfterS = options.longAfterS ?? LONG_AFTER_S
    this.#historyMax = options.historyMax ?? HISTORY_MAX
  }

  /** Forgets the last reading: the same reading again is an event. */
  forgetReading(): void {
    this.#lastReading = ''
    this.#readBy = ''
  }

  /** The command that runs has started an agent: the work stays open until the agent is idle. */
  starting(): void {
    this.#isStarting = true
    this.forgetReading()
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

  /** Takes an accepted reading. The same claim again is not an event. */
  read(reading: StatusReading, t: number): StatusEntry | null {
    this.tick(t)
    const by = reading.view === 'parallel_agents' ? `${reading.authority} of sub-agents` : reading.authority
    if (reading.claim === this.#readClaim && by === this.#readBy) return null
    this.#readClaim = reading.claim
    this.#readBy = by
    const key = JSON.stringify([reading.claim, by])
    if (key === this.#lastReading) return null
    this.#lastReading = key
    const { claim, authority } = reading
    const isStartOver = this.#isStarting && (claim?.is === 'idle' || claim?.is === 'done')
    const event = isStartOver ? 'idle' : eventOfClaim(reading, this.#claim, this.#state.status)
    if (claim && claim.is !== 'starting') this.#isStarting = false
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

  /** The same source sees work again after a dip: the work continues. */
  #joinRuns(before: StatusState, after: StatusState, signal: StatusSignal): StatusState {
    if (before.work !== null && after.work === null)
      this.#before = { startedAt: before.startedAt, endedAt: signal.t, source: String(before.work.authority) }
    const last = this.#before
    if (last === null || before.work !== null || after.work === null || signal.event !== 'start') return after
    const isDip =
      signal.t - last.endedAt < SHORT_IDLE_S &&
      last.source === signal.source &&
      SHORT_IDLE_SOURCES.has(String(signal.source))
    return isDip && before.generation === after.generation ? { ...after, startedAt: last.startedAt } : after
  }

  /** Only time has passed: work may become long-running. */
  tick(t: number): void {
    const due = this.nextDeadline()
    if (due !== null && t >= due)
      this.apply({ event: 'long', source: 'timer', t: due, generation: this.#state.generation })
  }

  nextDeadline(): number | null {
    return this.#state.status === 'running' ? this.#state.startedAt + this.#longAfterS : null
  }
}
