import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { CommandContext } from '../../src/cli/context.js'
import { DaemonClient } from '../../src/cli/daemon-client.js'
import { systemClock } from '../../src/clock/index.js'
import { editSettings } from '../../src/config/index.js'
import { SignalboxError } from '../../src/errors/index.js'
import { openHome } from '../../src/host/home/index.js'
import { openHomeStore } from '../../src/host/index.js'
import { runCommand } from '../../src/process/index.js'
import type { EventStore } from '../../src/store/index.js'
import { openClient } from '../../src/store/postgres/connections.js'
import { parseStoreUrl } from '../../src/store/postgres/store-url.js'
import { CLI, waitFor } from '../e2e/harness.js'
import { PartitionProxy } from '../support/partition-proxy.js'

/** Longer than every lease of a server. */
const PAUSE_MS = 9_000

interface Started {
  directory: string
  parts: { name: string; pid: number }[]
  homes: Record<string, string>
}

export interface LoadRun {
  id: string
  status: string
  updatedAt: number
  workerName?: string
}

interface OpenGate {
  id: string
  state: string
  fingerprint: string
  display: { hash: string }
}

/** A part of a network. */
export interface Cuttable {
  cut(): void
  heal(): void
}

/** The networks of a cluster that can be cut. */
export class Network {
  readonly workers = new Map<string, PartitionProxy>()
  readonly stores = new Map<string, PartitionProxy>()
  readonly clients = new Map<string, PartitionProxy>()
  /** Each worker from all servers. */
  readonly eachWorker = new Map<string, Cuttable>()
  /** Nodes of Restate: each from its server and from the other nodes. */
  readonly engines = new Map<string, Cuttable>()

  /**
   * Each server from its workers, from its clients and from the database, all from workers, and
   * each node of the engine from its server and the other nodes.
   */
  get choices(): [string, Cuttable[]][] {
    const each = (parts: Map<string, Cuttable>, what: string) =>
      [...parts].map(([name, part]): [string, Cuttable[]] => [`${name} from ${what}`, [part]])
    const workers: [string, Cuttable[]] = ['all servers from workers', [...this.workers.values()]]
    const servers = [...each(this.workers, 'workers'), workers, ...each(this.clients, 'clients')]
    return [...servers, ...each(this.stores, 'store'), ...each(this.engines, 'server and nodes')]
  }

  async close(): Promise<void> {
    for (const proxies of [this.workers, this.stores, this.clients])
      for (const proxy of proxies.values()) await proxy.close()
  }
}

/** A cluster of separate processes on this machine, started by `signalbox demo --cluster`. */
export class ClusterUnderTest {
  readonly #child: ChildProcess
  readonly #started: Started
  readonly #pids = new Map<string, number | null>()
  #network: Network | null = null
  readonly notes: string
  readonly root: string

  private constructor(child: ChildProcess, started: Started, root: string) {
    this.#child = child
    this.#started = started
    this.root = root
    this.notes = join(started.directory, 'notes')
    mkdirSync(this.notes, { recursive: true })
    for (const { name, pid } of started.parts) this.#pids.set(name, pid)
  }

