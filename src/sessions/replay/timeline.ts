import { transition } from '../../machine/index.js'
import {
  EvidenceLog,
  type JudgedEvidence,
  type PaneState,
  type PaneStatus,
  type PaneStep,
  type StatusEntry,
  StatusTracker,
  type Supervisor,
} from '../../panes/index.js'
import type { Menu, Observation, Pack } from '../../screen/index.js'
import { type Phase, type PhaseAction, phaseEventOf, phaseTable } from '../live/phase-table.js'

/** A pane at one look: screen and reports, and the phase and status that follow. */
export interface Moment {
  state: PaneState
  phase: Phase
  status: PaneStatus
  actions: readonly PhaseAction[]
}

export interface TimelineCounters {
  frames: number
  anchored: number
  structural: number
  unknown: number
  flicker: number
}

/** An idle state shorter than this between two stretches of work is flicker. */
const FLICKER_S = 2

/** Follows a pane through the phase and the status table, as a live session does. */
export class Timeline {
  readonly #pack: Pack
  readonly #status = new StatusTracker()
  readonly #supervisor: Supervisor | null
  readonly #evidence = new EvidenceLog()
  readonly #counters: TimelineCounters = { frames: 0, anchored: 0, structural: 0, unknown: 0, flicker: 0 }
  #phase: Phase = 'dormant'
  #menuHash: string | null = null
  #lastFrame = -1
  #idleSince: number | null = null
  #hasWorked = false

  /** `supervisor`: decides the status; without one, a single screen is judged by itself. */
  constructor(pack: Pack, supervisor: Supervisor | null = null) {
    this.#pack = pack
    this.#supervisor = supervisor
  }

  get status(): PaneStatus {
    return this.#supervisor?.status ?? this.#status.state.status
  }

  get statusHistory(): readonly StatusEntry[] {
    return this.#supervisor?.history ?? this.#status.history
  }

  get counters(): TimelineCounters {
    return { ...this.#counters }
  }

  /** One moment for each look. */
  addSteps(steps: readonly PaneStep[]): Moment[] {
    this.#evidence.addSteps(steps)
    return steps.flatMap(step => (step.type === 'look' ? [this.#observe(step.state)] : []))
  }

  exited(state: PaneState, exit: { code: number | null; signal: string | null }): Moment {
    this.#evidence.exited(exit, state.t)
    const [next, actions] = transition(phaseTable, this.#phase, 'process-exit')
    this.#phase = next
    this.#readStatus(state)
    return { state, phase: this.#phase, status: this.status, actions }
  }

  /** The state as it is at a later time, without new output. */
  now(state: PaneState): Moment {
    this.#readStatus(state)
    return { state, phase: this.#phase, status: this.status, actions: [] }
  }

  evidence(state: PaneState, t: number): JudgedEvidence[] {
    return this.#evidence.judge(state.reading, t)
  }

  #observe(state: PaneState): Moment {
    this.#count(state)
    let actions: readonly PhaseAction[] = []
    // The phase follows the frames alone, as in a live session: a program may report that it is
    // done before it has drawn the end of its answer.
    if (state.look?.isSettled) {
      const { observation } = state.look
      const menu = (observation.payload as { menu?: Menu | null } | null)?.menu ?? null
      const isNew = menu !== null && menu.hash !== this.#menuHash
      this.#menuHash = menu?.hash ?? null
      const [next, made] = transition(phaseTable, this.#phase, phaseEventOf(observation, isNew))
      this.#phase = next
      actions = made
    }
    this.#readStatus(state)
    return { state, phase: this.#phase, status: this.status, actions }
  }

  #readStatus(state: PaneState): void {
    if (this.#supervisor) return
    const { claim, authority } = state.reading
    const terminator = state.look?.observation.terminator
    const isTurnClosed = this.#pack.terminator === 'none' || terminator?.outcome === 'done'
    this.#status.read(
      { claim, authority, view: state.isSettled ? state.view : 'unknown', awaiting: state.awaiting, isTurnClosed },
      state.t,
    )
  }

  #count(state: PaneState): void {
    const { look } = state
    if (!look) return
    if (look.frame.seq !== this.#lastFrame) {
      this.#lastFrame = look.frame.seq
      this.#counters.frames++
      const isUnknown =
        look.observation.view === 'unknown' && !(look.observation as Observation<'unknown'>).payload.recognised
      this.#counters[isUnknown ? 'unknown' : look.observation.anchored ? 'anchored' : 'structural']++
    }
    if (!look.isSettled || state.busy === null) return
    if (state.busy) {
      if (
        this.#hasWorked &&
        this.#idleSince !== null &&
        look.t - this.#idleSince < FLICKER_S &&
        state.awaiting === null
      )
        this.#counters.flicker++
      this.#hasWorked = true
      this.#idleSince = null
    } else if (state.awaiting !== null) {
      // A question between two stretches of work is not flicker.
      this.#hasWorked = false
      this.#idleSince = null
    } else this.#idleSince ??= look.t
  }
}
