import { isEvent } from '../events/index.js'
import type { StoredEvent } from '../store/index.js'
import { beginRun, evolveRun, type RunState } from './run-state.js'
import type { Workflow } from './workflow.js'

/*
 * Forged answers of gates.
 *
 * Every process of the user can append to a run's stream, an agent's included. So the process that
 * drives a run checks each answer before it acts on it: whether the ledger accepted that decision.
 * An answer that is not proven is not folded. The driver records that with `gate.refused`, which
 * names the versions that every later reader leaves out as well, and asks again.
 *
 * A driver acts on an answer in the turn in which it reads it, so an answer that is followed by an
 * event of a driver was checked when it arrived. It is not checked again: the secret that proves it
 * may be gone by then.
 */

/** Whether the ledger accepted the decision behind an answer. */
export type IsProven = (run: string, answer: StoredEvent) => Promise<boolean>

/** An answer that was left out, with what followed from it. */
export interface GateRefusal {
  gate: string
  approval: string
  versions: number[]
}

/** Events of people, their commands, the daemon and other runs; the driver appends all others. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set([
  ...['gate.answered', 'gate.expired', 'budget.raised', 'child.finished', 'plan.replaced'],
  ...['run.resumed', 'run.paused', 'run.cancelled', 'run.move-asked', 'run.taken-over'],
  ...['run.undriven', 'run.archived', 'run.steered'],
])
const ANSWERS: ReadonlySet<string> = new Set(['gate.answered', 'gate.expired'])
/** Written together with the answer of a gate about the budget. */
const CONSEQUENCES: ReadonlySet<string> = new Set(['budget.raised', 'run.resumed', 'run.cancelled'])

/**
 * Folds events into the state, in place; the first one creates it. While a process drives the run,
 * nothing that it reads is its own: all answers are checked.
 */
export async function foldEvents<Work>(
  state: RunState<Work> | null,
  events: readonly StoredEvent[],
  workflow: Workflow<Work>,
  isProven: IsProven | null,
  { isDriving = false } = {},
): Promise<{ run: RunState<Work> | null; refusals: GateRefusal[] }> {
  const left = new Set(events.flatMap(event => (isEvent(event, 'gate.refused') ? event.data.versions : [])))
  const unchecked = isDriving ? 0 : events.findLastIndex(({ type }) => !FROM_OUTSIDE.has(type)) + 1
  const refusals: GateRefusal[] = []
  let run = state
  for (const [index, event] of events.entries()) {
    if (!run) {
      run = beginRun(workflow, event)
      continue
    }
    const refusal = refusals.at(-1)
    if (left.has(event.version)) run.version = event.version
    else if (CONSEQUENCES.has(event.type) && refusal?.versions.at(-1) === event.version - 1) {
      refusal.versions.push(event.version)
      run.version = event.version
    } else if (index >= unchecked && isProven && ANSWERS.has(event.type) && !(await isProven(run.id, event))) {
      const { gate, approval } = event.data as { gate: string; approval: string }
      refusals.push({ gate, approval, versions: [event.version] })
      run.version = event.version
    } else evolveRun(run, event, workflow)
  }
  return { run, refusals }
}
