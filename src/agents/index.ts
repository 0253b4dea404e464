export type { AgentAdapter, AgentCommand, AgentLocation, FoundAgent } from './adapter.js'
export { genericAgent } from './generic.js'
export { loadPack } from './pack-files.js'
export { agentNames, loadAgent } from './registry.js'
