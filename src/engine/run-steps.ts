import type { Lease, NewEvent } from '../store/index.js'
import type { LostWorker } from './lost-worker-gate.js'
import type { OpenStep, RunState } from './run-state.js'
import type { Usage } from './usage.js'
import type { StepAbort } from './workflow.js'

/**
 * Carries out the steps of one run. The driver says which steps are wanted; ends, recoveries and
 * notices come back as events. `RunningSteps` performs them in this process.
 */
export interface RunSteps {
  /** Nothing is in progress that only this process could finish. */
  readonly isEmpty: boolean
  /** Usage of the running steps so far. */
  readonly usage: readonly Usage[]
  begin(step: string, open: OpenStep): void
  /** Continues a step that outlived its host. False if it did not. */
  takeOver(step: string, open: OpenStep): Promise<boolean>
  recover(step: string, effect: string, input: unknown): void
  /** Stops steps that are no longer wanted; their end is written as `cancelled`. */
  keepOnly(wanted: ReadonlySet<string>): void
  /** Stops everything, or leaves it to the next driver. Ends that arrive now are dropped. */
  stop(why: Exclude<StepAbort['why'], 'unneeded'>): Promise<void>
}

export interface RunStepsOptions {
  run: string
  now(): number
  /** The workflow's part of the state. */
  work(): unknown
  /** The W3C `traceparent` of what created the run. */
  trace?(): string | null
  costLeftUsd(): number | null
  /** Takes an event to be written: the end of a step, a recovery result, a notice. */
  arrive(event: NewEvent): void
  /** Called when a step reports usage. */
  onSpent(): void
  onError(error: unknown): void
}

/** Places runs that ask for a worker. */
export interface RunPlacer {
  stepsFor(context: PlacedRun, options: RunStepsOptions): RunSteps
  /**
   * Where the run is, or should move to; `waits` says why no worker can take it now; `lost`: its
   * worker is gone with files that were not saved, and no person has given them up.
   */
  place(run: RunState): Promise<PlacementChoice>
}

export interface PlacedRun {
  /** The lease of the driver: a worker obeys the newest one. */
  lease: Lease
  state(): RunState | null
}

export type PlacementChoice =
  | { stay: true }
  | { worker: string; name: string; why: string }
  | { waits: string }
  | { lost: LostWorker }
