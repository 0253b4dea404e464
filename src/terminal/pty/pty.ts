import { closeSync, constants, openSync, readdirSync, readSync, writeSync } from 'node:fs'
import { constants as os } from 'node:os'
import nodePty from '@lydell/node-pty'
import { type Clock, systemClock, type Timer } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { OutputRate } from './output-rate.js'

/** A program in a pseudo-terminal. The interface hides the PTY library; only the keeper uses it. */
export interface PtyProcess {
  readonly pid: number
  write(bytes: Uint8Array): void
  resize(cols: number, rows: number): void
  /** Signals the whole process group of the program. */
  signal(name: NodeJS.Signals): void
}

export interface PtyExit {
  code: number | null
  signal: string | null
}

export interface PtyOptions {
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  cols: number
  rows: number
  onOutput(bytes: Uint8Array): void
  /** Called once, after the last output. */
  onExit(exit: PtyExit): void
}

/** The most that is read after the exit: a background process may print for ever. */
const FINAL_OUTPUT_MAX_BYTES = 1024 * 1024

const SIGNAL_NAMES = new Map(Object.entries(os.signals).map(([name, number]) => [number, name]))

/**
 * Starts a program on a new PTY, in its own session and process group.
 *
 * On Linux the kernel discards what the master has not read when the last slave descriptor closes,
 * so a program that exits loses up to 16 kB of its final output. We keep the slave open until the
 * exit is reported, so that this output stays readable. The library then closes the master 200 ms
 * after the exit, read or not. On a busy machine that is too early: what is left at that moment is
 * read first.
 */
export function spawnPty(options: PtyOptions, rate = new OutputRate(systemClock)): PtyProcess {
  const pty = withoutDescriptorGaps(() =>
    nodePty.spawn(options.file, [...options.args], {
      name: 'xterm-256color',
      cols: options.cols,
      rows: options.rows,
      cwd: options.cwd,
      env: { ...options.env },
      encoding: null,
    }),
  )
  const slave = openSlave(pty)
  const descriptor = (pty as unknown as { fd: number }).fd
  const input = new InputQueue(descriptor)
  let resumption: Timer | null = null
  beforeClose(pty, stream => {
    input.close()
    resumption?.cancel()
    for (let bytes = stream.read?.(); bytes; bytes = stream.read?.()) options.onOutput(bytes)
    readFinalOutput(descriptor, options.onOutput)
  })
  // With `encoding: null` the library passes Buffers, although its types say otherwise.
  pty.onData(data => {
    const bytes = data as unknown as Uint8Array
    options.onOutput(bytes)
    const pauseMs = rate.pauseAfter(bytes.length)
    if (pauseMs === 0) return
    pty.pause()
    resumption?.cancel()
    resumption = systemClock.setTimer(pauseMs, () => pty.resume())
  })
  pty.onExit(({ exitCode, signal }) => {
    input.close()
    if (slave !== null) closeSync(slave)
    const name = signal ? (SIGNAL_NAMES.get(signal) ?? `SIG${signal}`) : null
    options.onExit({ code: name ? null : exitCode, signal: name })
  })
  return {
    pid: pty.pid,
    write: bytes => input.write(bytes),
    resize: (cols, rows) => pty.resize(cols, rows),
    signal: name => signalGroup(pty.pid, name),
  }
}

function openSlave(pty: object): number | null {
  const name = (pty as { ptsName?: unknown }).ptsName
  if (typeof name !== 'string') return null
  try {
    return openSync(name, constants.O_RDWR | constants.O_NOCTTY)
  } catch {
    return null // the program has exited already; its output is still in the master
  }
}

interface MasterStream {
  destroy(error?: Error): unknown
  /** What was read before a pause. */
  read?(): Uint8Array | null
}

/** Calls `work` before the library closes the master; its stream is not in its types. */
function beforeClose(pty: object, work: (stream: MasterStream) => void): void {
  const stream = (pty as { _socket?: MasterStream })._socket
  if (typeof stream?.destroy !== 'function') return
  const destroy = stream.destroy.bind(stream)
  stream.destroy = error => {
    stream.destroy = destroy
    work(stream)
    return destroy(error)
  }
}

