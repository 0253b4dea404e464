export { type Daemon, startDaemon } from './daemon.js'
export { ApiServer, type OpenServerOptions } from './open-server.js'
export type { ServerSettings } from './settings.js'
