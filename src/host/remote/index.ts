/*
 * Sessions on workers, as their server has them. The worker reads the terminal and writes through
 * the server; surfaces use the same `SessionPort` as for sessions of this machine.
 *
 * - remote-sessions.ts: all of them: starts, live updates, panes, what happens when a worker leaves
 *   or is lost.
 * - remote-session.ts: one of them: its last known state, and its operations as calls.
 * - remote-recordings.ts: their recordings, from blobs or from the worker.
 * - session-rights.ts: what a worker may write and read: its own sessions, and requests about them.
 *
 * The worker's side is src/host/worker/.
 */
export { RemoteSession, type RemoteSessionUpdate } from './remote-session.js'
export { RemoteSessions } from './remote-sessions.js'
