/** The settings of `server.*` and where things are, taken from the configuration by whoever starts the daemon. */
export interface ServerSettings {
  /** The token and the devices are kept here. */
  stateDirectory: string
  /** `server.json` is written here. */
  runtimeDirectory: string
  /** The dashboard's files, as they were built. */
  webDirectory: string
  bind: string
  port: number
  isPublic: boolean
  tls: { certFile: string; keyFile: string } | null
  isBehindProxy: boolean
  proxies: readonly string[]
  /** Further values of the Host header that are ours. */
  hosts: readonly string[]
  passphraseFile: string | null
  requestsPerS: number
  requestsBurst: number
  loginsPer15Min: number
  decisionsPerMin: number
  sessionsPerMin: number
  maxConnections: number
  maxStreams: number
  maxTerminals: number
  maxViewers: number
  /** How long a connection may take to send its headers. */
  headersMs: number
  isReadOnly: boolean
  /** Scripted agents in a temporary home: pages say so. */
  isDemo?: boolean
}
