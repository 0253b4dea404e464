/*
 * Workers: machines that perform steps of runs, and have sessions, for a server. The server
 * decides and writes; a worker performs and reports. It has no access to the store.
 *
 *   server                                             worker
 *   WorkerHub     notices lost workers                 ServerLink     connects, proves its key
 *     ├ WorkerPlacer       chooses the worker
 *     ├ ConnectedWorkers  leases, sockets     ◄────►  WorkerSteps    compares wanted with known
 *     └ PlacedSteps        what a run wants              └ StepFiles  survives kill -9
 *
 * - protocol.ts: the messages. The server sends the whole list of wanted steps with every change.
 * - placement.ts: which worker gets a run. Pure.
 * - compare-worker.ts: what a worker has and the log does not, for people (inventory.ts, pure).
 * - worker-record.ts, worker-registry.ts: who is a worker; invitations; keys (worker-proof.ts).
 *   projections/ is a narrow entry point for the store.
 *
 * Where to add what: a message in protocol.ts and in the two ends; a call of a worker in
 * src/runs/worker/server-calls.ts, with a check that the run is its own.
 *
 * Not here: the WebSocket of the server (src/server/worker-socket.ts), the program of the worker
 * (src/runs/worker/start-worker.ts).
 */
export { BLOB_PART, BlobFiles } from './blob-files.js'
export { answerCall } from './calls.js'
export type { LoggedItem, WorkerDifference, WorkerInventory } from './inventory.js'
export { CLOCK_OFFSET_MAX_MS, type PlacementRequest } from './placement.js'
export {
  HEARTBEAT_MS,
  MESSAGE_MAX_BYTES,
  type ProjectMirror,
  parseServerMessage,
  type SavedWorkspace,
  type ServerAddress,
  type ServerMessage,
  type StepNeeds,
  SUBPROTOCOL,
  type WorkspaceNeeds,
} from './protocol.js'
export { channelProof, openSocket, ServerLink, showPin } from './server-link.js'
export { ServerLinks } from './server-links.js'
export type { ChannelListener, TerminalChannel, WorkerCall } from './worker-connection.js'
export { type WorkerComparison, WorkerHub, type WorkerSessionsPort, type WorkerView } from './worker-hub.js'
export { newWorkerKey } from './worker-proof.js'
export { DEFAULT_POOL } from './worker-record.js'
export { type ServerPort, WorkerSteps, type WorkspacePort } from './worker-steps.js'