  /** `install` puts the program into this directory, and returns its path. */
  static async start(
    engine: string,
    {
      workers = 2,
      install = () => CLI,
      env = () => ({}),
    }: { workers?: number; install?: (root: string) => string; env?: (root: string) => Record<string, string> } = {},
  ): Promise<ClusterUnderTest> {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'sbx-cluster-')))
    // The database runs as another user if the tests run as root.
    chmodSync(root, 0o711)
    const child = spawn(
      process.execPath,
      [install(root), 'demo', '--cluster', '--empty', '--json', '--engine', engine, '--workers', String(workers)],
      {
        env: { ...process.env, TMPDIR: root, SIGNALBOX_HOME: join(root, 'home'), ...env(root) },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    let problems = ''
    child.stderr.on('data', chunk => {
      problems += String(chunk)
    })
    const lines = createInterface({ input: child.stdout })
    const started = await new Promise<Started>((resolve, reject) => {
      lines.once('line', line => {
        const first = JSON.parse(line) as Started & { error?: { message: string } }
        if (first.error) reject(new Error(first.error.message))
        else resolve(first)
      })
      child.once('exit', () => reject(new Error(`the cluster did not start: ${problems}`)))
    })
    const cluster = new ClusterUnderTest(child, started, root)
    lines.on('line', line => {
      const { part, is, pid } = JSON.parse(line) as { part?: string; is?: string; pid: number | null }
      if (part) cluster.#pids.set(part, is === 'started' ? pid : null)
    })
    return cluster
  }

  get names(): string[] {
    return [...this.#pids.keys()]
  }

  get servers(): string[] {
    return this.named('server')
  }

  /** The parts of a kind; nodes of Restate are children of their servers. */
  named(kind: string): string[] {
    if (['engine', 'machine', 'paused'].includes(kind)) return this.servers.map(name => name.replace('server', kind))
    return this.names.filter(name => name.startsWith(`${kind}-`))
  }

  home(name: string): string {
    return this.#started.homes[name]!
  }

  pid(name: string): number | null {
    return this.#pids.get(name) ?? null
  }

  /** Sends a signal to a part; false if it is away at the moment. */
  signal(name: string, signal: NodeJS.Signals): boolean {
    const pid = this.pid(name)
    return pid !== null && process.kill(pid, signal)
  }

  /** Nodes of Restate are started again by their servers. */
  enginePid(name: string): number {
    const file = join(this.home(name.replace('engine', 'server')), 'data', 'engine', 'node.json')
    return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid
  }

  /** Where the other nodes reach a node of Restate. */
  engineAddress(name: string): string {
    const env = { ...process.env, SIGNALBOX_HOME: this.home(name.replace('engine', 'server')) }
    const { engine } = openHome({ env }).loaded.config
    return engine.nodes.find(node => node.startsWith(`${engine.node}=`))!.replace(/^.*=/, '')
  }

  /** `machine-1` is the first server with its node of Restate; `paused-1` stops it for a while. */
  kill(name: string): boolean {
    const server = name.replace(/^(machine|paused)/, 'server')
    if (name.startsWith('machine-')) this.#killNode(server)
    if (name.startsWith('paused-')) return this.#pause(server)
    if (server !== name) return this.kill(server)
    if (name.startsWith('engine-')) return process.kill(this.enginePid(name), 'SIGKILL')
    const isSent = this.signal(name, 'SIGKILL')
    this.#pids.set(name, null)
    return isSent
  }

  #hasNode(server: string): boolean {
    return existsSync(join(this.home(server), 'data', 'engine', 'node.json'))
  }

  /** A stopped node answers no request, and its connections stay open. */
  #engineNetwork(name: string): Cuttable {
    let pid: number | null = null
    const send = (signal: NodeJS.Signals) => {
      try {
        if (pid !== null) process.kill(pid, signal)
      } catch {
        // Its server has replaced it.
      }
    }
    return {
      cut: () => {
        pid = this.enginePid(name)
        send('SIGSTOP')
      },
      heal: () => send('SIGCONT'),
    }
  }

  #killNode(server: string): void {
    if (this.#hasNode(server)) this.kill(server.replace('server', 'engine'))
  }

  #pause(server: string): boolean {
    setTimeout(() => this.signal(server, 'SIGCONT'), PAUSE_MS)
    return this.signal(server, 'SIGSTOP')
  }

  log(name: string): string {
    return readFileSync(join(this.#started.directory, `${name}.log`), 'utf8')
  }

  async client(name: string): Promise<DaemonClient | null> {
    const env = { ...process.env, SIGNALBOX_HOME: this.home(name) }
    return DaemonClient.running({ env, progress: () => undefined } as unknown as CommandContext).catch(() => null)
  }

  /** The API of any server that answers. */
  async anyClient(): Promise<DaemonClient> {
    return waitFor('a server that answers', async () => {
      for (const name of this.servers) {
        const found = await this.client(name)
        if (found) return found
      }
      return null
    })
  }

  /** Asks any server, and another one if it dies meanwhile. */
  async ask<T>(work: (client: DaemonClient) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work(await this.anyClient())
      } catch (error) {
        if (attempt > 200) throw error
        await new Promise(resolve => setTimeout(resolve, 50))
      }
    }
  }

  /**
   * A run on any worker; everything in its graph is trusted. A server that is killed may have
   * started it without an answer: each attempt has a graph of its own.
   */
  async startRun(
    graphOf: (attempt: number) => string,
    {
      project = join(this.#started.directory, 'project'),
      server,
      placement = {},
    }: { project?: string; server?: string; placement?: { worker?: string } } = {},
  ): Promise<string> {
    mkdirSync(project, { recursive: true })
    let attempts = 0
    const at = server === undefined ? null : await this.client(server)
    const ask: typeof this.ask = at === null ? work => this.ask(work) : work => work(at)
    return ask(async client => {
      const request = { graph: graphOf(attempts++), project, placement }
      try {
        return (await client.post<{ id: string }>('/runs', request)).id
      } catch (error) {
        const hash = error instanceof SignalboxError ? error.details?.hash : undefined
        if (typeof hash !== 'string') throw error
        return (await client.post<{ id: string }>('/runs', { ...request, trust: hash })).id
      }
    })
  }

  /** The store of the cluster; the caller closes it. */
  async openStore(): Promise<EventStore> {
    const { settings } = openHome({ env: { ...process.env, SIGNALBOX_HOME: this.home('server-1') } })
    return openHomeStore({ ...settings, clock: systemClock, onError: () => undefined })
  }

  /** Statements of the owner of the database. */
  async query(sql: string): Promise<void> {
    const { settings } = openHome({ env: { ...process.env, SIGNALBOX_HOME: this.home('server-1') } })
    const { url, passwordFile } = settings.sharedStore!
    const password = readFileSync(passwordFile!, 'utf8').trim()
    const client = await openClient({ target: parseStoreUrl(url), password })
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
  }

  /** A command in a further home directory: `server-…` has the settings of the store. */
  async command(name: string, args: string[]): Promise<{ code: number | null; stderr: string }> {
    const { settings } = openHome({ env: { ...process.env, SIGNALBOX_HOME: this.home('server-1') } })
    const shared = name.startsWith('server-') && {
      SIGNALBOX_STORE_URL: settings.sharedStore!.url,
      SIGNALBOX_STORE_PASSWORD_FILE: settings.sharedStore!.passwordFile!,
    }
    const env = { ...process.env, SIGNALBOX_HOME: join(this.#started.directory, name), ...shared }
    const { code, stderr } = await runCommand(process.execPath, [CLI, ...args], { cwd: this.root, env })
    return { code, stderr }
  }

  async runs(): Promise<LoadRun[]> {
    return this.ask(async client => (await client.get<{ items: LoadRun[] }>('/runs?limit=200')).items)
  }

  /** The gate of a run, as soon as it is there. */
  gateOf(run: string): Promise<OpenGate> {
    return waitFor(`a gate of ${run}`, async () => {
      const { items } = await this.ask(client => client.get<{ items: OpenGate[] }>(`/approvals?run=${run}`))
      return items.find(({ state }) => state === 'pending')
    })
  }

  /** Answers the gate of a run, as soon as it is there, at any server. */
  async answerGate(run: string, option: string): Promise<void> {
    const { id, fingerprint, display } = await this.gateOf(run)
    const seen = { displayHash: display.hash, whole: true }
    await this.ask(client => client.post(`/approvals/${id}/decision`, { option, fingerprint, seen, surface: 'cli' }))
  }

  /** When each run last made progress. */
  async progress(ids: readonly string[]): Promise<Map<string, { changedAt: number; isOver: boolean }>> {
    const found = await this.runs()
    const states = ids.map(id => found.find(run => run.id === id))
    return new Map(
      states.flatMap(run => {
        const isOver = run?.status === 'completed' || run?.status === 'failed'
        return run ? [[run.id, { changedAt: run.updatedAt, isOver }] as const] : []
      }),
    )
  }

  /**
   * Puts proxies before every server, as its workers and its clients reach it, and before the
   * database, as each server reaches it. Everything is restarted once for that.
   */
  async behindProxies({ lostAfterS }: { lostAfterS?: number } = {}): Promise<Network> {
    const network = new Network()
    this.#network = network
    for (const name of this.servers) {
      const env = { ...process.env, SIGNALBOX_HOME: this.home(name) }
      const { loaded, directories, settings } = openHome({ env })
      const url = new URL(settings.sharedStore!.url)
      const workers = await PartitionProxy.to(loaded.config.server.port)
      const store = await PartitionProxy.to(Number(url.port))
      network.workers.set(name, workers)
      network.stores.set(name, store)
      network.clients.set(name, await PartitionProxy.to(settings.daemonSocket))
      url.port = String(store.port)
      const changes = {
        'store.url': url.href,
        'server.worker_address': `http://127.0.0.1:${workers.port}`,
        ...(lostAfterS !== undefined && { 'worker.lost_after': lostAfterS }),
      }
      editSettings(join(directories.config, 'config.toml'), changes, { version: null, isAtTerminal: true })
    }
    const places = [...network.workers.values()].map(({ port }) => ({
      id: null,
      address: `http://127.0.0.1:${port}`,
      pin: null,
    }))
    for (const name of this.named('worker')) {
      const { directories } = openHome({ env: { ...process.env, SIGNALBOX_HOME: this.home(name) } })
      const file = join(directories.state, 'worker-servers.json')
      const joined = readFileSync(join(directories.state, 'worker.json'), 'utf8')
      const { server: from } = JSON.parse(joined) as { server: string }
      this.kill(name)
      writeFileSync(file, JSON.stringify({ from, servers: places }))
      network.eachWorker.set(name, {
        cut: () => {
          for (const proxy of network.workers.values()) proxy.cutFrom(this.pid(name)!)
        },
        heal: () => {
          for (const proxy of network.workers.values()) proxy.heal()
        },
      })
    }
    for (const name of this.servers) this.kill(name)
    for (const name of this.servers) await waitFor(`${name} to answer`, () => this.client(name))
    await waitFor('the workers to connect', async () => {
      const { items } = await this.ask(client => client.get<{ items: { isConnected: boolean }[] }>('/workers'))
      return items.every(({ isConnected }) => isConnected)
    })
    for (const name of this.servers.filter(server => this.#hasNode(server))) {
      const engine = name.replace('server', 'engine')
      network.engines.set(engine, this.#engineNetwork(engine))
    }
    return network
  }

  async close(): Promise<void> {
    const exit = new Promise(resolve => this.#child.once('exit', resolve))
    if (this.#child.exitCode === null && this.#child.kill('SIGTERM')) await exit
    // The parts reach each other through the proxies until they have stopped.
    await this.#network?.close()
    rmSync(this.root, { recursive: true, force: true })
  }
}
