/*
 * Durable runs. A run is an event stream (`run/<id>`) plus a workflow that interprets it. The
 * engine keeps no other state: whatever process dies, another one folds the journal and continues.
 *
 * How a run progresses
 *
 *   RunEngine          lists the runs that need a turn; StoreEngine scans the store  run-engine.ts
 *   RunHost            holds the leases of runs and wakes their drivers                run-host.ts
 *     └ Driver         one run: turn → perform steps → wait for events                    drive.ts
 *         ├ RunTurns       fold → place → decide → append, nothing else                   turn.ts
 *         │   ├ RunJournal     the stream and the state folded from it, in batches  run-journal.ts
 *         │   └ proposeNext    turns the workflow's commands into events              proposals.ts
 *         └ RunSteps       performs steps: RunningSteps in this process, or a worker
 *
 * A `Workflow` (workflow.ts) is two pure functions: `evolve` folds an event, `decide` lists the
 * work that should be in progress: steps, recoveries, timers, gates, child runs. A `Performer` runs
 * the steps of one effect and must tolerate repetition, because a step may have started before a
 * crash. Each turn of the driver is one transaction, and a step starts only after `step.started` is
 * durable. The lease fences a second driver: its appends fail with `E_FENCED`.
 *
 * Parts
 *
 * - run-state.ts, run-status-table.ts: the engine's own fold of a run; runs-projection.ts is the
 *   short record that lists show.
 * - control.ts: what people do to a run (create, pause, resume, cancel, find); run-order.ts: the
 *   queue.
 * - gate-answer.ts: what a decision of a gate writes into its run.
 * - usage.ts, budget-gate.ts: tokens, cost and limits; a run that exceeds a limit pauses and asks.
 * - lost-worker-gate.ts: asks what becomes of a run whose worker is gone with unsaved files.
 * - agent-step.ts: an agent turn as a step (files, activity log); agent-step-recovery.ts: what a
 *   step that died left behind; live-turn.ts: the port for turns in a terminal; agent-slots.ts: the
 *   limit per agent.
 * - graph/: DOT graphs as a workflow. graph-decide.ts and graph-evolve.ts are its two functions,
 *   node-steps.ts wraps every handler in handlers/, gate-request.ts turns gates into approvals.
 * - restate/: Restate as what wakes the runs of a cluster, in place of the store.
 * - drivers/: a second entry point without agents and graphs, for processes that must start fast.
 *
 * Where to add what
 *
 * - A kind of run: a `Workflow` (see src/oneshot/), and its performers in
 *   src/runs/create-run-host.ts.
 * - A node type: its name and shape in src/graph/handler-of.ts, its attributes in
 *   src/graph/attribute-table.ts, a `Performer` in graph/handlers/, registered in
 *   src/runs/create-run-host.ts as `graph.<type>`. A type that runs no step of its own is decided
 *   in graph/graph-decide.ts instead.
 * - A field of the folded state: in `evolve`, and raise the workflow's `version`, which discards
 *   older snapshots.
 *
 * Not here: where runs come from and which process drives them (src/runs/), the syntax of graphs
 * (src/graph/), the pipelines (src/pipelines/).
 */

export { AgentSteps, type AgentTurn, type TurnHooks } from './agent-step.js'
export {
  childrenOf,
  createRun,
  findRun,
  getRun,
  getRunIfKnown,
  listRuns,
  recordCancel,
  recordPause,
  recordResume,
  runsOnWorker,
  runsOnWorkers,
} from './control.js'
export { Driver } from './drive.js'
export { gateAnswer } from './gate-answer.js'
export { Artifacts } from './graph/artifacts.js'
export { type Checkpoint, CheckpointFold, checkpointsOf, readCheckpoint } from './graph/checkpoint.js'
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
  ChildObserveSteps,
  ChildSteerSteps,
  ChildStopSteps,
  childSourceSteps,
} from './graph/handlers/child.js'
export { codeSteps } from './graph/handlers/code.js'
export { CodergenSteps, failedTurn, isLiveNode } from './graph/handlers/codergen.js'
export { type CustomHandler, customSteps } from './graph/handlers/custom.js'
export { FanInSteps } from './graph/handlers/fan-in.js'
export { mergeSteps } from './graph/handlers/merge.js'
export { simulatedSteps } from './graph/handlers/simulated.js'
export { ToolSteps } from './graph/handlers/tool.js'
export {
  type InterviewAnswer,
  type Interviewer,
  type InterviewQuestion,
  parseInterviewAnswer,
  questionOf,
} from './graph/interviewers.js'
export { NodeSteps, StallDetector } from './graph/node-steps.js'
export type { LiveListener, LiveTurns } from './live-turn.js'
export { LOST_WORKER_GATE, type LostWorker } from './lost-worker-gate.js'
export { RunDrivers, UNDRIVEN_AFTER_MS } from './run-drivers.js'
export type { EngineKind } from './run-engine.js'
export { type OpenEngine, RunHost } from './run-host.js'
export { readRun, runStream } from './run-journal.js'
export { byQueueOrder, queuePosition } from './run-order.js'
export type { OpenStep, RunState } from './run-state.js'
export { isEnded, type RunStatus, runStatusTable } from './run-status-table.js'
export type { PlacedRun, PlacementChoice, RunPlacer, RunSteps, RunStepsOptions } from './run-steps.js'
export { RunningSteps } from './running-steps.js'
export { type RunRecord, runsProjection } from './runs-projection.js'
export { Servers } from './servers.js'
export { serversProjection } from './servers-projection.js'
export { StepOutput } from './step-output.js'
export { StoreEngine } from './store-engine.js'
export { addUsage, type Limits, NO_USAGE, type Prices, tokensOf, type Usage, withEstimatedCost } from './usage.js'
export {
  type AutomaticAnswer,
  type GateLedger,
  type Performer,
  type Recovery,
  type SandboxOfStep,
  StepAbort,
  type StepCall,
  type StepEnd,
  type Workflow,
  type WorkflowCommand,
} from './workflow.js'
