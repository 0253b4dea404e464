import type { Clock, Timer } from '../clock/index.js'
import { endProcesses, type GroupLeader, isOfStep, isOfStepOfRun } from '../process/index.js'
import type { KeeperDeadline } from './port.js'

const KILL_GRACE_MS = 5_000
/** A host that hung may start processes when it continues, before it knows what time it is. */
const REPEAT_MS = 5_000

/** What a deadline ends. */
export interface Kept {
  /** The ids of the programs that still run. */
  ids: readonly string[]
  leaders: readonly GroupLeader[]
}

/**
 * Ends everything that no host renewed in time: the programs of the keeper and the processes of the
 * steps that were named. It repeats this until the deadline is renewed.
 */
export class Deadline {
  readonly #clock: Clock
  readonly #kept: () => Kept
  #steps: readonly string[] = []
  /** On the steady clock; null: everything may run as long as it likes. */
  #at: number | null = null
  #timer: Timer | null = null
  #ending: Promise<void> | null = null
  /** Everything was ended since the deadline passed. */
  #isDone = false

  constructor(clock: Clock, kept: () => Kept) {
    this.#clock = clock
    this.#kept = kept
  }

  renew({ ms, steps }: KeeperDeadline): void {
    this.#steps = [...steps]
    this.#at = this.#clock.monotonic() + ms
    this.#isDone = false
    this.#wait(ms)
  }

  get isOver(): boolean {
    return this.#at !== null && this.#clock.monotonic() >= this.#at
  }

  /** Processes that the keeper does not own may still have to be ended. */
  get isPending(): boolean {
    return this.#steps.length > 0 && !this.#isDone
  }

  close(): void {
    this.#timer?.cancel()
  }

  #wait(ms: number): void {
    this.#timer?.cancel()
    this.#timer = this.#clock.setTimer(ms, () => {
      if (!this.isOver) return
      this.#ending ??= this.#end().finally(() => {
        this.#ending = null
        if (this.isOver) this.#wait(REPEAT_MS)
      })
    })
  }

  async #end(): Promise<void> {
    const { ids, leaders } = this.#kept()
    const steps = this.#steps
    await endProcesses({
      leaders,
      isWanted: found => steps.some(step => isOfStep(found, step)) || ids.some(id => isOfStepOfRun(found, id)),
      graceMs: KILL_GRACE_MS,
      clock: this.#clock,
      // A renewal in the meantime comes too late for what was sent TERM, and saves the rest.
      mayEnd: async () => this.isOver,
    }).catch(() => undefined)
    this.#isDone = this.isOver
  }
}
