/*
 * The daemon: one process per home directory that owns its sessions. This room wires the keeper,
 * the host, the driver of runs, the HTTP API and the Telegram bot; it decides nothing. `signalbox
 * serve` and `signalbox demo` start it.
 */
export { runStarters } from './bot.js'
export { installEngine } from './engine-binary.js'
export { serverSettings } from './server-settings.js'
export { type Daemon, startDaemon } from './start-daemon.js'
export { WorkerHost } from './worker-host.js'
