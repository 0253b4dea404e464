/*
 * Checks of the machine and the home directory: for `signalbox doctor`, the dashboard and the bot.
 */

export { examine } from './examine.js'
export type { DoctorFinding } from './finding.js'
export { examineSecrets } from './secrets.js'
export { examineSecurity } from './security.js'
export { type AgentSources, examineSources, SOURCES } from './sources.js'
export { updateAgent } from './update-agent.js'
