import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, delay } from '../../clock/index.js'
import { editSettings } from '../../config/index.js'
import { installEngine } from '../../daemon/index.js'
import { endFormer } from '../../engine/restate/index.js'
import { SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { freePort, ownProgram, runCommand } from '../../process/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { ClusterProcess } from './cluster-process.js'
import { OBJECT_STORE_KEYS, prepareObjectStore } from './object-store.js'
import { preparePostgres } from './postgres.js'

const READY_MS = 60_000

export interface ClusterOptions {
  directory: string
  engine: string
  servers: number
  workers: number
  /** Variables of the scripted agents. */
  agentEnv: Record<string, string>
  clock: Clock
  note(text: string): void
  onChange(part: ClusterProcess, what: 'started' | 'ended'): void
}

export interface ClusterMachine {
  part: ClusterProcess
  /** A context whose commands use the home directory of this machine. */
  context: CommandContext
  home: string
}

/**
 * A whole cluster on this machine: PostgreSQL, servers and workers, each a process with a directory
 * of its own, as if each were a machine. This process is their supervisor: it starts again what is
 * killed.
 */
export class Cluster {
  readonly #options: ClusterOptions
  readonly #context: CommandContext
  readonly servers: ClusterMachine[] = []
  readonly workers: ClusterMachine[] = []
  #postgres: ClusterProcess | null = null
  #bucket: ClusterProcess | null = null

  constructor(context: CommandContext, options: ClusterOptions) {
    this.#context = context
    this.#options = options
  }

  get parts(): ClusterProcess[] {
    return [...(this.#postgres ? [this.#postgres] : []), ...[...this.servers, ...this.workers].map(({ part }) => part)]
  }

  /** The nodes of Restate: children of their servers. */
  nodes(): { name: string; pid: number }[] {
    return this.servers.flatMap(({ home }, at) => {
      const file = join(home, 'data', 'engine', 'node.json')
      if (!existsSync(file)) return []
      return [{ name: `engine-${at + 1}`, pid: (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid }]
    })
  }

  async start(): Promise<void> {
    const { directory, note, engine } = this.#options
    const port = freePort()
    const postgres = await preparePostgres(join(directory, 'postgres'), port, this.#context.env, note)
    this.#postgres = this.#part('postgres', postgres.part.file, postgres.part.args, this.#context.env, postgres.part)
    this.#postgres.start()
    const engineSettings = engine === 'restate' ? await this.#prepareEngine() : () => ({})
    note('starting the servers …')
    const settings = {
      'store.url': postgres.url,
      'store.password_file': postgres.passwordFile,
      'engine.kind': engine,
      'env.pass': Object.keys(this.#options.agentEnv),
    }
    for (let n = 1; n <= this.#options.servers; n++) {
      const serverPort = freePort()
      this.servers.push(
        this.#machine(`server-${n}`, ['serve'], { ...settings, ...engineSettings(n), 'server.port': serverPort }),
      )
    }
    for (const { part } of this.servers) part.start()
    for (const server of this.servers) await this.#ready(server)
    note('the workers join …')
    for (let n = 1; n <= this.#options.workers; n++) await this.#startWorker(`worker-${n}`)
  }

  /** Three nodes of Restate, each beside its server, and a bucket for their snapshots. */
  async #prepareEngine(): Promise<(n: number) => Parameters<typeof editSettings>[1]> {
    const { directory, note, servers } = this.#options
    const { env } = this.#context
    await installEngine(env, () => note('getting Restate from npm (220 MB), once …'))
    const bucket = await prepareObjectStore(directory, freePort(), env, note)
    this.#bucket = this.#part('bucket', process.execPath, bucket.args, env)
    this.#bucket.start()
    const [port, nodes] = [freePort(), [] as string[]]
    for (let n = 1; n <= servers; n++) nodes.push(`node-${n}=127.0.0.1:${freePort()}`)
    return n => ({
      'engine.port': port,
      'engine.node': `node-${n}`,
      'engine.nodes': nodes,
      'engine.snapshots': bucket.url,
    })
  }

  /** Agents end with the servers' own keepers; PostgreSQL is the last. */
  async stop(): Promise<void> {
    await Promise.all(this.workers.map(({ part }) => part.stop()))
    await Promise.all(this.servers.map(({ part }) => part.stop()))
    // A server that was killed and has not come back has left its node.
    for (const { home } of this.servers) endFormer(join(home, 'data', 'engine', 'node.json'))
    await this.#bucket?.stop()
    await this.#postgres?.stop()
  }

  /** Ends everything without waiting: this process is ending. */
  kill(): void {
    for (const part of [...this.parts, ...(this.#bucket ? [this.#bucket] : [])]) part.kill()
    for (const { home } of this.servers) endFormer(join(home, 'data', 'engine', 'node.json'))
  }

  /** The API of a server that answers; null if none does now. */
  async client(): Promise<DaemonClient | null> {
    for (const { context } of this.servers) {
      const client = await DaemonClient.running(context).catch(() => null)
      if (client) return client
    }
    return null
  }

  async #startWorker(name: string): Promise<void> {
    const worker = this.#machine(name, ['worker'], {
      'env.pass': Object.keys(this.#options.agentEnv),
      // Scripted agents need little space.
      'worker.min_free_mb': 0,
    })
    const client = await this.client()
    const { link } = await client!.post<{ link: string }>('/workers/invite', {})
    const joining = await runCommand(
      process.execPath,
      [ownProgram('cli'), 'worker', 'join', link, '--name', name, '--yes'],
      {
        cwd: worker.home,
        env: worker.context.env,
      },
    )
    if (joining.code !== 0) throw new SignalboxError('E_DEMO', `${name} cannot join: ${joining.stderr.trim()}`)
    worker.part.start()
    this.workers.push(worker)
  }

  #machine(name: string, args: readonly string[], settings: Parameters<typeof editSettings>[1]): ClusterMachine {
    const home = join(this.#options.directory, name)
    const { SIGNALBOX_STORE_URL: _, ...outer } = this.#context.env
    const env = { ...outer, ...this.#options.agentEnv, ...OBJECT_STORE_KEYS, SIGNALBOX_HOME: home }
    const { directories } = openHome({ env })
    mkdirSync(directories.config, { recursive: true, mode: 0o700 })
    editSettings(join(directories.config, 'config.toml'), settings, { version: null, isAtTerminal: true })
    const part = this.#part(name, process.execPath, [ownProgram('cli'), ...args], env)
    return { part, home, context: { ...this.#context, env } }
  }

  #part(
    name: string,
    file: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    more: { uid?: number; gid?: number; stopSignal?: NodeJS.Signals } = {},
  ): ClusterProcess {
    const { directory, clock, onChange } = this.#options
    const log = join(directory, `${name}.log`)
    return new ClusterProcess({ name, file, args, env, cwd: directory, log, clock, onChange, ...more })
  }

  async #ready({ context, part }: ClusterMachine): Promise<void> {
    const { clock, directory } = this.#options
    for (const deadline = clock.monotonic() + READY_MS; clock.monotonic() < deadline; await delay(clock, 100))
      if (await DaemonClient.running(context).catch(() => null)) return
    throw new SignalboxError('E_DEMO', `${part.name} does not answer`, {
      next: `read ${join(directory, `${part.name}.log`)}`,
    })
  }
}
