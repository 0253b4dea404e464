/*
 * The bytes of a session over WebSocket. upgrade.ts checks the request like any other; then a
 * viewer gets a snapshot and the bytes that follow (connection.ts limits what may wait for it,
 * messages.ts is the protocol). For a session on a worker the server passes both directions on
 * (relay.ts), and the worker serves the viewer (worker-terminals.ts).
 */

export { serveTerminals } from './upgrade.js'
export { WorkerTerminals } from './worker-terminals.js'
