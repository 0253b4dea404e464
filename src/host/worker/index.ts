/*
 * The host of a worker: it owns sessions as every host, but its log and its ledger are a server's.
 *
 * - remote-store.ts: the store, as far as a worker may use it. The server checks every call.
 * - remote-ledger.ts: raises requests and reports what became of them.
 * - recording-upload.ts: sends recordings to the blobs of the server.
 * - worker-sessions.ts: performs what the server asks of sessions, and publishes how they are.
 *
 * The server's side is src/host/remote/.
 */
export { remoteLedger } from './remote-ledger.js'
export { remoteStore } from './remote-store.js'
export { WorkerSessions } from './worker-sessions.js'
