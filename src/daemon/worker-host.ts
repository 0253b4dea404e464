import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock/index.js'
import { socketPath } from '../config/index.js'
import { SignalboxError } from '../errors/index.js'
import type { Home } from '../host/home/index.js'
import { Host, type HostSettings } from '../host/index.js'
import { remoteLedger, remoteStore, WorkerSessions } from '../host/worker/index.js'
import { type KeeperDeadline, type KeeperPort, startKeeper } from '../keeper/index.js'
import type { WorkerSessionsEnd } from '../runs/index.js'
import { type ForwardedRequest, WorkerApi, WorkerTerminals } from '../server/index.js'
import { createRedactor, secretsFromEnvironment } from '../text/index.js'
import type { ServerLinks, ServerMessage } from '../workers/index.js'

export interface WorkerHostOptions {
  home: Home
  clock: Clock
  version: string
  link: ServerLinks
  worker: string
  /** It can no longer have sessions: its keeper is gone. */
  onFailed(): void
  onError(error: unknown): void
}

interface Opened {
  host: Host
  sessions: WorkerSessions
  api: WorkerApi
  close(): Promise<void>
}

/**
 * The sessions of a worker: a host with a keeper of its own, whose log and ledger are the server's.
 * It opens as soon as the server answers; what is asked of it before that waits.
 */
export class WorkerHost implements WorkerSessionsEnd {
  readonly #keeper: Promise<KeeperPort>
  readonly #opening: Promise<Opened>
  readonly #terminals: WorkerTerminals
  readonly #onError: (error: unknown) => void
  #opened: Opened | null = null
  #isClosed = false
  #isWarned = false

  constructor(options: WorkerHostOptions) {
    this.#onError = options.onError
    this.#keeper = openKeeper(options)
    this.#opening = openHost(options, this.#keeper)
    this.#terminals = new WorkerTerminals(async () => (await this.#opening).host, options.link)
    this.#opening.then(
      opened => {
        this.#opened = opened
      },
      error => {
        if (this.#isClosed) return
        options.onError(error)
        options.onFailed()
      },
    )
  }

  get ids(): string[] {
    return this.#opened?.sessions.ids ?? []
  }

  connected(ended: readonly string[]): void {
    this.#opened?.sessions.connected(ended)
  }

  disconnected(): void {
    this.#terminals.closeAll()
  }

  async answer(method: string, params: Record<string, unknown>): Promise<unknown> {
    const { sessions, api } = await this.#opening
    if (method === 'session.request') return api.forward(params as unknown as ForwardedRequest)
    return sessions.answer(method, params)
  }

  async inventory(): ReturnType<WorkerSessionsEnd['inventory']> {
    const { host } = await this.#opening
    const kept = await (await this.#keeper).list()
    const directory = join(host.settings.dataDirectory, 'recordings')
    const files = existsSync(directory) ? readdirSync(directory) : []
    return {
      // A command that runs for the agent of a session is `<session>/<terminal>`.
      sessions: [...new Set(kept.map(({ id }) => id.split('/')[0]!))],
      recordings: [...new Set(files.flatMap(file => /^(ses_\w+)\.cast/.exec(file)?.[1] ?? []))],
    }
  }

  terminal(message: Extract<ServerMessage, { type: 'channel' }>): void {
    this.#terminals.receive(message)
  }

  bytes(channel: number, bytes: Uint8Array): void {
    this.#terminals.bytes(channel, bytes)
  }

  async giveUp(): Promise<void> {
    await this.#opened?.sessions.giveUp()
  }

  async setDeadline(deadline: KeeperDeadline): Promise<void> {
    const isKnown = await (await this.#keeper).setDeadline(deadline)
    if (isKnown || this.#isWarned) return
    this.#isWarned = true
    const message = 'the running keeper is of an earlier version: without this worker, nothing ends what it started'
    this.#onError(new SignalboxError('E_KEEPER_VERSION', message))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#terminals.closeAll()
    await this.#opened?.close().catch(this.#onError)
  }
}

function openKeeper({ home, clock, onFailed, onError }: WorkerHostOptions): Promise<KeeperPort> {
  const { runtimeDirectory, keeperSocket } = workerSettings(home)
  return startKeeper({
    runtimeDirectory,
    socketPath: keeperSocket,
    clock,
    onLost: error => {
      onError(error)
      onFailed()
    },
  })
}

async function openHost(options: WorkerHostOptions, keeperOpening: Promise<KeeperPort>): Promise<Opened> {
  const { clock, version, link, worker, onError } = options
  const settings = workerSettings(options.home)
  const keeper = await keeperOpening
  const redactor = createRedactor({ secretValues: secretsFromEnvironment(process.env) })
  const host = await Host.open({
    settings,
    clock,
    keeper,
    owner: 'daemon',
    version,
    onError,
    upstream: {
      worker,
      store: remoteStore(link, clock),
      ledger: remoteLedger(link, redactor),
      recordStart: async (session, started, at) => void (await link.call('session.record', { session, started, at })),
    },
  })
  const api = await WorkerApi.open({ host, clock, path: settings.daemonSocket, log: onError })
  const sessions = new WorkerSessions({
    host,
    link,
    clock,
    onError,
    upload: options.home.loaded.config.recordings.upload,
  })
  return {
    host,
    sessions,
    api,
    close: async () => {
      sessions.close()
      await api.close()
      await host.close()
      await keeper.close()
    },
  }
}

/**
 * A worker has its own directories beside those of a daemon in the same home: their keepers and
 * their sessions must not meet. It sends no notifications: its server does.
 */
function workerSettings({ settings, directories }: Home): HostSettings {
  const { notify: _, ...rest } = settings
  const runtimeDirectory = join(settings.runtimeDirectory, 'worker')
  const dataDirectory = join(settings.dataDirectory, 'worker')
  for (const directory of [runtimeDirectory, dataDirectory]) mkdirSync(directory, { recursive: true, mode: 0o700 })
  return {
    ...rest,
    runtimeDirectory,
    dataDirectory,
    daemonSocket: socketPath(directories, 'worker.sock'),
    keeperSocket: socketPath(directories, 'worker-keeper.sock'),
  }
}
