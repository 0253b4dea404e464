export { LiveBus, type LiveUpdate } from './bus.js'
export {
  type AttractorAnswerer,
  type AttractorOptions,
  AttractorPipelines,
  type NewPipeline,
  type PipelineQuestion,
  type PipelineStatus,
} from './graphs/attractor.js'
export { type AttractorEvent, type AttractorEventName, AttractorTeller } from './graphs/attractor-events.js'
export { type DrawnPicture, drawingOf, drawMarkdown, drawSvg } from './graphs/draw-run.js'
export { newWorkspace } from './graphs/new-workspace.js'
export {
  budgetOf,
  checkInputs,
  lookForPrompt,
  titleOf,
  transformGraph,
  withPromptFiles,
} from './graphs/prepare-graph.js'
export { Host, type HostOptions } from './host.js'
export type { Notice } from './notify-notice.js'
export { openHomeStore } from './open-store.js'
export { PANE_ACTIONS, type PaneAction, type PaneExplanation } from './panes-board.js'
export type { PaneInfo } from './panes-info.js'
export { SWITCHES } from './panes-switches.js'
export type { BoardChange } from './panes-told.js'
export { People, type Person, type PersonRole, ROLES } from './people.js'
export type { StartRequest } from './prepare-session.js'
export { isOwnerGone, ownName } from './process-owner.js'
export { type Answerer, RunGates } from './run-gates.js'
export { oneshotFiles, openRuns, type RunsOptions, runDirectory } from './runs.js'
export type { HostSettings } from './settings.js'
export {
  type ButtonToken,
  type KnownChat,
  type KnownTopic,
  type OpenUpdate,
  type QueuedItem,
  type ShownCard,
  telegramChatsProjection,
  telegramCursorProjection,
  telegramOutboxProjection,
  telegramProjections,
  telegramShownProjection,
  telegramTokensProjection,
  telegramTopicsProjection,
  telegramUpdatesProjection,
} from './telegram-projections.js'
export {
  type ExecutableFiles,
  executableFiles,
  executableProject,
  executableText,
  isOwnFile,
  PROJECT_FILE,
  TrustBook,
  type TrustCheck,
  type TrustRecord,
} from './trust/index.js'
export {
  emptyTrash,
  fateOf,
  listTrash,
  removeWorktree,
  TRASH_MS,
  type TrashEntry,
  type WorktreeEntry,
  type WorktreeFate,
  worktreeLedger,
} from './worktrees/index.js'
