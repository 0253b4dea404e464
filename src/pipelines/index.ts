export {
  ARGS_INPUT,
  type PipelineArgs,
  type Player,
  type ProfileCopy,
  pipelineArgs,
  profileCopy,
  type ReviewTarget,
  ROLES,
  type RoleName,
} from './args.js'
export type { BasePipelineState, HistoryEntry, Pipeline, PipelineConstructor, PipelineMetadata } from './base.js'
export { PIPELINE_LABEL, pipelineRun, type RunWish } from './create-run.js'
export type {
  GatePayload,
  HookGatePayload,
  ItemsGatePayload,
  ObjectionsGatePayload,
  PlanGatePayload,
  SpendingGatePayload,
} from './gates.js'
export type { PipelineServices } from './node.js'
export { pipelineFunctions } from './nodes/index.js'
export { PipelineGit } from './pipeline-git.js'
export { PipelineSteps } from './pipeline-steps.js'
export { resolvePlanPath, slugOf } from './plan/plan-path.js'
export { planSections } from './plan/plan-sections.js'
export { validatePlan } from './plan/validate-plan.js'
export { findPrompt, promptHash, promptIds } from './prompts/prompt-book.js'
export { isPipelineRun, type PipelineRun, readPipelineRun, type UsageRow } from './read-run.js'
export { builtInPipelines, createRegistry, type PipelineRegistry, UnknownPipelineError } from './registry.js'
export { setQueuedPlan } from './set-plan.js'
export {
  type Design,
  type ImplementationState,
  type Issue,
  implementationState,
  type Outcome,
  parseState,
  reduceState,
} from './state.js'
export { fetchIssue, type IssueWish } from './trackers/choose-tracker.js'
export { readIssueFile } from './trackers/file.js'
export { fetchPullRequest } from './trackers/github.js'
export { trackerServices } from './trackers/outside.js'
