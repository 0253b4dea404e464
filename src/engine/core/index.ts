/**
 * A second, narrow entry point: runs and their drivers, without agents and graphs. It loads in half
 * the time, and the time from a crash to the next step is mostly loading time.
 */
export { cancelRun, createRun, findRun, getRun, listRuns, pauseRun, resumeRun } from '../control.js'
export { type DriveEnd, type DriveOptions, Driver } from '../drive.js'
export { RunHost, type RunHostOptions } from '../run-host.js'
export { RunJournal, readRun, runStream } from '../run-journal.js'
export { type RunRecord, runsProjection } from '../runs-projection.js'
