/*
 * From a terminal's bytes to the status of a pane. Everything here is pure in time: `t` comes in as
 * an argument, so a recording, a test and a live pane use the same code. The owner of a pane
 * (src/sessions/, src/supervision/) feeds bytes, calls `tick` at `nextDeadline`, and acts.
 *
 *   bytes → PaneScreen   emulator, classifier; one `Look` per accepted frame       pane-screen.ts
 *     │                    settle.ts: idle is accepted only after it has lasted, and the exceptions
 *     ▼
 *   Pane                 looks and reports become `Evidence`, evidence one `Reading`      pane.ts
 *     │                    evidence.ts: the authorities, highest first; reading.ts: which one wins
 *     │                    claims.ts, report-evidence.ts: from observations and reports to claims
 *     ▼
 *   Supervisor           readings and signals become the status for people          supervisor.ts
 *                          signal-queue.ts → supervised-reading.ts → status-table.ts
 *                          supervised-status.ts: what follows from a change
 *                          content-tracker.ts, heuristics/: rules for programs that report nothing
 *
 * Terms: a *look* is a frame with its observation at a moment. A *claim* is what a piece of
 * evidence says that the pane is doing. An *authority* is a source of evidence; a lower one may
 * contradict a higher one but never overrules it.
 *
 * Other parts
 *
 * - progress.ts (stuck or not), flicker.ts, focus-tracker.ts, foreground-tracker.ts,
 *   wait-fallback.ts, shown-status.ts: one rule of supervision each, with its settings.
 * - terminal-read-check.ts: whether a menu over a shell command really asks.
 * - detect-agent.ts, job.ts: which program runs. drift-detector.ts, rule-time-box.ts: packs that no
 *   longer match, rules that are too slow. report-log.ts, evidence-log.ts: what `explain` shows.
 * - reader/: how a session's terminal is read, in this thread or in another.
 * - tmux/: panes of tmux servers, over control mode.
 * - replay.ts, check-fixtures.ts: recordings and pack fixtures through the same code.
 *
 * Where to add what
 *
 * - A source of reports: its place in AUTHORITIES (evidence.ts), a conversion to claims, and a case
 *   in status-walk.test.ts.
 * - A status, an event or a guard: status-table.ts.
 * - A setting: its entry in config/settings/panes.ts, its use here, and a case in
 *   supervisor-settings.test.ts.
 */

export { checkFixtures, type FixtureReport } from './check-fixtures.js'
export { claimOf, titleClaim } from './claims.js'
export { type Count, Counters } from './counters.js'
export { detectByCommand, detectByScreen } from './detect-agent.js'
export { type DriftCounts, DriftDetector, type DriftReport } from './drift-detector.js'
export type { Claim } from './evidence.js'
export { EvidenceLog, type JudgedEvidence } from './evidence-log.js'
export { isPlainShell, isSpawningWrapper, type Job, jobNames, shownCommand } from './job.js'
export { Pane, type PaneState, type PaneStep, type SavedPane } from './pane.js'
export { type Look, type PaneOutput, PaneScreen } from './pane-screen.js'

export { Replay, type ReplayEvent } from './replay.js'
export type { LoggedReport } from './report-log.js'
export type { SwitchedOff } from './rule-time-box.js'

export type { ScreenView } from './screen-view.js'
export type { StatusEntry } from './status.js'
export { type PaneStatus, statusTable } from './status-table.js'
export { StatusTracker } from './status-tracker.js'
export { SupervisedReplay } from './supervised-replay.js'
export { Supervisor } from './supervisor.js'
export { hasNewContent, type SupervisedState, type SupervisorSettings } from './supervisor-parts.js'
