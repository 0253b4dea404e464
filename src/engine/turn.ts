import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import type { AppendOptions, EventStore, Lease, NewEvent } from '../store/index.js'
import { recordCancel } from './control.js'
import { proposeArrivals, proposeLostWorker, proposeNext, proposeRefusals } from './proposals.js'
import { RunJournal } from './run-journal.js'
import type { RunState } from './run-state.js'
import { isEnded } from './run-status-table.js'
import type { PlacementChoice, RunPlacer } from './run-steps.js'
import type { Usage } from './usage.js'
import type { GateLedger, Workflow, WorkflowCommand } from './workflow.js'

export interface RunTurnOptions<Work> {
  store: EventStore
  run: string
  workflow: Workflow<Work>
  lease: Lease
  /** A number in [0, 1), used when a command asks for jitter. */
  random(): number
  durability?: AppendOptions['durability']
  /** If absent, gates are stored as they are, and only people answer them. */
  gates?: GateLedger
  /** If absent, the run stays in this process. */
  placer?: RunPlacer
}

/**
 * The turns of one run: each folds what arrived, asks the workflow what should be in progress, and
 * appends everything that follows in one transaction at the version that was read. A turn starts
 * nothing and waits for nothing, so doing it twice, late or in two processes does no harm.
 */
export class RunTurns<Work> {
  readonly #options: RunTurnOptions<Work>
  readonly #journal: RunJournal<Work>

  static async open<Work>(options: RunTurnOptions<Work>): Promise<RunTurns<Work>> {
    const { store, run, workflow, durability, gates } = options
    const isProven = gates?.isProven ? gates.isProven.bind(gates) : null
    return new RunTurns(options, await RunJournal.open(store, run, workflow, durability, isProven))
  }

  private constructor(options: RunTurnOptions<Work>, journal: RunJournal<Work>) {
    this.#options = options
    this.#journal = journal
  }

  get run(): RunState<Work> {
    return this.#journal.run
  }

  /** Folds what other processes have written. */
  async catchUp(): Promise<void> {
    await this.#journal.catchUp()
  }

  /**
   * @param usage of the steps in progress, which the journal does not have yet.
   * @returns the work that should be in progress now. Null: another process wrote first; its events
   * are folded, and the same arrivals must be judged again.
   * @throws SignalboxError `E_FENCED` if another process drives the run.
   */
  async takeTurn(
    arrived: readonly NewEvent[],
    { at, usage }: { at: number; usage: (spent: Usage) => Usage },
  ): Promise<readonly WorkflowCommand[] | null> {
    const { lease, workflow, random, gates } = this.#options
    const journal = this.#journal
    await this.#cancelLost()
    proposeRefusals({ journal, at })
    proposeArrivals({ journal, at }, arrived)
    const isPlaced = await this.#place(at)
    const commands = isPlaced
      ? proposeNext({ journal, workflow, lease, at, usage: usage(journal.run.usage), random, ...(gates && { gates }) })
      : []
    return (await journal.commit(lease)) ? commands : null
  }

  /** A person gave up the run when its worker was lost: it ends with its child runs. */
  async #cancelLost(): Promise<void> {
    const { run } = this.#journal
    if (run.onLoss?.option !== 'cancel' || isEnded(run.status)) return
    const about = { by: run.onLoss.by, reason: 'its worker is gone, and a person cancelled it' }
    await recordCancel(this.#options.store, run.id, about).catch(error => {
      // Another process was first.
      if (!(error instanceof SignalboxError && error.code === 'E_STATE')) throw error
    })
    await this.#journal.catchUp()
  }

  /** @returns false if no worker can have the run now: it waits, without a process. */
  async #place(at: number): Promise<boolean> {
    const { placer, lease, gates } = this.#options
    const { run } = this.#journal
    if (!placer || run.placement === null || isEnded(run.status) || run.status === 'paused') return true
    const choice: PlacementChoice = await placer.place(run)
    if ('stay' in choice) return true
    const lost = [...run.steps.keys()].map(step => newEvent('step.lost', { step }))
    this.#journal.propose(lost, at)
    if ('worker' in choice) {
      const { worker, name, why } = choice
      this.#journal.propose([newEvent('run.placed', { worker, name, why, epoch: (run.placed?.epoch ?? 0) + 1 })], at)
      return true
    }
    if (run.status === 'queued')
      this.#journal.propose([newEvent('run.started', { host: lease.owner, epoch: lease.epoch })], at)
    if ('lost' in choice) proposeLostWorker({ journal: this.#journal, at, ...(gates && { gates }) }, choice.lost)
    else if (run.status === 'running')
      this.#journal.propose([newEvent('run.waiting', { gates: [], wakeAt: at, reason: choice.waits })], at)
    return false
  }
}

/** When a run needs its next turn even if nothing happens; null if it waits for an event. */
export function nextTurnAt({ timers, gates }: RunState): number | null {
  const dues = [...timers.values(), ...[...gates.values()].flatMap(({ due }) => due ?? [])]
  return dues.length > 0 ? Math.min(...dues) : null
}
