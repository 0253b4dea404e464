import { type ApprovalDecision, type ApprovalRecord, approvalStream } from '../approvals/index.js'
import { newEvent } from '../events/index.js'
import type { NewEvent, StreamAppend } from '../store/index.js'
import { runStream } from './run-journal.js'
import type { Limits } from './usage.js'

/**
 * The event that is appended with the decision of a run's gate, in the same transaction: the
 * answer, in the run's stream. This applies the decision: the process that drives the run reads it
 * from there, and nothing has to be delivered.
 */
export function gateAnswer(record: ApprovalRecord, decision: ApprovalDecision, now: number): readonly StreamAppend[] {
  const { run } = record.subject
  if (run === undefined || record.source.channel !== 'run') return []
  const label = record.request.options.find(({ key }) => key === decision.option)?.label
  const answered = newEvent('gate.answered', {
    gate: record.source.requestKey,
    approval: record.id,
    option: decision.option,
    by: decision.actor.name,
    ...(label !== undefined && { label }),
    ...(decision.text !== undefined && { text: decision.text }),
    ...(decision.note !== undefined && { note: decision.note }),
    ...(decision.choices && { choices: decision.choices }),
    ...(decision.editedInput !== undefined && { editedInput: decision.editedInput }),
  })
  const applied = newEvent('approval.applied', {
    evidence: [{ kind: 'run', run, gate: record.source.requestKey }],
    waitedMs: Math.max(0, now - record.requestedAt),
    deliveredMs: 0,
  })
  return [
    { stream: runStream(run), expected: 'any', events: [answered, ...budgetAnswer(record, decision)] },
    { stream: approvalStream(record.id), expected: 'any', events: [applied] },
  ]
}

/**
 * A run that waits for budget is paused: raising the budget resumes it, every other answer ends it.
 */
function budgetAnswer({ kind, request }: ApprovalRecord, { option, actor }: ApprovalDecision): NewEvent[] {
  if (kind !== 'budget') return []
  const by = actor.name
  if (option !== 'raise') return [newEvent('run.cancelled', { reason: 'the budget was not raised', by })]
  const { raiseTo } = request.input as { raiseTo: Limits }
  return [newEvent('budget.raised', { limits: raiseTo, by }), newEvent('run.resumed', { by })]
}
