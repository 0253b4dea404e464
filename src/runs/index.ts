/*
 * Starting, resuming, forking and driving runs. Commands, the HTTP API and the Telegram bot call
 * these functions and show the result; nothing here prints. Every run that a person starts is
 * created here; child runs and successors are created by their run (`engine/proposals.ts`).
 *
 *   startGraph, startOneshot,       choose settings, agents, issue and workspace, require trust,
 *   startImplementation,            then write `run.created`
 *   startReview, startPullRequest
 *   startPipeline                   a pipeline by name, with input from a page or a chat
 *   resumeRun, forkRun              continue a run, or a checkpoint of it
 *   driveRun                        drives a run in this process; the daemon uses `createRunHost`
 *   describeRun                     why a run has its status, and how it continues
 *   pauseRun, cancelRun             stop a run, and end what a dead driver left running
 *   UndrivenRuns                    notices runs whose driver died
 *   followRun                       reports what happens in a run, whichever process drives it
 *   startWorker, joinWorker         the worker's process on another machine (`worker/`)
 *
 * graphs/ and pipelines/ start runs of DOT files and of pipelines; attractor/ is the HTTP API and
 * the run directory of that format. workspaces/ moves the files of a run to its worker and back.
 *
 * `StartContext` says where and for whom a run is started. Its `asker` puts questions to a person:
 * the terminal asks, the daemon has none, and a start that needs an answer then fails with the
 * reason.
 *
 * To add an option of a run: its field in the options type of the start function, its flag in
 * `cli/specs`, and its field in the body of `server/routes/run-start.ts`.
 */
export { AttractorApi } from './attractor/attractor.js'

export { exportAttractor } from './attractor/export-attractor.js'
export { cancelRun } from './cancel-run.js'
export { agentEnvironment } from './choose-agent.js'
export { createRunHost, oneshotFiles } from './create-run-host.js'
export { type DescribedRun, describeRun } from './describe-run.js'
export { driveRun, type RunListener } from './drive-run.js'
export { reasonText } from './explain-run.js'
export { type FollowOptions, followRun } from './follow-run.js'
export { CheckpointWriter } from './graphs/checkpoint-writer.js'
export { forkRun, startFromCheckpointFile } from './graphs/checkpoints.js'
export { drawingOf, drawMarkdown, drawSvg } from './graphs/draw-run.js'
export { type LoadedGraph, loadGraph, readGraphFile } from './graphs/load-graph.js'
export { startGraph } from './graphs/start-graph.js'
export { loadUserModule, type UserModule } from './graphs/user-module.js'
export { sessionSteps } from './live-turns.js'
export { pauseRun } from './pause-run.js'
export { queuedPipelines, readPipeline, setPlan, soleRunOfDirectory } from './pipelines/pipeline-runs.js'
export { projectPipeline, projectPipelines } from './pipelines/project-pipelines.js'
export type { PullOptions } from './pipelines/pull-args.js'
export { promptDirectory, readPrompt } from './pipelines/read-profile.js'
export { startImplementation } from './pipelines/start-implementation.js'
export { listPipelines, startPipeline } from './pipelines/start-pipeline.js'
export { startPullRequest } from './pipelines/start-pull-request.js'
export { startReview } from './pipelines/start-review.js'
export { withProjectSettings } from './project-trust.js'
export { resumeInDaemon, resumeRun } from './resume-run.js'
export { runDirectory } from './run-directory.js'
export { type DecideInDaemon, ledgerOf, RunGates } from './run-gates.js'
export { answererOf, answersFromFile } from './scripted-answers.js'
export {
  type Asker,
  daemonContext,
  isDrivenBy,
  type StartContext,
  type StartedRun,
  type TrustQuestion,
} from './start-context.js'
export { type OneshotOptions, startOneshot } from './start-oneshot.js'
export { continuesInDaemon } from './take-over.js'
export { UndrivenRuns } from './undriven-runs.js'
export { type FoundServer, joinWorker } from './worker/join-worker.js'
export { openWorkerHub } from './worker/server-calls.js'
export { startWorker, type WorkerSessionsEnd } from './worker/start-worker.js'
export { waitingBundles, waitingDirectoryOf } from './workspaces/workspace-blobs.js'
export { followWorktreeUpdates } from './workspaces/worktree-updates.js'
export { listWorktrees } from './worktrees.js'
