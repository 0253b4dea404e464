import { loadConfig } from '../config/index.js'
import type { Pack } from '../screen/index.js'
import { Counters } from './counters.js'
import type { PaneStep } from './pane.js'
import { Replay, type ReplayEvent } from './replay.js'
import { Supervisor } from './supervisor.js'
import type { SupervisorSettings } from './supervisor-parts.js'

/**
 * How long after the last event timers may still be due: an idle state is accepted within a second.
 */
const AFTER_END_S = 5

/**
 * A recording, supervised as a live pane is: bytes, every deadline at its moment, and a tick each
 * second. Parts of a live pane that a recording does not have: reports of the agent, processes, and
 * decisions.
 */
export class SupervisedReplay {
  readonly replay: Replay
  readonly supervisor: Supervisor
  readonly #follow: (steps: readonly PaneStep[], t: number) => void
  #second = 1
  #handled: number | null = null
  #now = 0

  /** `follow` is called for every step after the supervisor, and for every tick, with no steps. */
  constructor(
    options: { pack: Pack; cols: number; rows: number; settings?: SupervisorSettings },
    follow: (steps: readonly PaneStep[], t: number) => void = () => {},
  ) {
    this.replay = new Replay(options)
    this.#follow = follow
    this.supervisor = new Supervisor(this.replay.pane, {
      settings: options.settings ?? loadConfig({ environment: {} }).config,
      agentPrograms: [],
      counters: new Counters(),
      onError: error => {
        throw error
      },
    })
  }

  apply(event: ReplayEvent): void {
    this.until(event.t)
    this.#applySteps(this.replay.apply(event), event.t)
    if (event.kind === 'resize') this.supervisor.resized(event.t)
    if (event.kind !== 'exit') return
    this.supervisor.exited(event.exit, event.t)
    this.#follow([], event.t)
  }

  /** Everything that is due by this time, in its order. */
  until(t: number): void {
    if (t < this.#now) return
    this.#now = t
    for (;;) {
      const due = this.supervisor.nextDeadline()
      const next = due === null || due === this.#handled ? this.#second : Math.min(this.#second, due)
      if (next > t) break
      this.#applySteps(this.replay.runTimers(next), next)
      this.supervisor.tick(next)
      this.#follow([], next)
      if (next === this.#second) this.#second++
      else this.#handled = due
    }
    this.#applySteps(this.replay.runTimers(t), t)
  }

  /** The state at a time: what is due has happened, and an open frame is ended. */
  endFrame(t: number): void {
    this.until(t)
    this.#applySteps(this.replay.endFrame(t), t)
  }

  finish(): void {
    this.until(this.replay.t + AFTER_END_S)
  }

  #applySteps(steps: readonly PaneStep[], t: number): void {
    for (const step of steps) {
      this.supervisor.applySteps([step], t)
      this.#follow([step], t)
    }
  }
}
