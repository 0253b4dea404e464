import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { waitFor } from '../support/wait-for.js'

/** Root of the package under test: the repository, or for example an installed tarball. */
export const ROOT = process.env.SIGNALBOX_E2E_ROOT ?? fileURLToPath(new URL('../..', import.meta.url))
export const CLI = join(ROOT, 'dist', 'cli.js')

export { waitFor }

export interface CommandRun {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  bytes: Buffer
}

export interface RunOptions {
  input?: string | Buffer
  env?: Record<string, string>
  cwd?: string
  timeoutMs?: number
  /** Program and arguments that run the command line, such as `['setpriv', '--reuid=1000']`. */
  through?: string[]
}

/**
 * A private home directory with all its processes. Each of them has the directory in its
 * environment or its command line, so that `close` finds all of them, ends each by its id, and
 * proves that none is left.
 */
export class TestHome {
  readonly directory: string
  readonly home: string
  readonly work: string
  readonly #children = new Set<ChildProcess>()

  constructor() {
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-e2e-')))
    this.home = join(this.directory, 'home')
    this.work = join(this.directory, 'work')
    mkdirSync(this.work)
  }

  get env(): Record<string, string> {
    const { PATH = '/usr/bin:/bin', USER = 'root', HOME = '/root' } = process.env
    return {
      PATH,
      USER,
      HOME,
      LANG: 'C.UTF-8',
      TMPDIR: this.directory,
      // The daemon of a test does not join the tmux servers of the person who runs it.
      TMUX_TMPDIR: this.directory,
      SIGNALBOX_HOME: this.home,
      // A run that was answered waits for the command that the test resumes it with.
      SIGNALBOX_RUNS_CONTINUE_ANSWERED: 'false',
      SBX_E2E: this.directory,
      // Root sees the environment of every process; others only of those that do not hide it.
      ...(process.getuid?.() !== 0 && { SIGNALBOX_TRACEABLE: '1' }),
    }
  }

  path(...parts: string[]): string {
    return join(this.home, ...parts)
  }

  start(args: readonly string[], options: RunOptions = {}): ChildProcess {
    const [file, ...rest] = [...(options.through ?? []), process.execPath, CLI, ...args] as [string, ...string[]]
    const child = spawn(file, rest, {
      cwd: options.cwd ?? this.work,
      env: { ...this.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#children.add(child)
    child.on('close', () => this.#children.delete(child))
    child.stdin!.on('error', () => undefined)
    return child
  }

  /** Runs one command line to its end; standard input is empty unless given. */
  run(args: readonly string[], options: RunOptions = {}): Promise<CommandRun> {
    const child = this.start(args, options)
    child.stdin!.end(options.input ?? '')
    return this.finish(child, options.timeoutMs)
  }

  finish(child: ChildProcess, timeoutMs = 240_000): Promise<CommandRun> {
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout!.on('data', chunk => out.push(chunk as Buffer))
    child.stderr!.on('data', chunk => err.push(chunk as Buffer))
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL')
        reject(
          new Error(
            `still running after ${timeoutMs} ms: ${child.spawnargs.slice(2).join(' ')}\n${Buffer.concat(out)}\n${Buffer.concat(err)}`,
          ),
        )
      }, timeoutMs)
      child.on('error', reject)
      child.on('close', (code, signal) => {
        clearTimeout(timer)
        const bytes = Buffer.concat(out)
        resolve({ code, signal, bytes, stdout: bytes.toString(), stderr: Buffer.concat(err).toString() })
      })
    })
  }

  /** A command that must succeed. */
  async ok(args: readonly string[], options: RunOptions = {}): Promise<CommandRun> {
    const result = await this.run(args, options)
    if (result.code !== 0)
      throw new Error(`signalbox ${args.join(' ')} exited with ${result.code}: ${result.stderr}${result.stdout}`)
    return result
  }

  async json<T = Record<string, unknown>>(args: readonly string[], options: RunOptions = {}): Promise<T> {
    return JSON.parse((await this.ok(args, options)).stdout) as T
  }

  async ndjson<T = Record<string, unknown>>(args: readonly string[], options: RunOptions = {}): Promise<T[]> {
    return parseLines<T>((await this.ok(args, options)).stdout)
  }

