import { type ChildProcess, spawn } from 'node:child_process'
import { systemClock } from '../clock/index.js'
import { withLimitMark } from './limit-mark.js'
import { STEP_MARK } from './step-mark.js'

export interface CommandResult {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface CommandOptions {
  cwd: string
  env?: NodeJS.ProcessEnv
  input?: string
  timeoutMs?: number
  maxBytes?: number
  /** `latin1` keeps every byte of the output as one character. */
  encoding?: 'utf8' | 'latin1'
}

export type RunCommand = (file: string, args: readonly string[], options?: CommandOptions) => Promise<CommandResult>

let runs: RunCommand = runCommandHere

/**
 * Runs a program to its end with an argument array, without a shell, and without input unless it is
 * given. A mark of a step in its environment marks all its processes. Rejects only when it could
 * not be started. A program that takes longer than `timeoutMs` is killed with all processes that it
 * started: their open pipes would keep us waiting.
 */
export const runCommand: RunCommand = (file, args, options) => runs(file, args, options)

/** From now on, another process starts the commands of this one. */
export function runCommandsBy(run: RunCommand): void {
  runs = run
}

/** Runs a command as a child of this process. */
export function runCommandHere(
  file: string,
  args: readonly string[],
  options: CommandOptions = { cwd: '/' },
): Promise<CommandResult> {
  const maxBytes = options.maxBytes ?? 16 * 1024 * 1024
  const { cwd, env = process.env } = options
  const { [STEP_MARK]: mark, PATH: path } = env
  const program = mark === undefined ? { file, args } : withLimitMark(mark, { file, args }, { path, cwd })
  return new Promise((resolve, reject) => {
    const child = spawn(program.file, [...program.args], {
      cwd,
      env,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: options.timeoutMs !== undefined,
    })
    const timer =
      options.timeoutMs === undefined ? null : systemClock.setTimer(options.timeoutMs, () => killGroup(child))
    const out = collect(child.stdout!, maxBytes, options.encoding)
    const err = collect(child.stderr!, maxBytes)
    child.on('error', error => {
      timer?.cancel()
      reject(error)
    })
    child.on('close', (code, signal) => {
      timer?.cancel()
      resolve({ code, signal, stdout: out(), stderr: err() })
    })
    if (options.input !== undefined) {
      // A program may exit without reading all of its input; its exit code says whether it
      // succeeded.
      child.stdin!.on('error', () => undefined)
      child.stdin!.end(options.input)
    }
  })
}

/** Collects a stream up to a limit; the rest is dropped, so the program never blocks. */
function collect(stream: NodeJS.ReadableStream, maxBytes: number, encoding: 'utf8' | 'latin1' = 'utf8'): () => string {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size))
    size += chunk.length
  })
  return () => Buffer.concat(chunks).toString(encoding)
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
