/*
 * Supervises all panes of a host: its own sessions and the panes of tmux servers. src/panes/
 * decides what a pane is doing; this room feeds it with time, jobs and checks, and publishes one
 * list.
 *
 * - pane-registry.ts: the list of all supervised panes (`PaneRegistry`): ticks them, finds them,
 *   switches sources of evidence on and off, and acts on them.
 * - pane-info.ts: a pane as surfaces show it. pane-changes.ts: publishes each change once, and
 *   detects cheaply that nothing has changed.
 * - session-monitor.ts: observes one session of our own for people (status, `explain`, drift of its
 *   pack); session-pane.ts makes it an entry of the registry.
 * - tmux-registry.ts, tmux-pane.ts: panes that Signalbox did not start.
 * - foreground-job.ts: which program runs in a terminal. terminal-read-check.ts: whether it reads
 *   its terminal. find-pane.ts: panes by name, and the pane of a hook call.
 * - live-settings.ts: the switches. drift/: screens that packs do not recognise, kept as files.
 *
 * To show more about a pane, add it to `PaneInfo` and to `digestOf`, or its changes are not
 * noticed.
 */

export { copyOf, type LiveSettings, SWITCHES, type SwitchChange, type SwitchName } from './live-settings.js'
export type { PaneListChange } from './pane-changes.js'
export type { PaneInfo } from './pane-info.js'
export { PANE_ACTIONS, type PaneAction, type PaneExplanation, PaneRegistry } from './pane-registry.js'
export { SessionMonitor } from './session-monitor.js'
export { sessionPane } from './session-pane.js'
