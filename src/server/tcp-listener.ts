import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, isIPv6, type Socket } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { SignalboxError } from '../errors/index.js'
import { OwnAddresses } from './admission/origins.js'
import { createApp } from './app.js'
import { readPrivateFile, writePrivateFile } from './auth/private-file.js'
import type { ServerParts } from './parts.js'
import type { ServerSettings } from './settings.js'
import { StaticFiles } from './static-files.js'

const HEADER_MAX = 16 * 1024
const IDLE_MS = 60_000
/** How often connections are checked that have not sent their headers in time. */
const CHECK_MS = 1_000

export interface TcpListener {
  server: Server
  own: OwnAddresses
  /** `http://127.0.0.1:4100` */
  address: string
  close(): Promise<void>
}

/** The dashboard's listener. @throws SignalboxError `E_CONFIG`, `E_PORT` */
export async function listenTcp(parts: ServerParts): Promise<TcpListener> {
  const { settings } = parts
  checkBind(settings)
  const isSecure = settings.tls !== null || settings.isBehindProxy
  let handle: RequestListener = (_request, response) => void response.destroy()
  const server = open(settings, (request, response) => handle(request, response))
  server.maxConnections = settings.maxConnections
  if (settings.isBehindProxy && !settings.tls)
    server.on('connection', socket => {
      if (!isFromProxy(socket, settings.proxies)) socket.destroy()
    })
  if (settings.keepsPort) await listenOnKeptPort(server, settings)
  else await listen(server, settings)
  const { port } = server.address() as AddressInfo
  const own = new OwnAddresses({ port, isSecure, further: settings.hosts })
  const app = createApp(parts, { kind: 'tcp', own, isSecure, files: new StaticFiles(settings.webDirectory) })
  handle = getRequestListener(app.fetch, { overrideGlobalObjects: false }) as RequestListener
  const name = settings.hosts[0] && isSecure ? settings.hosts[0] : `${hostName(shownBind(settings.bind))}:${port}`
  const address = `${isSecure ? 'https' : 'http'}://${name}`
  const file = join(settings.runtimeDirectory, 'server.json')
  await writePrivateFile(file, `${JSON.stringify({ pid: process.pid, port, address })}\n`)
  return {
    server,
    own,
    address,
    close: async () => {
      await rm(file, { force: true })
      server.close()
    },
  }
}

function open({ tls, headersMs }: ServerSettings, handle: RequestListener): Server {
  const options: ServerOptions = {
    maxHeaderSize: HEADER_MAX,
    headersTimeout: headersMs,
    requestTimeout: IDLE_MS,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: Math.min(CHECK_MS, headersMs),
  }
  if (!tls) return createServer(options, handle)
  try {
    const pair = { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) }
    return createSecureServer({ ...options, ...pair }, handle) as unknown as Server
  } catch (error) {
    throw new SignalboxError('E_CONFIG', `invalid TLS certificate or key: ${(error as Error).message}`, {
      next: 'check server.tls_cert and server.tls_key',
      cause: error,
    })
  }
}

/**
 * Bookmarks, installed apps and logins of browsers belong to an address with its port, so a home
 * keeps the free port that it got first.
 */
async function listenOnKeptPort(server: Server, settings: ServerSettings): Promise<void> {
  const file = join(settings.stateDirectory, 'port')
  const kept = Number(await readPrivateFile(file))
  const isKept = Number.isInteger(kept) && kept > 0 && kept <= 65_535
  try {
    await listen(server, { ...settings, port: isKept ? kept : 0 })
  } catch (error) {
    if (!isKept) throw error
    await listen(server, settings)
  }
  const { port } = server.address() as AddressInfo
  if (port !== kept) await writePrivateFile(file, `${port}\n`)
}

function listen(server: Server, { bind, port }: Pick<ServerSettings, 'bind' | 'port'>): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      const { code } = error as NodeJS.ErrnoException
      const why = code === 'EADDRINUSE' ? 'the port is in use' : (code ?? error.message)
      reject(
        new SignalboxError('E_PORT', `the dashboard cannot listen on ${bind}:${port}: ${why}`, {
          next: 'choose another port: signalbox serve --port 0, or server.port in the settings',
          cause: error,
        }),
      )
    }
    server.once('error', fail)
    server.listen({ port, host: bind }, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

function shownBind(bind: string): string {
  return isLoopback(bind) ? bind : '127.0.0.1'
}

function isFromProxy({ remoteAddress }: Socket, proxies: readonly string[]): boolean {
  const address = remoteAddress?.replace(/^::ffff:/, '') ?? ''
  return isLoopback(address) || proxies.includes(address)
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/

function isLoopback(bind: string): boolean {
  return LOOPBACK.test(bind)
}

/**
 * An address that other machines can reach needs server.public, encryption and a passphrase.
 * `0.0.0.0` in a container is not an exception.
 * @throws SignalboxError `E_CONFIG`
 */
function checkBind({ bind, isPublic, tls, isBehindProxy, proxies, passphraseFile }: ServerSettings): void {
  if (isLoopback(bind)) return
  const refuse = (missing: string, next: string) =>
    new SignalboxError('E_CONFIG', `the dashboard cannot listen on ${bind} without ${missing}`, { next })
  if (!isPublic)
    throw refuse('server.public', 'set server.public = true if other machines may reach it, or bind to 127.0.0.1')
  if (!tls && !isBehindProxy)
    throw refuse('TLS', 'set server.tls_cert and server.tls_key, or server.behind_proxy with server.proxies')
  if (isBehindProxy && !tls && proxies.length === 0)
    throw refuse('the addresses of the proxy', 'list them in server.proxies')
  if (passphraseFile === null) throw refuse('a passphrase', 'set server.passphrase_file')
}

/** The address as a URL contains it. */
function hostName(bind: string): string {
  return isIPv6(bind) ? `[${bind}]` : bind
}
