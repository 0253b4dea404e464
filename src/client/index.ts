/*
 * The client library: `import { connect } from 'signalbox'`. A program of its own that imports
 * nothing of the others: operations.ts is generated from the schemas of the API (scripts/),
 * connect.ts calls them over the owner's socket or over HTTP.
 */
export { type Client, type ConnectOptions, connect, type LogEvent, SignalboxApiError } from './connect.js'
export type * from './operations.js'
