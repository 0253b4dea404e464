export interface ServerSettings {
  /** Contains the token and the devices. */
  stateDirectory: string
  /** Contains `server.json`. */
  runtimeDirectory: string
  /** The built files of the dashboard. */
  webDirectory: string
  bind: string
  port: number
  /** A free port was chosen before: it is used again, unless another program has taken it. */
  keepsPort?: boolean
  isPublic: boolean
  tls: { certFile: string; keyFile: string } | null
  isBehindProxy: boolean
  proxies: readonly string[]
  /** Additional Host headers that are accepted. */
  hosts: readonly string[]
  /** Where workers reach this server; null: where it listens. */
  workerAddress: string | null
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
  /** The person whose MCP clients may decide requests; null: none may. */
  mcpDecideAs: string | null
  /** Scripted agents in a temporary home; the pages show that. */
  isDemo?: boolean
}
