/*
 * Traces, over OpenTelemetry: what a command, a server, a turn of a run and a step on a worker did
 * and how long it took, as one trace. Off unless `telemetry.endpoint` or the usual environment
 * variable names a collector; nothing is loaded before. Names and ids only: no prompt, no output.
 */

export { currentTrace, startTracing, type Tracing, traced } from './tracing.js'
