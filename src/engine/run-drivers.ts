import type { Clock } from '../clock/index.js'
import { ownerState } from '../process/index.js'
import type { EventStore } from '../store/index.js'
import { childrenOf, getRun } from './control.js'
import { runStream } from './run-journal.js'
import { isEnded } from './run-status-table.js'
import type { RunRecord } from './runs-projection.js'

/** The lease of the process that picks up runs with the label `host=daemon`. */
export const DAEMON_RUNS_LEASE = 'runs'

/**
 * A run may be undriven for a moment: between the event that wakes it and the lease of the process
 * that wrote the event.
 */
export const UNDRIVEN_AFTER_MS = 2_000

/**
 * Tells which runs no process drives although there is work to do: their driver died, or it ended
 * while they waited for a person, who has answered now. The journal cannot tell, because a dead
 * process writes nothing; the leases can.
 */
export class RunDrivers {
  readonly #store: EventStore
  readonly #clock: Clock

  constructor(store: EventStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Whether a process drives the run now, or will pick it up by itself. */
  async isDriven(run: RunRecord): Promise<boolean> {
    if (await this.isHeld(run.id)) return true
    if (await this.isPickedUp(run)) return true
    // The process that drives a run also drives its children.
    return run.parent !== null && this.isDriven(await getRun(this.#store, run.parent))
  }

  /** Whether the daemon runs and picks up this run by itself. */
  async isPickedUp({ labels }: Pick<RunRecord, 'labels'>): Promise<boolean> {
    return labels.host === 'daemon' && this.#isHeld(DAEMON_RUNS_LEASE)
  }

  /** Whether a process holds the lease of the run: it may start steps. */
  isHeld(run: string): Promise<boolean> {
    return this.#isHeld(runStream(run))
  }

  /** Whether the run should make progress, and no process drives it. */
  async isUndriven(run: RunRecord): Promise<boolean> {
    if (run.updatedAt > this.#clock.now() - UNDRIVEN_AFTER_MS) return false
    return (await this.#hasWork(run)) && !(await this.isDriven(run))
  }

  async #hasWork({ id, status, labels, gates }: RunRecord): Promise<boolean> {
    if (status === 'running') return true
    // A run that waits for a person needs no driver; neither does one that a person queued.
    if (status === 'queued') return labels.host === 'daemon'
    if (status !== 'waiting' || Object.keys(gates).length > 0) return false
    return !(await childrenOf(this.#store, id)).some(child => !isEnded(child.status))
  }

  async #isHeld(key: string): Promise<boolean> {
    const holder = await this.#store.leaseHolder(key)
    if (!holder) return false
    const state = ownerState(holder.by)
    // A machine that wakes from sleep has living drivers with expired leases.
    return state === 'unknown' ? holder.until > this.#clock.now() : state === 'alive'
  }
}
