import type { Clock } from '../clock/index.js'
import type { KeeperPort } from '../keeper/index.js'
import type { HostSettings } from './settings.js'

export interface HostOptions {
  settings: HostSettings
  clock: Clock
  keeper: KeeperPort
  /** Sessions of a foreground host end with it; those of the daemon are taken over by the next one. */
  owner: 'daemon' | 'foreground'
  version: string
  onError(error: unknown): void
}
