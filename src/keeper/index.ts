/*
 * The keeper: a small process that owns the PTYs, so that sessions survive a restart of the daemon.
 * It starts programs, records every byte, keeps the newest output in memory and forwards keys. It
 * knows nothing about screens, agents or approvals.
 *
 * - port.ts is the interface; keeper.ts implements it in this process, keeper-client.ts over a
 *   socket, with wire.ts as the protocol and keeper-server.ts as the other end.
 * - start-keeper.ts finds the running keeper of a home directory or starts one (main.ts).
 */

export { Keeper } from './keeper.js'
export { KeeperClient } from './keeper-client.js'
export { KeeperServer } from './keeper-server.js'
export type {
  KeeperDeadline,
  KeeperListener,
  KeeperPort,
  KeptExit,
  KeptSession,
  RecordingFailure,
  SpawnRequest,
} from './port.js'
export { startKeeper } from './start-keeper.js'
