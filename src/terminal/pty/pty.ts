import { closeSync, constants, openSync, readSync } from 'node:fs'
import { constants as os } from 'node:os'
import nodePty from '@lydell/node-pty'
import { withoutDescriptorGaps } from './descriptor-gaps.js'
import { InputQueue } from './input-queue.js'

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
const FINAL_OUTPUT_MAX = 1024 * 1024

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
export function spawnPty(options: PtyOptions): PtyProcess {
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
  beforeClose(pty, () => {
    input.close()
    readFinalOutput(descriptor, options.onOutput)
  })
  // With `encoding: null` the library passes Buffers, although its types say otherwise.
  pty.onData(data => options.onOutput(data as unknown as Uint8Array))
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

/**
 * Calls `work` before the library closes the master. Its stream is not part of its types; without
 * it the 200 ms apply.
 */
function beforeClose(pty: object, work: () => void): void {
  const stream = (pty as { _socket?: { destroy(error?: Error): unknown } })._socket
  if (typeof stream?.destroy !== 'function') return
  const destroy = stream.destroy.bind(stream)
  stream.destroy = error => {
    stream.destroy = destroy
    work()
    return destroy(error)
  }
}

/**
 * The master never blocks: an empty one reports EAGAIN, and by then the kernel has moved everything
 * into it.
 */
function readFinalOutput(descriptor: number, onOutput: (bytes: Uint8Array) => void): void {
  const buffer = new Uint8Array(64 * 1024)
  for (let total = 0; total < FINAL_OUTPUT_MAX; ) {
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

/**
 * A program that has just been started has no process group yet: then it is alone, and gets the
 * signal itself.
 */
function signalGroup(pid: number, name: NodeJS.Signals): void {
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
