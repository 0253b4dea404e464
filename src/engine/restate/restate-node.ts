import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, delay } from '../../clock/index.js'
import { processStart } from '../../process/index.js'
import { isRestateUp, type RestateAddress } from './restate-client.js'
import { type RestateConfigOptions, restateConfig } from './restate-config.js'

const RESTART_MS = 500
const POLL_MS = 100

export interface RestateNodeOptions extends Omit<RestateConfigOptions, 'identityFile'> {
  /** The program. */
  binary: string
  /** Its key, with which it signs its requests to the servers. */
  identityPem: string
  env: NodeJS.ProcessEnv
  clock: Clock
  log(line: string): void
}

/**
 * The node of the engine beside this server, as its child: started again whenever it ends. It may
 * lose everything that it has on disk.
 */
export class RestateNode {
  readonly #options: RestateNodeOptions
  #child: ChildProcess | null = null
  #isClosed = false

  constructor(options: RestateNodeOptions) {
    this.#options = options
  }

  get ingress(): RestateAddress {
    return { socketPath: this.#socket('ingress') }
  }

  get admin(): RestateAddress {
    return { socketPath: this.#socket('admin') }
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  start(): void {
    const { directory, identityPem, binary, env, log, node } = this.#options
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const [config, identityFile] = [join(directory, 'restate.toml'), join(directory, 'identity.pem')]
    writeFileSync(identityFile, identityPem, { mode: 0o600 })
    writeFileSync(config, restateConfig({ ...this.#options, identityFile }), { mode: 0o600 })
    endFormer(join(directory, 'node.json'))
    const child = spawn(binary, ['--config-file', config], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    // Its release check needs a network, and its banner says nothing.
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', chunk => {
        for (const line of String(chunk).split('\n'))
          if (/ERROR|panic/.test(line) && !line.includes('octocrab')) log(`engine: ${line.trim()}`)
      })
    child.once('error', error => this.#ended(error.message))
    child.once('exit', (code, signal) => this.#ended(signal ?? `code ${code}`))
    writeFileSync(join(directory, 'node.json'), JSON.stringify({ pid: child.pid, start: processStart(child.pid ?? 0) }))
    log(`engine: node ${node} started, pid ${child.pid}`)
  }

  /** Resolves when it answers; false if it was closed before. */
  async ready(): Promise<boolean> {
    const { clock } = this.#options
    for (; !this.#isClosed; await delay(clock, POLL_MS)) if (await isRestateUp(this.admin)) return true
    return false
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    // It holds nothing that must be written.
    const exit = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGKILL')
    await exit
  }

  #ended(why: string): void {
    if (this.#isClosed || !this.#child) return
    this.#child = null
    const { clock, log, node } = this.#options
    log(`engine: node ${node} ended (${why}); it is started again`)
    clock.setTimer(RESTART_MS, () => {
      if (!this.#isClosed) this.start()
    })
  }

  #socket(name: string): string {
    return join(this.#options.directory, this.#options.node, `${name}.sock`)
  }
}

/** A server that was killed leaves its node running; a second one cannot use the same files. */
export function endFormer(file: string): void {
  if (!existsSync(file)) return
  const { pid, start } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; start: string | null }
  if (start !== null && processStart(pid) === start) process.kill(pid, 'SIGKILL')
}
