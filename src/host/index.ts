export { LiveBus, type LiveUpdate } from './bus.js'
export { Host, type HostOptions } from './host.js'
export type { StartRequest } from './prepare-session.js'
export type { HostSettings } from './settings.js'
