import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import WebSocket from 'ws'
import { systemClock } from '../../src/clock/index.js'
import { serverSettings } from '../../src/daemon/index.js'
import type { RunHost } from '../../src/engine/index.js'
import { openHome } from '../../src/host/home/index.js'
import { Host } from '../../src/host/index.js'
import { Keeper, type KeeperPort } from '../../src/keeper/index.js'
import { createRunHost, openWorkerHub } from '../../src/runs/index.js'
import { Schedules } from '../../src/schedules/index.js'
import { signProof } from '../../src/server/auth/proof.js'
import { OWNER, type Role } from '../../src/server/caller.js'
import { ApiServer, type ServerSettings } from '../../src/server/index.js'
import { openBlobs } from '../../src/store/blobs/index.js'
import type { WorkerHub } from '../../src/workers/index.js'
import { silentContext } from '../support/silent-context.js'
import { waitFor } from '../support/wait-for.js'

export interface Login {
  device: string
  key: Buffer
  role: Role
}

export interface Ask {
  /** Whose request: none, the token, a browser, or any bearer. */
  as?: 'nobody' | 'token' | Login | { bearer: string }
  body?: unknown
  /** Sent as they are; null leaves one out that would be there. */
  headers?: Record<string, string | null>
  /** In place of what a browser of ours would prove. */
  proof?: Partial<{
    method: string
    target: string
    host: string
    ms: number
    nonce: string
    body: Buffer
    device: string
  }>
}

/** Parsed JSON whose shape the test itself checks. */
// biome-ignore lint/suspicious/noExplicitAny: other tests check the answers against their schemas
export type Loose = any

export interface TestResponse {
  status: number
  headers: IncomingMessage['headers']
  text: string
  json: Loose
}

export interface TestServerOptions {
  settings?: Partial<ServerSettings>
  onLog?: (line: string) => void
  hasRuns?: boolean
  /** The text of `config.toml`. */
  config?: string
  /** A keeper that outlives this host; a new one by default. */
  keeper?: KeeperPort
}

/** A host on a temporary home, with its server, in this process. */
export class TestServer {
  readonly directory: string
  readonly work: string
  api!: ApiServer
  host!: Host
  runs: RunHost | null = null
  workers: WorkerHub | null = null
  /** Starts nothing: it is never started itself. */
  schedules!: Schedules
  log: string[] = []
  readonly #agent = new Agent({ keepAlive: true })

  static async start(options: TestServerOptions = {}): Promise<TestServer> {
    const server = new TestServer()
    await server.open(options)
    return server
  }

  /** The same host with a new server, as after a restart; sessions and devices remain. */
  static async restarted(before: TestServer, options: TestServerOptions): Promise<TestServer> {
    before.api = await before.#serve(options)
    await before.api.listenOnTcp()
    return before
  }

  private constructor() {
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-server-')))
    this.work = join(this.directory, 'work')
    mkdirSync(this.work)
  }

  get context() {
    return silentContext(this.directory, this.work)
  }

  /** Opens it again on the same home, as after a restart. */
  async open({ settings = {}, onLog, hasRuns = false, config, keeper }: TestServerOptions = {}): Promise<void> {
    if (config !== undefined) this.#configure(config)
    const home = openHome(this.context)
    const log = (line: string) => {
      this.log.push(line)
      onLog?.(line)
    }
    const onError = (error: unknown) => log(`error: ${error instanceof Error ? error.stack : error}`)
    this.host = await Host.open({
      settings: home.settings,
      clock: systemClock,
      keeper: keeper ?? new Keeper(systemClock),
      owner: 'daemon',
      version: '0.0.0',
      onError,
    })
    const { dataDirectory } = home.settings
    const { hub } = openWorkerHub({
      blobs: await openBlobs(null, { dataDirectory, env: this.context.env }),
      store: this.host.store,
      ledger: this.host.ledger,
      clock: systemClock,
      dataDirectory: home.settings.dataDirectory,
      lostAfterMs: 600_000,
      childPlacement: 'same',
      wake: run => this.runs?.wake(run),
      onError,
      sessions: this.host.remote,
    })
    this.workers = hub
    if (hasRuns) {
      this.runs = createRunHost({
        store: this.host.store,
        ledger: this.host.ledger,
        clock: systemClock,
        dataDirectory: home.settings.dataDirectory,
        envPass: [],
        env: this.context.env,
        isInteractive: false,
        maxRuns: 8,
        placer: hub,
        onError,
      })
      await this.runs.start()
    }
    this.api = await this.#serve({ settings, ...(onLog && { onLog }) })
    await this.api.listenOnTcp()
  }

