import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { systemClock, type Timer } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { type PtyOptions, type PtyProcess, signalGroup } from './pty.js'

const NEWLINE = 0x0a
/** The limit for a program that does not read. */
const PENDING_MAX_BYTES = 16 * 1024 * 1024
/** Limit for standard error output without a line feed. */
const STDERR_LINE_MAX = 64 * 1024
const OPEN_PIPE_WAIT_MS = 1_000

/**
 * Starts a program on pipes instead of a PTY, in its own session and process group, for programs
 * that speak a protocol of lines. What it writes to its standard error goes between the lines of
 * its output, never inside one.
 */
export function spawnPiped(options: Omit<PtyOptions, 'cols' | 'rows'>): PtyProcess {
  const child = spawn(options.file, [...options.args], {
    cwd: options.cwd,
    env: { ...options.env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const { pid } = child
  if (pid === undefined) {
    child.on('error', () => undefined)
    throw new SignalboxError('E_PROGRAM_MISSING', `${options.file} cannot be started`)
  }
  const lines = new JoinedLines(options.onOutput)
  child.stdout.on('data', (bytes: Uint8Array) => lines.output(bytes))
  child.stderr.on('data', (bytes: Uint8Array) => lines.errorOutput(bytes))
  // A program that has ended does not read: its exit is reported.
  child.stdin.on('error', () => undefined)
  child.on('error', () => undefined)
  onceClosed(child, (code, signal) => {
    lines.end()
    options.onExit({ code, signal })
  })
  return {
    pid,
    write: bytes => {
      if (child.stdin.writableLength + bytes.length > PENDING_MAX_BYTES)
        throw new SignalboxError(
          'E_LIMIT',
          `the program does not read its input: ${child.stdin.writableLength} bytes are waiting; the limit is ${PENDING_MAX_BYTES}`,
        )
      if (child.stdin.writable) child.stdin.write(bytes)
    },
    resize: () => undefined,
    signal: name => signalGroup(pid, name),
  }
}

/**
 * The exit, after the last output. A process that the program left behind may hold the pipes open,
 * so they are closed a moment after the program itself has ended.
 */
function onceClosed(
  child: ChildProcessWithoutNullStreams,
  report: (code: number | null, signal: string | null) => void,
): void {
  let timer: Timer | null = null
  child.once('exit', () => {
    timer = systemClock.setTimer(OPEN_PIPE_WAIT_MS, () => {
      child.stdout.destroy()
      child.stderr.destroy()
    })
  })
  child.once('close', (code, signal) => {
    timer?.cancel()
    report(signal ? null : code, signal)
  })
}

/** Standard output and standard error as one stream of whole lines. */
class JoinedLines {
  readonly #emit: (bytes: Uint8Array) => void
  #isInLine = false
  #waiting: Uint8Array[] = []
  #size = 0

  constructor(emit: (bytes: Uint8Array) => void) {
    this.#emit = emit
  }

  output(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#emit(bytes)
    this.#isInLine = bytes.at(-1) !== NEWLINE
    this.#flush()
  }

  errorOutput(bytes: Uint8Array): void {
    if (this.#size > STDERR_LINE_MAX) return
    this.#waiting.push(bytes)
    this.#size += bytes.length
    this.#flush()
  }

  end(): void {
    if (this.#size === 0) return
    if (this.#isInLine) this.#emit(Uint8Array.of(NEWLINE))
    this.#isInLine = false
    if (this.#waiting.at(-1)?.at(-1) !== NEWLINE) this.#waiting.push(Uint8Array.of(NEWLINE))
    this.#flush()
  }

  #flush(): void {
    if (this.#isInLine || this.#waiting.at(-1)?.at(-1) !== NEWLINE) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#size = 0
    for (const bytes of waiting) this.#emit(bytes)
  }
}
