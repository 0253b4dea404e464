import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../src/process/index.js'
import type { GraphHome } from './graph-home.js'
import { endQuietly, type TestHome, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

export interface ListedWorker {
  name: string
  state: string
  isConnected: boolean
  isDraining: boolean
  steps: number
  runs: string[]
  sessions: string[]
}

/** A server and its workers: separate processes with home directories of their own. */
export class WorkerSite<Server extends TestHome = TestHome> {
  readonly server: Server
  readonly machines: TestHome[] = []
  #port = 0
  #serving: ChildProcess | null = null

  constructor(server: Server) {
    this.server = server
  }

  /** Starts the server, always with the same port. */
  async serve(env: Record<string, string> = {}): Promise<void> {
    if (this.#port === 0) this.#port = freePort()
    const child = this.server.start(['serve', '--port', String(this.#port)], { env })
    this.#serving = child
    child.stdout!.resume()
    let said = ''
    child.stderr!.on('data', chunk => {
      said += String(chunk)
    })
    // Not by a command: it would start a daemon with another port.
    await waitFor('the server', () => said.includes('listening on'))
  }

  async killServer(): Promise<void> {
    await kill(this.#serving!)
  }

  /** A machine of its own, as far as Signalbox can tell: another home directory. */
  async joined(name: string, ...options: string[]): Promise<TestHome> {
    const { link } = await this.server.json<{ link: string }>(['workers', 'invite', '--json', ...options])
    const machine = new InsideHome()
    this.machines.push(machine)
    await machine.ok(['worker', 'join', link, '--name', name, '--yes'])
    return machine
  }

  async work(machine: TestHome, name: string, env: Record<string, string> = {}): Promise<ChildProcess> {
    const child = machine.start(['worker'], { env: { SIGNALBOX_WORKER_MIN_FREE_MB: '0', ...env } })
    child.stdout!.resume()
    child.stderr!.resume()
    await waitFor(`${name} to connect`, async () => (await this.worker(name))?.isConnected)
    return child
  }

  async workers(): Promise<ListedWorker[]> {
    return (await this.server.json<{ items: ListedWorker[] }>(['workers', '--json'])).items
  }

  async worker(name: string): Promise<ListedWorker | undefined> {
    return (await this.workers()).find(found => found.name === name)
  }

  async close(): Promise<void> {
    for (const machine of this.machines) await machine.close()
    await this.server.close()
  }
}

/** Kills every process of a machine at once, as a power failure does. */
export async function killMachine(machine: TestHome): Promise<void> {
  await waitFor('its processes to end', () => {
    const { others } = machine.processes()
    for (const pid of others) endQuietly(pid)
    return others.length === 0
  })
}

export async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise(resolve => child.on('close', resolve))
  child.kill('SIGKILL')
  await ended
}

/**
 * A graph whose second step waits until the test lets it end; each step leaves a line in the log.
 */
export function slowGraph(server: GraphHome): { lines(): string[]; letEnd(): void } {
  const [log, gate] = [join(server.directory, 'log'), join(server.directory, 'go')]
  const wait = `while [ ! -e ${gate} ]; do sleep 0.05; done`
  server.graph(`
    one [shape=parallelogram, tool_command="echo one >> ${log}"];
    two [shape=parallelogram, tool_command="echo begun >> ${log}; ${wait}; echo two >> ${log}"];
    three [shape=parallelogram, tool_command="echo three >> ${log}"];
    start -> one -> two -> three -> exit`)
  server.commit('graph')
  return {
    lines: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    letEnd: () => writeFileSync(gate, ''),
  }
}
