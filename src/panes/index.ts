export { checkFixtures, type FixtureReport, type FixtureResult } from './check-fixtures.js'
export { claimOf } from './claim-of.js'
export { type Count, Counters } from './counters.js'
export { type DetectedAgent, detectByCommand, detectByScreen } from './detect-agent.js'
export { type DriftCounts, type DriftReport, DriftWatch } from './drift-watch.js'
export type { Authority, Claim, Evidence } from './evidence.js'
export { EvidenceLog, type JudgedEvidence } from './evidence-log.js'
export { isPlainShell, type Job, jobName, shownCommand } from './job.js'
export type { TerminalWitness } from './menu-witness.js'
export { Pane, type PaneState, type PaneStep, type SavedPane } from './pane.js'
export { type Look, type PaneOutput, PaneScreen, type PaneScreenState } from './pane-screen.js'
export {
  itermSessionId,
  type PaneFeed,
  type PaneFeedEvent,
  type PaneSource,
  paneOfIterm,
  type SourcePane,
} from './pane-source.js'
export type { Reading } from './reading.js'
export { Replay, type ReplayEvent, type ReplayLine, type ReplayOptions, replayEvents } from './replay.js'
export type { LoggedReport } from './report-log.js'
export { type SwitchedOff, timeBox } from './rule-time-box.js'
export { Settler } from './settle.js'
export type { StatusEntry, StatusReading, StatusSignal, StatusState } from './status.js'
export { type PaneStatus, type StatusEvent, statusTable } from './status-table.js'
export { StatusTracker } from './status-tracker.js'
export { Supervisor } from './supervisor.js'
export type { Supervised, SupervisorOptions, SupervisorSettings } from './supervisor-parts.js'
export { titleClaim } from './title-evidence.js'
