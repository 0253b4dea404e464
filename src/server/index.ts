export { type Daemon, startDaemon } from './daemon.js'
