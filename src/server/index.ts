export { type Daemon, startDaemon } from './daemon.js'
export type {
  DoctorFinding,
  OneshotWish,
  PairingDoor,
  PersonView,
  PipelineDoor,
  PipelineView,
  ServerExtras,
  SettingView,
} from './extras.js'
export { ApiServer, type OpenServerOptions } from './open-server.js'
export { openApi } from './openapi.js'
export { ROUTES } from './routes/index.js'
export type { ServerSettings } from './settings.js'
