export { AgentSteps, type AgentTurn, type TurnHooks } from './agent-step.js'
export { cancelRun, createRun, findRun, getRun, listRuns, pauseRun, resumeRun } from './control.js'
export { Driver } from './drive.js'
export { Artifacts } from './graph/artifacts.js'
export { type Checkpoint, checkpointsOf, readCheckpoint } from './graph/checkpoint.js'
export { type GraphInput, graphOf, type NodeOutcome, plainInput } from './graph/graph-run.js'
export { type GraphStep, graphStep } from './graph/graph-step.js'
export {
  type GraphWork,
  isEngineKey,
  MAIN,
  type Question as GateQuestion,
  type Reply,
} from './graph/graph-work.js'
export { graphWorkflow } from './graph/graph-workflow.js'
export {
  ChildLookSteps,
  ChildSteerSteps,
  ChildStopSteps,
  childSourceSteps,
} from './graph/handlers/child.js'
export { codeSteps } from './graph/handlers/code.js'
export { CodergenSteps, died, isLiveNode } from './graph/handlers/codergen.js'
export { type CustomHandler, customSteps } from './graph/handlers/custom.js'
export { FanInSteps } from './graph/handlers/fan-in.js'
export { mergeSteps } from './graph/handlers/merge.js'
export { simulatedSteps } from './graph/handlers/simulated.js'
export { ToolSteps } from './graph/handlers/tool.js'
export {
  type Answer,
  type Interviewer,
  type Question,
  questionOf,
  readAnswer,
} from './graph/interviewers.js'
export { NodeSteps, SignsOfLife } from './graph/node-steps.js'
export type { LiveListener, LiveTurns } from './live-turn.js'
export type { Prices } from './prices.js'
export { RunHost } from './run-host.js'
export { readRun, runStream } from './run-journal.js'
export { byTurn, queuePlace } from './run-order.js'
export { isEnded, type RunStatus, runStatusTable } from './run-status-table.js'
export { type RunRecord, runsProjection } from './runs-projection.js'
export { addUsage, type Limits, NO_USAGE, tokensOf, type Usage } from './usage.js'
export {
  type Command,
  type Performer,
  type Recovery,
  StepAbort,
  type StepCall,
  type StepEnd,
  type Workflow,
} from './workflow.js'
