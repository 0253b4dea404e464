/**
 * A second, narrow door: runs and their drivers, without agents and graphs. What it leads to is loaded in half the time, and the time from
 * a crash to the next step is mostly that of loading.
 */
export { cancelRun, createRun, findRun, getRun, listRuns, pauseRun, resumeRun } from '../control.js'
export { type DriveEnd, type DriveOptions, Driver } from '../drive.js'
export { RunHost, type RunHostOptions } from '../run-host.js'
export { RunJournal, readRun, runStream } from '../run-journal.js'
export { type RunRecord, runsProjection } from '../runs-projection.js'
