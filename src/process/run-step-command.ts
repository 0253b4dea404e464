import { type Clock, delay } from '../clock/index.js'
import { type ChildGroup, spawnGroup } from './child-group.js'
import { graceAfter, onAbort } from './on-abort.js'
import type { CommandResult } from './run-command.js'

/** A program with its environment and directory. */
export interface StepProgram {
  file: string
  args: readonly string[]
  env: Record<string, string>
  cwd: string
}

/** A program in a sandbox. `close` ends what belongs to that sandbox. */
interface SandboxedStepProgram extends Omit<StepProgram, 'cwd'> {
  close(): void
  /** Receives what happens in it, to find what the sandbox refused. */
  observe?(pid: number): SandboxObserver
}

export interface SandboxObserver {
  /** What an agent does, as an activity. */
  activity(activity: object): void
  /** A line that a command prints. */
  printed(line: string): void
}

/** The program in a sandbox; null if it gets none. */
export type ProgramSandbox = (program: StepProgram) => Promise<SandboxedStepProgram | null>

export interface StepCommandOptions {
  cwd: string
  env: Record<string, string>
  /** The name of the step: every process of the command carries it. */
  mark: string
  /** An open file descriptor as its input; none by default. */
  stdin?: number
  /** Ends the command, such as when its run is paused or cancelled. */
  signal: AbortSignal
  /** 0 for no limit. */
  timeoutMs: number
  /** Only the end of longer output is kept. */
  maxBytes: number
  clock: Clock
  /** Puts the program into the sandbox of its run. */
  inSandbox?: ProgramSandbox | undefined
  onSpawned?(group: ChildGroup): void
  /** Its output, as it arrives. */
  onOutput?(from: 'stdout' | 'stderr', bytes: Uint8Array): void
}

const KILL_GRACE_MS = 5_000
/** A process without the mark may hold the pipes open after the command has ended. */
const DRAIN_MS = 2_000

/**
 * Runs a command of a step to its end, without a shell. Nothing that it started is left running.
 * Rejects only when it could not be started.
 */
export async function runStepCommand(
  file: string,
  args: readonly string[],
  options: StepCommandOptions,
): Promise<CommandResult & { isTimedOut: boolean }> {
  const { cwd, env, mark, stdin = null, signal, timeoutMs, maxBytes, clock } = options
  const sandboxed = (await options.inSandbox?.({ file, args, env, cwd })) ?? null
  const program = sandboxed ?? { file, args, env }
  const group = await spawnGroup(program.file, program.args, { cwd, env: program.env, stdin, mark, clock }).catch(
    error => {
      sandboxed?.close()
      throw error
    },
  )
  options.onSpawned?.(group)
  const stdout = collect(group.stdout, maxBytes)
  const stderr = collect(group.stderr, maxBytes)
  const { onOutput } = options
  if (onOutput)
    for (const from of ['stdout', 'stderr'] as const) group[from].on('data', (chunk: Buffer) => onOutput(from, chunk))
  const observer = sandboxed?.observe?.(group.pid)
  if (observer) for (const stream of [group.stdout, group.stderr]) eachLine(stream, line => observer.printed(line))
  let isTimedOut = false
  const stop = () => void group.kill(graceAfter(signal, KILL_GRACE_MS))
  const onTimeout = () => {
    isTimedOut = true
    stop()
  }
  const timer = timeoutMs > 0 ? clock.setTimer(timeoutMs, onTimeout) : null
  const unlisten = onAbort(signal, stop)
  const exit = await group.exit
  timer?.cancel()
  unlisten()
  await group.kill(KILL_GRACE_MS)
  sandboxed?.close()
  const drained = new AbortController()
  await Promise.race([group.closed, delay(clock, DRAIN_MS, drained.signal)])
  drained.abort()
  return { ...exit, isTimedOut, stdout: stdout(), stderr: stderr() }
}

/** Collects the end of a stream; earlier output is read and dropped. */
function collect(stream: NodeJS.ReadableStream, maxBytes: number): () => string {
  let kept = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk])
    if (kept.length > 2 * maxBytes) kept = kept.subarray(-maxBytes)
  })
  return () => kept.subarray(-maxBytes).toString('utf8')
}

/** Only the end of an unterminated line is kept. */
const LINE_MAX = 8_192

function eachLine(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = ''
  stream.on('data', (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString('utf8')}`.split('\n')
    rest = lines.pop()!.slice(-LINE_MAX)
    for (const line of lines) onLine(line)
  })
}
