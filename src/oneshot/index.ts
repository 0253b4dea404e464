export { OneshotFileWriter } from './oneshot-file-writer.js'

export type { OneshotInput, Role } from './oneshot-run.js'
export { OneshotSteps } from './oneshot-steps.js'
export { oneshotTable } from './oneshot-table.js'
export { canResume, oneshotWorkflow } from './oneshot-workflow.js'
