export { Keeper } from './keeper.js'
export { KeeperClient } from './keeper-client.js'
export { KeeperServer } from './keeper-server.js'
export type {
  KeeperListener,
  KeeperPort,
  KeptExit,
  KeptSession,
  RecordingFailure,
  SpawnRequest,
} from './port.js'
export { startKeeper } from './start-keeper.js'
