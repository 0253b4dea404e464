/*
 * `signalbox oneshot`: a worker does a task, an auditor judges the result, until the verdict is
 * DONE or the iterations are used up. oneshot-table.ts is the loop as a table, oneshot-workflow.ts
 * maps the engine's events to it, oneshot-steps.ts runs the agents, prompts.ts and verdict.ts are
 * what they get and answer. oneshot-file-writer.ts writes copies of the journal for people.
 */

export { OneshotFileWriter } from './oneshot-file-writer.js'

export type { OneshotInput, OneshotRole } from './oneshot-run.js'
export { OneshotSteps } from './oneshot-steps.js'
export { oneshotTable } from './oneshot-table.js'
export { canResume, oneshotWorkflow } from './oneshot-workflow.js'