  /** Starts a program in a session. */
  startProgram(...command: string[]): Promise<SessionInfo> {
    return this.json<SessionInfo>(['start', '--json', '--', ...command])
  }

  async startDemo(args: readonly string[] = [], options: RunOptions = {}): Promise<SessionInfo> {
    const session = await this.json<SessionInfo>(['start', 'demo', '--json', '--', '--speed', '5', ...args], options)
    await this.ok(['wait', session.id, '--for', 'idle', '--timeout', '240'])
    return session
  }

  async session(id: string): Promise<SessionInfo> {
    const all = await this.json<SessionInfo[]>(['sessions', '--all', '--json'])
    const found = all.find(session => session.id === id)
    if (!found) throw new Error(`no session ${id} in ${JSON.stringify(all)}`)
    return found
  }

  /** Ids of the running processes of this home, by kind. */
  processes(): { daemons: number[]; keepers: number[]; others: number[] } {
    const found: { daemons: number[]; keepers: number[]; others: number[] } = { daemons: [], keepers: [], others: [] }
    for (const { pid, command } of processesOf(this.directory)) {
      if (/keeper\/main\.js|^signalbox-keeper/.test(command)) found.keepers.push(pid)
      else if (/cli\.js\0serve\0?$/.test(command)) found.daemons.push(pid)
      else found.others.push(pid)
    }
    return found
  }

  get daemon(): number {
    return one(this.processes().daemons, 'daemon')
  }

  get keeper(): number {
    return one(this.processes().keepers, 'keeper')
  }

  async kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    process.kill(pid, signal)
    await waitFor(`process ${pid} to end`, () => !isRunning(pid))
  }

  /** Ends all processes of this home. Fails if a process or a file remains. */
  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL')
    await waitFor('every process of the home to end', () => {
      const { daemons, keepers, others } = this.processes()
      for (const pid of [...daemons, ...keepers, ...others]) endQuietly(pid)
      return daemons.length + keepers.length + others.length === 0
    })
    rmSync(this.directory, { recursive: true, force: true })
    if (existsSync(this.directory)) throw new Error(`${this.directory} is still there`)
  }
}

export interface SessionInfo {
  id: string
  number: number
  agent: string
  pid: number
  startedAt: number
  state: string
  cwd: string
  size: { cols: number; rows: number }
  recording: string
  exit?: { code: number | null; signal: string | null }
  endReason?: string
  approval?: string
  idle?: boolean
  offset?: number
}

export function parseLines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as T)
}

/** The output of a recording. Fails if a line of it is invalid. */
export function recordedOutput(path: string): {
  header: Record<string, unknown>
  output: string
  events: [number, string, string][]
} {
  const [first, ...lines] = parseLines<unknown>(readFileSync(path, 'utf8'))
  const events = lines as [number, string, string][]
  for (const event of events) {
    if (
      !Array.isArray(event) ||
      typeof event[0] !== 'number' ||
      typeof event[1] !== 'string' ||
      typeof event[2] !== 'string'
    ) {
      throw new Error(`not an asciicast event: ${JSON.stringify(event)}`)
    }
  }
  return {
    header: first as Record<string, unknown>,
    output: events.flatMap(([, code, data]) => (code === 'o' ? [data] : [])).join(''),
    events,
  }
}

export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z'
  } catch {
    return false
  }
}

/** The lines of stderr without warnings of Node; an error is exactly one line. */
export function errorLines(stderr: string): string[] {
  return stderr.split('\n').filter(line => line !== '')
}

function processesOf(directory: string): { pid: number; command: string }[] {
  // Of our environment, the keeper gets only the directory for temporary files.
  const markers = [`SBX_E2E=${directory}\0`, `TMPDIR=${directory}\0`]
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => pid !== process.pid && isRunning(pid))
    .map(pid => ({ pid, command: readProc(pid, 'cmdline'), environment: readProc(pid, 'environ') }))
    .filter(
      ({ command, environment }) =>
        markers.some(marker => `${environment}\0`.includes(marker)) || command.includes(`${directory}/`),
    )
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return '' // It has ended.
  }
}

export function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function one(pids: readonly number[], what: string): number {
  if (pids.length !== 1) throw new Error(`${pids.length} ${what}s: ${pids.join(', ')}`)
  return pids[0]!
}