/** The master never blocks: EAGAIN means that the kernel has moved all into it. */
function readFinalOutput(descriptor: number, onOutput: (bytes: Uint8Array) => void): void {
  const buffer = new Uint8Array(64 * 1024)
  for (let total = 0; total < FINAL_OUTPUT_MAX_BYTES; ) {
    let length = 0
    try {
      length = readSync(descriptor, buffer)
    } catch {
      return // EAGAIN: all read; EIO: no writer is left
    }
    if (length === 0) return
    total += length
    onOutput(buffer.slice(0, length))
  }
}

/** A program just started has no process group yet: it gets the signal itself. */
export function signalGroup(pid: number, name: NodeJS.Signals): void {
  if (!trySignal(-pid, name)) trySignal(pid, name)
}

function trySignal(target: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(target, name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    return false
  }
}

/** A larger descriptor table is left alone: filling it would take too long. */
const DESCRIPTORS_MAX = 65_536

/**
 * Runs `spawn` while the table of open descriptors has no gap.
 *
 * The PTY library keeps descriptors out of the programs it starts by marking them close-on-exec
 * from 3 upwards, and stops at the first number above 15 that is not open. Descriptors after a gap
 * are inherited: among them the masters of other sessions, through which a program could read their
 * screens and type into them. Gaps appear whenever descriptors are closed, so they are filled for
 * this moment.
 */
function withoutDescriptorGaps<T>(spawn: () => T): T {
  const fillers: number[] = []
  try {
    const highest = highestDescriptor()
    // `open` returns the lowest free number.
    while (highest <= DESCRIPTORS_MAX && (fillers.at(-1) ?? -1) < highest) fillers.push(openSync('/dev/null', 'r'))
    return spawn()
  } finally {
    for (const filler of fillers) closeSync(filler)
  }
}

/** -1 where the system lists no descriptors: there the library closes all of them. */
function highestDescriptor(): number {
  try {
    return Math.max(...readdirSync('/proc/self/fd').map(Number))
  } catch {
    return -1
  }
}

/** The limit for a program that does not read. Typing never reaches it; a paste can. */
const PENDING_MAX_BYTES = 4 * 1024 * 1024
const RETRY_MS = 5
const RETRY_MAX_MS = 200

/**
 * Input for a PTY. The kernel accepts about 4 kB ahead of the program; the rest waits here. The
 * library would either block the whole process until the program reads, or retry without a pause: a
 * program that does not read must not slow down the others.
 */
class InputQueue {
  readonly #descriptor: number
  readonly #clock: Clock
  #pending: Uint8Array[] = []
  #size = 0
  #timer: Timer | null = null
  #retryMs = RETRY_MS
  #isClosed = false

  constructor(descriptor: number, clock: Clock = systemClock) {
    this.#descriptor = descriptor
    this.#clock = clock
  }

  /**
   * @throws SignalboxError `E_LIMIT` when too many bytes are waiting; then none of these bytes is
   * written.
   */
  write(bytes: Uint8Array): void {
    if (this.#isClosed || bytes.length === 0) return
    if (this.#size + bytes.length > PENDING_MAX_BYTES) {
      throw new SignalboxError(
        'E_LIMIT',
        `the program does not read its input: ${this.#size} bytes are waiting; the limit is ${PENDING_MAX_BYTES}`,
      )
    }
    this.#pending.push(bytes)
    this.#size += bytes.length
    if (!this.#timer) this.#drain()
  }

  /** Stops writing: the descriptor's number may soon belong to another file. */
  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#pending = []
    this.#size = 0
  }

  #drain(): void {
    this.#timer = null
    for (let first = this.#pending[0]; first; first = this.#pending[0]) {
      const written = this.#attempt(first)
      if (written === 0) {
        this.#retryLater()
        return
      }
      this.#retryMs = RETRY_MS
      this.#size -= written
      if (written === first.length) this.#pending.shift()
      else this.#pending[0] = first.subarray(written)
    }
  }

  /** The descriptor does not block. EIO: the program reads no more and will exit. */
  #attempt(bytes: Uint8Array): number {
    try {
      return writeSync(this.#descriptor, bytes)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
      return bytes.length
    }
  }

  #retryLater(): void {
    this.#timer = this.#clock.setTimer(this.#retryMs, () => this.#drain())
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS)
  }
}
