import { closeSync, constants, openSync } from 'node:fs'
import { constants as os } from 'node:os'
import nodePty from '@lydell/node-pty'

/** A program in a pseudo-terminal. The narrow port behind which the PTY library stays: only the keeper uses it. */
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

const SIGNAL_NAMES = new Map(Object.entries(os.signals).map(([name, number]) => [number, name]))

/**
 * Starts a program on a new PTY, in a session and process group of its own.
 *
 * On Linux the kernel throws away what the master has not read yet when the last slave descriptor closes, so a dying program
 * loses up to 16 kB of its last words. Holding the slave open ourselves until the exit is reported keeps them readable.
 */
export function spawnPty(options: PtyOptions): PtyProcess {
  const pty = nodePty.spawn(options.file, [...options.args], {
    name: 'xterm-256color',
    cols: options.cols,
    rows: options.rows,
    cwd: options.cwd,
    env: { ...options.env },
    encoding: null,
  })
  const slave = openSlave(pty)
  // With `encoding: null` the library hands out Buffers, whatever its types say.
  pty.onData(data => options.onOutput(data as unknown as Uint8Array))
  pty.onExit(({ exitCode, signal }) => {
    if (slave !== null) closeSync(slave)
    const name = signal ? (SIGNAL_NAMES.get(signal) ?? `SIG${signal}`) : null
    options.onExit({ code: name ? null : exitCode, signal: name })
  })
  return {
    pid: pty.pid,
    write: bytes => pty.write(bytes as unknown as string),
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
    return null // the program is gone already; what it printed is still in the master
  }
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
