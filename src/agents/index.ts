export type {
  AgentAdapter,
  AgentCommand,
  AgentHooks,
  AgentLocation,
  AgentTranscript,
  FoundAgent,
  HookAnswer,
  HookWiring,
  SignIn,
  TranscriptNews,
  TranscriptPlace,
  TranscriptReader,
} from './adapter.js'
export { genericAgent } from './generic.js'
export { loadPack } from './pack-files.js'
export { type LivePack, type PackProblem, PackShelf } from './pack-shelf.js'
export { agentNames, loadAgent } from './registry.js'
export type { AgentReport, AgentStatement, ToolStatement } from './report.js'