  #configure(config: string): void {
    const directory = join(this.directory, 'home', 'config')
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'config.toml'), config, { mode: 0o600 })
  }

  #serve({ settings = {}, onLog }: TestServerOptions): Promise<ApiServer> {
    const home = openHome(this.context)
    const log = (line: string) => {
      this.log.push(line)
      onLog?.(line)
    }
    this.schedules = new Schedules({
      store: this.host.store,
      clock: systemClock,
      home: 'here',
      launch: async () => ({ run: 'run_1' }),
      onError: error => log(String(error)),
    })
    return ApiServer.open({
      host: this.host,
      runs: this.runs,
      ...(this.workers && { workers: this.workers }),
      schedules: this.schedules,
      settings: {
        ...serverSettings(home.loaded.config, home.directories),
        requestsPerS: 10_000,
        requestsBurst: 10_000,
        decisionsPerMin: 10_000,
        sessionsPerMin: 10_000,
        ...settings,
      },
      env: this.context.env,
      clock: systemClock,
      version: '0.0.0',
      stop: () => undefined,
      log,
    })
  }

  get address(): string {
    return this.api.address!
  }

  get authority(): string {
    return new URL(this.address).host
  }

  get port(): number {
    return Number(new URL(this.address).port)
  }

  get token(): string {
    return readFileSync(this.api.parts.auth.token.path, 'utf8').trim()
  }

  /** A browser that followed a link made for this role. */
  async login(role: Role = 'owner'): Promise<Login> {
    const person = role === 'owner' ? OWNER : { id: `person:${role}`, name: role, role }
    const code = await this.api.parts.auth.codes.make(person)
    const { json } = await this.ask('POST', '/api/v1/auth/session', { body: { code, name: 'test' } })
    return { device: json.device, key: Buffer.from(json.key, 'base64url'), role }
  }

  /** Every login is then from longer ago than it counts as a confirmation. */
  ageLogins(): void {
    for (const device of this.api.parts.auth.devices.list())
      Object.assign(device, { createdAt: device.createdAt - 5 * 60_000 - 1 })
  }

  proofOf(
    login: Login,
    method: string,
    target: string,
    body: Buffer = Buffer.alloc(0),
    instead: Ask['proof'] = {},
  ): string {
    const stamp = { ms: instead.ms ?? Date.now(), nonce: instead.nonce ?? randomBytes(16).toString('base64url') }
    const proven = {
      method: instead.method ?? method,
      target: instead.target ?? target,
      host: instead.host ?? this.authority,
      body: instead.body ?? body,
    }
    const signature = signProof(login.key, proven, stamp)
    return `${instead.device ?? login.device}.${stamp.ms}.${stamp.nonce}.${signature}`
  }

  headersOf(method: string, target: string, { as = 'nobody', headers = {}, proof }: Ask, body: Buffer) {
    const isBrowser = typeof as === 'object' && 'device' in as
    const all: Record<string, string | null> = {
      host: this.authority,
      ...(body.length > 0 && { 'content-type': 'application/json' }),
      ...(as === 'token' && { authorization: `Bearer ${this.token}` }),
      ...(typeof as === 'object' && 'bearer' in as && { authorization: `Bearer ${as.bearer}` }),
      ...(isBrowser && {
        'x-signalbox-proof': this.proofOf(as as Login, method, target, body, proof),
        'sec-fetch-site': 'same-origin',
        ...(method !== 'GET' && { origin: this.address }),
      }),
      ...headers,
    }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Record<string, string>
  }

  send(method: string, target: string, ask: Ask = {}): Promise<IncomingMessage> {
    const body =
      ask.body === undefined
        ? Buffer.alloc(0)
        : Buffer.isBuffer(ask.body)
          ? ask.body
          : Buffer.from(JSON.stringify(ask.body))
    return new Promise((resolve, reject) => {
      const headers = this.headersOf(method, target, ask, body)
      const sending = request(
        {
          host: '127.0.0.1',
          port: this.port,
          method,
          path: target,
          headers: { ...headers, ...(body.length > 0 && { 'content-length': body.length }) },
          setHost: false,
          agent: this.#agent,
        },
        resolve,
      )
      sending.on('error', reject)
      sending.end(body)
    })
  }

  async ask(method: string, target: string, ask: Ask = {}): Promise<TestResponse> {
    const response = await this.send(method, target, ask)
    const chunks: Buffer[] = []
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    const isJson = String(response.headers['content-type']).includes('application/json')
    return {
      status: response.statusCode!,
      headers: response.headers,
      text,
      json: (isJson && text ? JSON.parse(text) : null) as Loose,
    }
  }

  terminal(pane: string, headers: Record<string, string> = {}): WebSocket {
    return new WebSocket(`ws://${this.authority}/api/v1/panes/${pane}/terminal`, 'signalbox.terminal.v1', {
      headers: { origin: this.address, ...headers },
    })
  }

  /** Ends everything but the files. */
  async halt(): Promise<void> {
    this.#agent.destroy()
    await this.api.close()
    await this.runs?.close()
    for (const session of this.host.liveSessions()) {
      await this.host.keeper.signal(session.id, 'SIGKILL').catch(() => undefined)
    }
    await this.host.close()
    await this.host.keeper.close()
  }

  async close(): Promise<void> {
    await this.halt()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** Server-sent events of a response, one by one. */
export async function* eventsOf(
  response: IncomingMessage,
): AsyncGenerator<{ event: string; id: string | null; data: Loose }> {
  let rest = ''
  for await (const chunk of response as AsyncIterable<Buffer>) {
    rest += chunk.toString('utf8')
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const fields = new Map(
        rest
          .slice(0, end)
          .split('\n')
          .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      rest = rest.slice(end + 2)
      yield {
        event: fields.get('event') ?? '',
        id: fields.get('id') ?? null,
        data: JSON.parse(fields.get('data') ?? 'null') as Loose,
      }
    }
  }
}

export function until<T>(look: () => T | Promise<T>, ms?: number): Promise<NonNullable<T>> {
  return waitFor(String(look), look, ms)
}
