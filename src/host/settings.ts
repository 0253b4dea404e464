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
  envPass: readonly string[]
}
