import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Timer } from '../../clock/index.js'
import { findExecutable } from '../../process/index.js'
import type { TmuxPaneInfo } from './pane-fields.js'
import { type TmuxContent, TmuxServer } from './tmux-server.js'

/** A pane's name over all servers: `tmux:<socket>:%n`. */
function paneKey(socket: string, pane: string): string {
  return `tmux:${socket}:${pane}`
}

export interface TmuxSourceOptions {
  clock: Clock
  env: NodeJS.ProcessEnv
  described(key: string, socket: string, pane: TmuxPaneInfo): void
  output(key: string, bytes: Uint8Array): void
  content(key: string, content: TmuxContent): void
  paneClosed(key: string): void
  onError(error: unknown): void
}

/** How often to search for new servers: one directory listing. */
const SCAN_MS = 1_000

/** The socket directory of a person's tmux servers, from their environment. */
function tmuxDirectory(env: NodeJS.ProcessEnv, uid: number): string {
  return join(env.TMUX_TMPDIR || '/tmp', `tmux-${uid}`)
}

/** The tmux servers to join: those of an environment, or the one that the settings name. */
export function tmuxLocations(
  env: NodeJS.ProcessEnv,
  configured: string | null,
): { directories: string[]; sockets: string[] } {
  if (configured !== null) return { directories: [], sockets: [configured] }
  const [inside] = (env.TMUX ?? '').split(',')
  return { directories: [tmuxDirectory(env, process.getuid?.() ?? 0)], sockets: inside ? [inside] : [] }
}

/** Every tmux server of the person: in tmux's directory, and sockets by name. */
export class TmuxSource {
  readonly #options: TmuxSourceOptions
  readonly #servers = new Map<string, { server: TmuxServer; inode: number }>()
  readonly #directories = new Set<string>()
  readonly #sockets = new Set<string>()
  readonly #file: string | null
  #timer: Timer | null = null

  constructor(options: TmuxSourceOptions) {
    this.#options = options
    this.#file = findExecutable('tmux', { path: options.env.PATH, cwd: '/' })
  }

  /** False if tmux is not installed. */
  get isAvailable(): boolean {
    return this.#file !== null
  }

  get servers(): readonly TmuxServer[] {
    return [...this.#servers.values()].map(({ server }) => server)
  }

  /** Also watches these; resolves when the running servers have answered. */
  async watch({
    directories = [],
    sockets = [],
  }: {
    directories?: readonly string[]
    sockets?: readonly string[]
  }): Promise<void> {
    for (const directory of directories) this.#directories.add(directory)
    for (const socket of sockets) this.#sockets.add(socket)
    await this.#scan()
  }

  /** Captures the content of a pane again. */
  resync(key: string): void {
    for (const [socket, { server }] of this.#servers) {
      const prefix = paneKey(socket, '')
      if (key.startsWith(`${prefix}%`)) server.resync(key.slice(prefix.length))
    }
  }

  close(): void {
    this.#timer?.cancel()
    for (const { server } of this.#servers.values()) server.close()
    this.#servers.clear()
  }

  async #scan(): Promise<void> {
    this.#timer?.cancel()
    if (this.#file === null) return
    this.#timer = this.#options.clock.setTimer(SCAN_MS, () => void this.#scan())
    const found: Promise<void>[] = []
    for (const socket of this.#candidates()) {
      const inode = socketInode(socket)
      if (inode === null) continue
      const known = this.#servers.get(socket)
      // Another socket under the old name is another server: do not wait for it.
      if (known?.inode === inode) continue
      const server = known?.server ?? this.#open(socket)
      this.#servers.set(socket, { server, inode })
      found.push(server.find())
    }
    await Promise.all(found)
  }

  #candidates(): Set<string> {
    const sockets = new Set(this.#sockets)
    for (const directory of this.#directories) {
      try {
        for (const name of readdirSync(directory)) sockets.add(join(directory, name))
      } catch {
        // No server has run yet.
      }
    }
    return sockets
  }

  #open(socket: string): TmuxServer {
    const { clock, env, onError } = this.#options
    const { TMUX: _inside, TMUX_PANE: _pane, ...outside } = env
    return new TmuxServer({
      file: this.#file!,
      socket,
      env: outside,
      clock,
      onError,
      listener: {
        described: info => this.#options.described(paneKey(socket, info.pane), socket, info),
        output: (pane, bytes) => this.#options.output(paneKey(socket, pane), bytes),
        content: (pane, content) => this.#options.content(paneKey(socket, pane), content),
        paneClosed: pane => this.#options.paneClosed(paneKey(socket, pane)),
      },
    })
  }
}

/** Only sockets of our own: never connect to another user's file in a shared directory. */
function socketInode(path: string): number | null {
  try {
    const { ino, uid, isSocket } = describeFile(path)
    return isSocket && (process.getuid === undefined || uid === process.getuid()) ? ino : null
  } catch {
    return null
  }
}

function describeFile(path: string): { ino: number; uid: number; isSocket: boolean } {
  const found = statSync(path)
  return { ino: found.ino, uid: found.uid, isSocket: found.isSocket() }
}
