export {
  type AttractorAnswerer,
  type AttractorOptions,
  AttractorPipelines,
  type NewPipeline,
  type PipelineQuestion,
  type PipelineStatus,
} from './attractor/attractor.js'
export { type AttractorEvent, type AttractorEventName, AttractorTeller } from './attractor/attractor-events.js'
export { type DrawnPicture, drawingOf, drawMarkdown, drawSvg } from './draw-run.js'
export { newWorkspace } from './new-workspace.js'
export { oneshotFiles, openRuns, type RunsOptions, runDirectory } from './open-runs.js'
export {
  budgetOf,
  checkInputs,
  lookForPrompt,
  titleOf,
  transformGraph,
  withPromptFiles,
} from './prepare-graph.js'
export { RunGates } from './run-gates.js'
