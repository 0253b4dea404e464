import type { ApprovalRequest } from '../approvals/requests/index.js'
import type { EventData } from '../events/index.js'
import type { ProgramSandbox, StepProgram } from '../process/index.js'
import type { NewEvent, StoredEvent } from '../store/index.js'
import type { Usage } from './usage.js'

/**
 * Defines a kind of run with two pure functions over its journal: `evolve` folds an event, `decide`
 * says which work should be in progress now. The engine starts what is missing, stops what is no
 * longer wanted, writes down the results, and folds again. So a run can continue after any crash
 * from its journal alone.
 */
export interface Workflow<Work = unknown> {
  readonly kind: string
  /** Raise it when `evolve` changes: older snapshots are then discarded. */
  readonly version: number
  begin(created: EventData<'run.created'>, run: { id: string; at: number }): Work
  /** Total: an unexpected event changes nothing. It may change `work` in place. */
  evolve(work: Work, event: StoredEvent): Work
  /** Everything that should be in progress now; empty: only an outside event can help. */
  decide(work: Work, run: RunFacts): readonly WorkflowCommand[]
  /** Converts work to JSON and back, for snapshots. Absent if it already is JSON. */
  save?(work: Work): unknown
  load?(saved: unknown): Work
}

/** What the engine knows about a run, for `decide`. */
interface RunFacts {
  readonly id: string
  readonly status: string
  isOpen(step: string): boolean
}

/** The answer to a gate that is answered automatically. */
export type AutomaticAnswer = { option: string } | { choices: string[] } | { text: string }

/** How the ledger of the home takes the gates of a run. */
export interface GateLedger {
  /** The request as it may be stored: without secrets. */
  stored(request: ApprovalRequest): ApprovalRequest
  /**
   * @returns true if the gate is answered; false if the rules refuse it and a person must decide.
   */
  answer(approval: string, answer: AutomaticAnswer): Promise<boolean>
  /** Decides a permission by a grant that covers it. False: none does, and a person must decide. */
  grant(approval: string): Promise<boolean>
  /** Whether an answer in the run's stream is a decision that the ledger accepted. */
  isProven?(run: string, answer: StoredEvent): Promise<boolean>
}

export type WorkflowCommand =
  /** Runs an effect. `step.started` is durable before; `step.ended` holds the result. */
  | { do: 'step'; step: string; effect: string; input: unknown; branch?: string }
  /** Finds out what a dead or lost step left behind; `step.recovered` has the result. */
  | { do: 'recover'; step: string; effect: string; input: unknown }
  /** Wakes up after this long, in any process. `jitter`: a recorded random factor. */
  | { do: 'timer'; timer: string; ms: number; jitter?: readonly [number, number] }
  /**
   * Ask a person through the ledger. `fallback`: what the workflow chooses itself when the time is
   * over. `automatic`: the answer of a run that needs no person.
   */
  | {
      do: 'gate'
      gate: string
      request: ApprovalRequest
      timeoutMs?: number
      fallback?: string
      automatic?: AutomaticAnswer
    }
  /** Start a child run. */
  | { do: 'child'; child: string; create: EventData<'run.created'> }
  /** Write events at once, and decide again. */
  | { do: 'emit'; events: readonly NewEvent[] }
  | {
      do: 'end'
      status: 'completed' | 'failed' | 'rejected' | 'cancelled'
      reason: string
      text?: string
      /** How good the end is, and the remaining objections to the work. */
      outcome?: string
      objections?: string[]
      /** For the parent run. */
      outputs?: Record<string, unknown>
      /** The run continues as this one, created in the same transaction; parents follow. */
      successor?: EventData<'run.created'>
      /** Further events of its creation, if one is not enough. */
      successorEvents?: readonly NewEvent[]
    }

/** Runs effects of one kind. A call may repeat one: check for results first. */
export interface Performer {
  /** A throw becomes a failed step; so does a result that is not JSON. */
  run(call: StepCall): Promise<StepEnd>
  /** Finds out what a step left behind if its end was not observed. */
  recover?(call: StepCall): Promise<Recovery>
  /** After a take-over: continues a step that outlived its host; null if it did not. */
  takeOver?(call: StepCall): Promise<{ end: Promise<StepEnd> } | null>
  /** After a take-over: cleans up after a step that is not continued. */
  abandon?(call: StepCall): Promise<void>
}

/** Puts a command of a step into the sandbox of its run. */
export type SandboxOfStep = (call: StepCall, program: StepProgram) => ReturnType<ProgramSandbox>

export interface StepCall {
  run: string
  step: string
  input: unknown
  /** The workflow's part of the state. It changes while the step runs: copy at once. */
  work(): unknown
  /** `run/node@visit#attempt`: the mark on everything that this step creates. */
  name: string
  /** Aborts when the step should stop; `reason` is a StepAbort. */
  signal: AbortSignal
  startedAt: number
  /** The remaining budget of the run in USD when the step starts; null without a limit. */
  costLeftUsd?: number | null
  /** Reports usage while the step runs, as the total so far. */
  spent(usage: Usage): void
  notice(level: 'info' | 'warning' | 'error', text: string): void
  /** Records a fact about the step that is known before it ends, such as its process id. */
  record(event: NewEvent): void
}

export interface StepEnd {
  status: EventData<'step.ended'>['status']
  result?: unknown
  reason?: string
  usage?: Usage
}

export type Recovery = Omit<EventData<'step.recovered'>, 'step'>

const RELEASE_GRACE_MS = 1_000

/** Why a step must stop. */
export class StepAbort extends Error {
  readonly why: 'paused' | 'cancelled' | 'unneeded' | 'fenced' | 'released'
  /**
   * How long its processes may take to end; null is the default. A stopping daemon uses a short
   * grace period.
   */
  readonly graceMs: number | null

  constructor(why: StepAbort['why']) {
    super(`the step was stopped: ${why}`)
    this.name = 'StepAbort'
    this.why = why
    this.graceMs = why === 'released' ? RELEASE_GRACE_MS : null
  }
}
