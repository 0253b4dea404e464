/**
 * A second, narrow entry point: runs and their drivers, without agents and graphs. It loads in half
 * the time, and the time from a crash to the next step is mostly loading time.
 */
export { createRun, findRun, getRun, listRuns, recordCancel, recordPause, recordResume } from '../control.js'
export { type DriveEnd, Driver, type DriverOptions } from '../drive.js'
export { RunHost, type RunHostOptions } from '../run-host.js'
export { RunJournal, readRun, runStream } from '../run-journal.js'
export { type RunRecord, runsProjection } from '../runs-projection.js'
