/** The settings a host needs, taken from the configuration by whoever starts it. */
export interface HostSettings {
  dataDirectory: string
  /** Locks and logs of the running processes. */
  runtimeDirectory: string
  daemonSocket: string
  keeperSocket: string
  packDirectory: string
  size: { cols: number; rows: number }
  scrollback: number
  maxSessions: number
  /** Below this much free space no session is started; decisions still work. */
  minFreeMb: number
  envPass: readonly string[]
}
