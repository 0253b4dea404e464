export type {
  AgentAdapter,
  AgentCommand,
  AgentEnvironment,
  AgentEventSource,
  AgentEvents,
  AgentHooks,
  AgentLocation,
  AgentTranscript,
  EventsAnswer,
  EventsPlace,
  FoundAgent,
  HookAnswer,
  HookWiring,
  InteractiveStart,
  SignIn,
  TranscriptNews,
  TranscriptPlace,
  TranscriptReader,
  UserHooks,
} from './adapter.js'
export { genericAgent } from './generic.js'
export type {
  Findings,
  HeadlessAgent,
  HeadlessCommand,
  HeadlessEnd,
  HeadlessStep,
  PermissionAnswer,
  PermissionLevel,
  StepTraces,
} from './headless/headless.js'
export { PERMISSION_LEVELS } from './headless/headless.js'
export { kindOfTool } from './headless/records.js'
export { type RunStepOptions, runStep } from './headless/run-step.js'
export { StepProgress } from './headless/step-progress.js'
export { placesOf } from './home-directory.js'
export { loadPack } from './pack-files.js'
export { type LivePack, type PackProblem, PackShelf } from './pack-shelf.js'
export { adapterForProgram, agentNames, loadAgent } from './registry.js'
export type { AgentReport, AgentStatement, ToolStatement, UsageStatement } from './report.js'
export { applyHooks, changeLines, type HookChange, planHooks } from './user-hooks.js'
