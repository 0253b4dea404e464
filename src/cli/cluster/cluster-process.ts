import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { type Clock, delay } from '../../clock/index.js'

/** How long a part of a cluster stays away after it was killed, so that people see what happens. */
const RESTART_MS = 3_000

export interface ClusterProcessOptions {
  name: string
  file: string
  args: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  /** Its output goes to the end of this file. */
  log: string
  /** The user that it runs as; if absent, this one. */
  uid?: number
  gid?: number
  clock: Clock
  /** The signal that stops it in an orderly way. */
  stopSignal?: NodeJS.Signals
  onChange(part: ClusterProcess, what: 'started' | 'ended'): void
}

/** One process of a cluster: started again whenever it ends, as a supervisor of a machine would. */
export class ClusterProcess {
  readonly name: string
  readonly #options: ClusterProcessOptions
  #child: ChildProcess | null = null
  #isStopped = false

  constructor(options: ClusterProcessOptions) {
    this.name = options.name
    this.#options = options
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  start(): void {
    const { file, args, cwd, env, log, uid, gid, onChange } = this.#options
    const output = openSync(log, 'a', 0o600)
    const child = spawn(file, [...args], {
      cwd,
      env,
      stdio: ['ignore', output, output],
      // A Ctrl-C in the terminal reaches the command, which stops the parts in order.
      detached: true,
      ...(uid !== undefined && { uid, gid }),
    })
    closeSync(output)
    this.#child = child
    child.once('error', () => this.#ended())
    child.once('exit', () => this.#ended())
    onChange(this, 'started')
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const { clock, stopSignal = 'SIGTERM' } = this.#options
    const exit = new Promise(resolve => child.once('exit', resolve))
    child.kill(stopSignal)
    const isSlow = await Promise.race([exit.then(() => false), delay(clock, 6_000).then(() => true)])
    if (isSlow) child.kill('SIGKILL')
    await exit
  }

  kill(): void {
    this.#isStopped = true
    this.#child?.kill(this.#options.stopSignal ?? 'SIGTERM')
  }

  #ended(): void {
    if (!this.#child) return
    this.#child = null
    const { onChange, clock } = this.#options
    onChange(this, 'ended')
    if (!this.#isStopped)
      clock.setTimer(RESTART_MS, () => {
        if (!this.#isStopped) this.start()
      })
  }
}
