/*
 * Checks of the machine and the home directory: for `signalbox doctor`, the dashboard and the bot.
 */
export type { AgentFinding } from './agents.js'
export { examine } from './examine.js'
export type { DoctorContext, Finding } from './finding.js'
export { examineSecurity } from './security.js'
export { updateAgent } from './update-agent.js'
