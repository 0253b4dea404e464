import { join } from 'node:path'
import type { Config, Directories } from '../config/index.js'
import { SignalboxError } from '../errors/index.js'
import { PACKAGE_ROOT } from '../process/index.js'
import type { ServerSettings } from '../server/index.js'

/** The settings `server.*` for the API server; options of the command line replace some of them. */
export function serverSettings(
  config: Config,
  directories: Directories,
  options: { port?: number | undefined; isReadOnly?: boolean; isDemo?: boolean } = {},
): ServerSettings {
  const { server } = config
  if ((server.tls_cert === null) !== (server.tls_key === null))
    throw new SignalboxError('E_CONFIG', 'server.tls_cert and server.tls_key must both be set', {
      next: 'set both or neither',
    })
  return {
    stateDirectory: directories.state,
    runtimeDirectory: directories.runtime,
    webDirectory: join(PACKAGE_ROOT, 'dist', 'web'),
    bind: server.bind,
    port: options.port ?? server.port,
    keepsPort: options.port === undefined && server.port === 0,
    isPublic: server.public,
    tls: server.tls_cert && server.tls_key ? { certFile: server.tls_cert, keyFile: server.tls_key } : null,
    isBehindProxy: server.behind_proxy,
    proxies: server.proxies,
    hosts: server.worker_address ? [...server.hosts, new URL(server.worker_address).host] : server.hosts,
    workerAddress: server.worker_address,
    passphraseFile: server.passphrase_file,
    requestsPerS: server.requests_per_s,
    requestsBurst: server.requests_burst,
    loginsPer15Min: server.logins_per_15_min,
    decisionsPerMin: server.decisions_per_min,
    sessionsPerMin: server.sessions_per_min,
    maxConnections: server.max_connections,
    maxStreams: server.max_streams,
    maxTerminals: server.max_terminals,
    maxViewers: server.max_viewers,
    headersMs: 10_000,
    isReadOnly: options.isReadOnly ?? false,
    mcpDecideAs: config.mcp.decide_as,
    isDemo: options.isDemo ?? false,
  }
}
