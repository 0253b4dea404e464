import type { ApprovalRequest } from '../approvals/requests/index.js'
import type { EventData } from '../events/index.js'
import type { NewEvent, StoredEvent } from '../store/index.js'
import type { Usage } from './usage.js'

/**
 * What a kind of run is: two pure functions over its journal. `evolve` folds an event, `decide` says what should be going on now. The
 * engine starts what is not going on yet, stops what no longer should, writes down what came of it, and folds again; so a run goes on
 * after any crash from its journal alone.
 */
export interface Workflow<Work = unknown> {
  readonly kind: string
  /** Grows when `evolve` changes: older snapshots are then folded anew. */
  readonly version: number
  begin(created: EventData<'run.created'>, run: { id: string; at: number }): Work
  /** Total: an event it does not expect changes nothing. It may change `work` in place; the caller gives it up. */
  evolve(work: Work, event: StoredEvent): Work
  /** Everything that should be going on now, also what is already. Nothing at all means that only something from outside can help. */
  decide(work: Work, run: RunFacts): readonly Command[]
  /** Work as JSON and back, for snapshots. Left out: it is JSON already. */
  save?(work: Work): unknown
  load?(saved: unknown): Work
}

/** What the engine knows of a run, for `decide`. */
export interface RunFacts {
  readonly id: string
  readonly status: string
  isOpen(step: string): boolean
}

export type Command =
  /** An effect, by the performer of this name. `step.started` is durable before it begins; `step.ended` says what came of it. */
  | { do: 'step'; step: string; effect: string; input: unknown; branch?: string }
  /** Find out what a step left behind that died, was lost or was cut off; `step.recovered` says. */
  | { do: 'recover'; step: string; effect: string; input: unknown }
  /** Wake up after a while, also in another process. `jitter` multiplies by a number between the two, drawn once and written down. */
  | { do: 'timer'; timer: string; ms: number; jitter?: readonly [number, number] }
  /** Ask a person through the ledger. */
  | { do: 'gate'; gate: string; request: ApprovalRequest; timeoutMs?: number }
  /** Have a run of its own do it. */
  | { do: 'child'; child: string; create: EventData<'run.created'> }
  /** Write something down at once, and decide again. */
  | { do: 'emit'; events: readonly NewEvent[] }
  | {
      do: 'end'
      status: 'completed' | 'failed' | 'rejected' | 'cancelled'
      reason: string
      text?: string
      /** How good the end is, where reaching it is not enough; and what was still held against the work. */
      outcome?: string
      objections?: string[]
      /** For the run that started this one. */
      outputs?: Record<string, unknown>
      /** The run goes on as this one, made in the same transaction; whoever waits for the old one waits for it. */
      successor?: EventData<'run.created'>
      /** What its making takes beside that, where it is too much for one event. */
      successorEvents?: readonly NewEvent[]
    }

/** Carries out the effects of one kind. Whatever it is given may have been begun before: it looks before it repeats. */
export interface Performer {
  /** A throw becomes a failed step; so does a result that is no JSON. */
  run(call: StepCall): Promise<StepEnd>
  /** What a step that is over in an unknown way has left behind. */
  recover?(call: StepCall): Promise<Recovery>
  /** After a take-over: goes on with a step that outlived its host; null when it did not. */
  adopt?(call: StepCall): Promise<{ end: Promise<StepEnd> } | null>
  /** After a take-over: ends what is left of a step that nobody goes on with. */
  abandon?(call: StepCall): Promise<void>
}

export interface StepCall {
  run: string
  step: string
  input: unknown
  /** The workflow's own part of the run as it is now. It changes while the step goes on: take what you need at once. */
  work(): unknown
  /** `run/node@visit#attempt`: the mark that everything made by this step carries. */
  name: string
  /** Aborted when the step should stop; `reason` is a StepAbort. */
  signal: AbortSignal
  startedAt: number
  /** What is left of the run's budget in USD as the step begins; null without one. */
  costLeftUsd?: number | null
  /** Tells of spending while the step goes on, as the sum so far. */
  spent(usage: Usage): void
  notice(level: 'info' | 'warning' | 'error', text: string): void
  /** Writes down a fact about the step that is known before it ends, such as its process. */
  record(event: NewEvent): void
}

export interface StepEnd {
  status: EventData<'step.ended'>['status']
  result?: unknown
  reason?: string
  usage?: Usage
}

export type Recovery = Omit<EventData<'step.recovered'>, 'step'>

/** Why a step is stopped. */
export class StepAbort extends Error {
  readonly why: 'paused' | 'cancelled' | 'unneeded' | 'fenced' | 'released'

  constructor(why: StepAbort['why']) {
    super(`the step is stopped: ${why}`)
    this.name = 'StepAbort'
    this.why = why
  }
}
