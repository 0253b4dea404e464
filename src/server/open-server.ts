import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { dirname, join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { type Clock, delay } from '../clock/index.js'
import type { RunHost, Servers } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { openHome } from '../host/home/index.js'
import type { Host } from '../host/index.js'
import { notePeer } from '../process/index.js'
import { AttractorApi } from '../runs/index.js'
import type { Schedules } from '../schedules/index.js'
import { SearchIndex } from '../search/index.js'
import type { Subscription } from '../store/index.js'
import { TrustStore } from '../trust/index.js'
import type { WorkerHub } from '../workers/index.js'
import { RateLimit } from './admission/rate-limits.js'
import { createApp } from './app.js'
import { Audit } from './audit.js'
import { Auth } from './auth/auth.js'
import { LocalPeers } from './auth/local-peers.js'
import { SharedLogins } from './auth/shared-logins.js'
import { Doctor } from './doctor.js'
import { Idempotency } from './idempotency.js'
import { EventFeed, UpdateFeed } from './live/event-stream.js'
import { PaneFeed } from './live/pane-feed.js'
import { RecordFeed } from './live/record-feed.js'
import { Streams } from './live/streams.js'
import { LockdownControl } from './lockdown.js'
import { Metrics } from './metrics.js'
import type { BotControl, DaemonBuild, ServerParts } from './parts.js'
import { hookRoutes } from './routes/hooks.js'
import type { ServerSettings } from './settings.js'
import { listenTcp, type TcpListener } from './tcp-listener.js'
import { serveTerminals } from './terminal/index.js'
import { RunProgress } from './views/run-progress.js'
import { CleanText } from './wire/clean-text.js'

/** How long open requests may take to be answered when the daemon stops. */
const ANSWER_MS = 100

export interface OpenServerOptions {
  host: Host
  runs: RunHost | null
  workers?: WorkerHub
  servers?: Servers
  schedules?: Schedules
  settings: ServerSettings
  /** The environment of the daemon: names the home directory. */
  env: NodeJS.ProcessEnv
  bot?: BotControl
  clock: Clock
  version: string
  build?: DaemonBuild
  stop(): void
  /** Shuts it down and starts another one; absent if a command did not start it. */
  restart?: (() => void) | undefined
  log(line: string): void
}

const NO_BOT: BotControl = {
  health: () => ({ state: 'off' }),
  pairing: () => {
    throw new SignalboxError('E_STATE', 'the Telegram bot is not running', { next: 'signalbox telegram setup' })
  },
  setUp: async () => {
    throw new SignalboxError('E_STATE', 'this program runs no Telegram bot', { next: 'signalbox serve' })
  },
}

/** The API of a host on its listeners: the owner's unix socket, and TCP for the rest. */
export class ApiServer {
  readonly parts: ServerParts
  #socket: { server: Server; path: string } | null = null
  #hooks: { server: Server; path: string } | null = null
  #tcp: TcpListener | null = null
  readonly #following: Subscription | null

  private constructor(parts: Omit<ServerParts, 'address'>, following: Subscription | null) {
    this.#following = following
    this.parts = { ...parts, address: () => this.#tcp?.address ?? null }
  }

  static async open(options: OpenServerOptions): Promise<ApiServer> {
    const { host, runs, settings, env, bot = NO_BOT, clock, version, stop, restart, log } = options
    const { build = { time: 0, isDetached: false } } = options
    const onError = (error: unknown) => log(`error: ${error instanceof Error ? error.stack : error}`)
    const { servers = null } = options
    const logins = servers && new SharedLogins(host.store)
    const auth = await Auth.open(settings, clock, onError, logins && { logins, server: servers.id })
    const following = (await logins?.follow(() => void auth.reload().catch(onError), onError)) ?? null
    const streams = new Streams({ events: settings.maxStreams, terminal: settings.maxTerminals })
    auth.devices.onRevoked(device => streams.endDevice(device))
    const metrics = new Metrics()
    const text = new CleanText(host.redactor)
    const events = await EventFeed.open(host.store, text, onError)
    const progress = new RunProgress(host.store)
    const search = await SearchIndex.open(join(host.settings.dataDirectory, 'search.db'), host.store, onError)
    search.follow(host.store)
    const perMinute = (what: string, most: number) => new RateLimit(clock, { what, burst: most, perSecond: most / 60 })
    const parts: Omit<ServerParts, 'address'> = {
      host,
      runs,
      workers: options.workers ?? null,
      servers: options.servers ?? null,
      schedules: options.schedules ?? null,
      clock,
      version,
      build,
      startedAt: clock.now(),
      settings,
      auth,
      peers: new LocalPeers(host, clock),
      limits: {
        requests: new RateLimit(clock, {
          what: 'requests',
          burst: settings.requestsBurst,
          perSecond: settings.requestsPerS,
        }),
        decisions: perMinute('decisions', settings.decisionsPerMin),
        sessions: perMinute('sessions started', settings.sessionsPerMin),
      },
      events,
      search,
      records: new RecordFeed({ host, progress, events, text, onError }),
      updates: new UpdateFeed(host.bus, text),
      text,
      panes: new PaneFeed(host, text),
      progress,
      streams,
      env,
      home: () => openHome({ env }),
      startedWith: new Map(
        openHome({ env })
          .loaded.entries()
          .map(({ key, shown }) => [key, shown]),
      ),
      doctor: new Doctor({ env, version, host, workers: options.workers ?? null }),
      bot,
      idempotency: new Idempotency(host.store, clock),
      lockdown: new LockdownControl({ host, auth, streams }),
      attractor: new AttractorApi({ store: host.store, clock, ledger: host.ledger }),
      trust: new TrustStore(host.store, host.settings.dataDirectory),
      metrics,
      audit: new Audit({ store: host.store, clock, metrics, log }),
      stop,
      restart: restart ?? null,
      log,
    }
    return new ApiServer(parts, following)
  }

  get address(): string | null {
    return this.#tcp?.address ?? null
  }

  async listenOnSocket(path: string): Promise<void> {
    const app = createApp(this.parts, { kind: 'socket' })
    const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
    server.on('connection', notePeer)
    serveTerminals(server, this.parts, null)
    rmSync(path, { force: true })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, () => resolve())
    })
    chmodSync(path, 0o600)
    this.#socket = { server, path }
  }

  /** The socket that programs in a sandbox see: it accepts reports of hooks, and nothing else. */
  async listenForHooks(path: string): Promise<void> {
    const app = createApp(this.parts, { kind: 'socket' }, hookRoutes)
    const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
    const server = createServer((request, response) => {
      // Without a token a report could be about any pane of the person.
      if (request.headers.authorization === undefined) response.writeHead(401).end()
      else void listener(request, response)
    })
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    rmSync(path, { force: true })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, () => resolve())
    })
    chmodSync(path, 0o600)
    this.#hooks = { server, path }
  }

  /** @throws SignalboxError `E_CONFIG`, `E_PORT` */
  async listenOnTcp(): Promise<string> {
    this.#tcp = await listenTcp(this.parts)
    serveTerminals(this.#tcp.server, this.parts, this.#tcp.own)
    return this.#tcp.address
  }

  async close(): Promise<void> {
    for (const listener of [this.#socket, this.#hooks]) {
      if (listener) rmSync(listener.path, { force: true })
      listener?.server.close()
    }
    await this.#tcp?.close()
    this.parts.streams.endAll('stopping')
    // The request that stops the daemon still gets its answer; streams are cut.
    await delay(this.parts.clock, ANSWER_MS)
    this.#socket?.server.closeAllConnections()
    this.#hooks?.server.closeAllConnections()
    this.#tcp?.server.closeAllConnections()
    this.#following?.close()
    this.parts.records.close()
    this.parts.events.close()
    this.parts.search.close()
    this.parts.updates.close()
    this.parts.panes.close()
    await this.parts.auth.devices.untilSaved()
  }
}
