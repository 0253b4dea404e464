import { connect } from 'node:net'
import type { Clock, Timer } from '../../clock/index.js'
import { runCommand } from '../../process/index.js'
import { ControlClient } from './control-client.js'
import { PANE_FORMAT, parsePane, type TmuxPaneInfo } from './pane-fields.js'

/** The content of a pane, captured as a whole. */
export interface TmuxContent {
  lines: string[]
  cursor: { x: number; y: number }
  isAlternate: boolean
  cols: number
  rows: number
}

interface TmuxListener {
  /** It appeared, or something about it changed. */
  described(pane: TmuxPaneInfo): void
  output(pane: string, bytes: Uint8Array): void
  /** Its complete content; later `output` follows it. */
  content(pane: string, content: TmuxContent): void
  paneClosed(pane: string): void
}

export interface TmuxServerOptions {
  file: string
  socket: string
  env: NodeJS.ProcessEnv
  clock: Clock
  listener: TmuxListener
  onError(error: unknown): void
}

/** Rows above the screen that are captured with it. */
const HISTORY_ROWS = 2_000
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 30_000
const LIST_TIMEOUT_MS = 5_000
/** How often titles, commands and directories are read; tmux reports only changes of the layout. */
const DESCRIBE_MS = 1_000
/** Notifications that change which panes exist, or where. */
const LAYOUT = new Set([
  'layout-change',
  'window-add',
  'window-close',
  'unlinked-window-close',
  'window-pane-changed',
  'window-renamed',
  'session-window-changed',
  'session-renamed',
])

interface Known {
  info: TmuxPaneInfo
  /** The client whose output counts: a window may be linked to several sessions. */
  owner: ControlClient
  /** Output before the first content is part of that content. */
  isSynced: boolean
}

/** The panes of a client as tmux last described them, by line: most lines are the same again. */
type Described = ReadonlyMap<string, TmuxPaneInfo>

/**
 * One tmux server, by its socket: a control client for each of its sessions, output as it arrives,
 * metadata every second and when the layout changes, and complete content only if a pane is new,
 * was resized, paused, or left copy mode. The metadata is not subscribed to (`refresh-client -B`):
 * tmux up to 3.3a crashes with all its sessions if a session ends whose subscriber is slow. A
 * server that disappears is searched for again with growing delays; a pane with the same id and
 * process is then the same pane.
 */
export class TmuxServer {
  readonly socket: string
  readonly #options: TmuxServerOptions
  readonly #clients = new Map<string, ControlClient>()
  readonly #panes = new Map<string, Known>()
  readonly #listing = new Set<ControlClient>()
  readonly #listAgain = new Set<ControlClient>()
  readonly #described = new WeakMap<ControlClient, Described>()
  readonly #syncing = new Set<Promise<void>>()
  #retryMs = RETRY_MIN_MS
  #retry: Timer | null = null
  #describing: Timer | null = null
  #isClosed = false
  #finding: Promise<void> | null = null
  #isFindDue = false
  readonly #joining = new Set<Promise<void>>()

  constructor(options: TmuxServerOptions) {
    this.#options = options
    this.socket = options.socket
  }

  get isUp(): boolean {
    return this.#clients.size > 0
  }

  /** Attaches to new sessions of the server; a call during a search causes another. */
  find(): Promise<void> {
    this.#isFindDue = true
    this.#finding ??= this.#findWhileDue()
    return this.found()
  }

  /** Resolves when the current search is complete. */
  async found(): Promise<void> {
    await this.#finding
    await Promise.all(this.#joining)
  }

  /** Captures the content of a pane as a whole, for an owner that missed it. */
  resync(pane: string): void {
    const known = this.#panes.get(pane)
    if (known) void this.#sync(known.owner, pane)
  }

  close(): void {
    this.#isClosed = true
    this.#retry?.cancel()
    this.#describing?.cancel()
    for (const client of this.#clients.values()) client.close()
    this.#clients.clear()
  }

  /** A session that appears meanwhile may be missing: the list is read again. */
  async #findWhileDue(): Promise<void> {
    while (this.#isFindDue) {
      this.#isFindDue = false
      await this.#findSessions().catch(this.#options.onError)
    }
    this.#finding = null
  }

  async #findSessions(): Promise<void> {
    if (this.#isClosed) return
    this.#retry?.cancel()
    this.#retry = null
    const sessions = (await isListening(this.socket)) ? await this.#listSessions() : []
    if (this.#isClosed) return
    if (sessions.length === 0) return this.#lost()
    this.#retryMs = RETRY_MIN_MS
    for (const session of sessions.filter(id => !this.#clients.has(id))) {
      const joining: Promise<void> = this.#join(session).finally(() => this.#joining.delete(joining))
      this.#joining.add(joining)
    }
  }

  async #listSessions(): Promise<string[]> {
    const { file, socket, env } = this.#options
    const { code, stdout } = await runCommand(file, ['-S', socket, 'list-sessions', '-F', '#{session_id}'], {
      cwd: '/',
      env,
      timeoutMs: LIST_TIMEOUT_MS,
    }).catch(() => ({ code: 1, stdout: '' }))
    return code === 0 ? stdout.split('\n').filter(id => /^\$\d+$/.test(id)) : []
  }

  async #join(session: string): Promise<void> {
    const { file, socket, env, listener, onError } = this.#options
    const client: ControlClient = new ControlClient({
      file,
      socket,
      session,
      env,
      output: (pane, bytes) => {
        const known = this.#panes.get(pane)
        if (known?.owner === client && known.isSynced) listener.output(pane, bytes)
      },
      notice: (name, rest) => this.#notice(client, name, rest),
      ended: () => this.#ended(client),
    })
    this.#clients.set(session, client)
    this.#describeLater()
    try {
      await this.#list(client)
      await Promise.all(this.#syncing)
    } catch (error) {
      // A session that has disappeared; `ended` reports it.
      if (this.#clients.get(session) === client) onError(error)
    }
  }

  #notice(client: ControlClient, name: string, rest: string): void {
    if (name === 'pause') void this.#resume(client, rest.trim())
    else if (name === 'sessions-changed') void this.find()
    else if (LAYOUT.has(name)) void this.#list(client).catch(this.#options.onError)
  }

  #describeLater(): void {
    this.#describing ??= this.#options.clock.setTimer(DESCRIBE_MS, () => {
      this.#describing = null
      if (this.#clients.size === 0) return
      for (const client of this.#clients.values()) {
        if (!this.#listing.has(client)) void this.#list(client).catch(this.#options.onError)
      }
      this.#describeLater()
    })
  }

  /** One list at a time; changes meanwhile cause another one. */
  async #list(client: ControlClient): Promise<void> {
    if (this.#listing.has(client)) {
      this.#listAgain.add(client)
      return
    }
    this.#listing.add(client)
    try {
      do {
        this.#listAgain.delete(client)
        const lines = await client.command(`list-panes -s -F "${PANE_FORMAT}"`)
        const before = this.#described.get(client)
        const found = new Map<string, TmuxPaneInfo>()
        for (const line of lines) {
          const info = before?.get(line) ?? parsePane(line, 1)
          if (info) found.set(line, info)
        }
        this.#described.set(client, found)
        const names = new Set([...found.values()].map(info => info.pane))
        for (const info of found.values()) this.#describe(client, info)
        for (const [pane, known] of this.#panes) if (known.owner === client && !names.has(pane)) this.#forget(pane)
      } while (this.#listAgain.has(client))
    } catch (error) {
      if (this.#isJoined(client)) throw error
    } finally {
      this.#listing.delete(client)
    }
  }

  #describe(client: ControlClient, info: TmuxPaneInfo): void {
    const before = this.#panes.get(info.pane)
    if (before?.info === info && before.owner === client) return
    if (before && before.owner !== client && this.#isJoined(before.owner)) {
      // Linked to several sessions: visible in any of them is visible.
      if (info.isFocused && !before.info.isFocused)
        this.#options.listener.described({ ...before.info, isFocused: true })
      return
    }
    const isNew = !before || before.owner !== client || before.info.pid !== info.pid
    const isResized = before && (before.info.cols !== info.cols || before.info.rows !== info.rows)
    const hasLeftMode = before?.info.isInMode === true && !info.isInMode
    const known: Known = { info, owner: client, isSynced: !isNew && before!.isSynced }
    this.#panes.set(info.pane, known)
    if (JSON.stringify(before?.info) !== JSON.stringify(info)) this.#options.listener.described(info)
    if (!isNew && !isResized && !hasLeftMode) return
    const syncing: Promise<void> = this.#sync(client, info.pane).finally(() => this.#syncing.delete(syncing))
    this.#syncing.add(syncing)
  }

  /** Captures a pane's content. Both commands run in one go, so cursor and rows match. */
  async #sync(client: ControlClient, pane: string): Promise<void> {
    const known = this.#panes.get(pane)
    if (!known) return
    known.isSynced = false
    // The cursor is requested first: its reply is here when that of the rows arrives.
    let fields = ''
    await new Promise<void>(resolve => {
      client.ask(
        `display-message -p -t ${pane} "#{cursor_x}|#{cursor_y}|#{alternate_on}|#{pane_width}|#{pane_height}"`,
        ([first = '']) => {
          fields = first
        },
        () => resolve(),
      )
      client.ask(
        `capture-pane -e -p -t ${pane} -S -${HISTORY_ROWS}`,
        lines => {
          this.#show(client, pane, fields, lines)
          resolve()
        },
        // The pane has disappeared in between; the next list shows it.
        () => resolve(),
      )
    })
  }

  #show(client: ControlClient, pane: string, fields: string, lines: string[]): void {
    const current = this.#panes.get(pane)
    if (!current || current.owner !== client || fields === '') return
    const [x, y, isAlternate, cols, height] = fields.split('|').map(Number) as [number, number, number, number, number]
    current.isSynced = true
    this.#options.listener.content(pane, {
      lines,
      cursor: { x, y },
      isAlternate: isAlternate === 1,
      cols: Math.max(1, cols),
      rows: Math.max(1, height),
    })
  }

  async #resume(client: ControlClient, pane: string): Promise<void> {
    if (!/^%\d+$/.test(pane)) return
    try {
      const synced = this.#panes.get(pane)?.owner === client ? this.#sync(client, pane) : null
      await client.command(`refresh-client -A "${pane}:continue"`)
      await synced
    } catch {
      // Gone meanwhile.
    }
  }

  #ended(client: ControlClient): void {
    if (this.#clients.get(client.session) === client) this.#clients.delete(client.session)
    if (this.#isClosed) return
    void this.find().then(() => {
      const others = [...this.#clients.values()]
      // Panes of a session that ended: another session may still hold them.
      return Promise.all(others.map(other => this.#list(other).catch(() => undefined))).then(() => {
        for (const [pane, known] of this.#panes) if (!this.#isJoined(known.owner)) this.#forget(pane)
      })
    })
  }

  #lost(): void {
    for (const pane of [...this.#panes.keys()]) this.#forget(pane)
    this.#retry = this.#options.clock.setTimer(this.#retryMs, () => void this.find())
    this.#retryMs = Math.min(RETRY_MAX_MS, this.#retryMs * 2)
  }

  #forget(pane: string): void {
    if (this.#panes.delete(pane)) this.#options.listener.paneClosed(pane)
  }

  #isJoined(client: ControlClient): boolean {
    return this.#clients.get(client.session) === client
  }
}

/** Sockets of servers that have ended stay in the directory: no process is started to ask them. */
function isListening(socket: string): Promise<boolean> {
  return new Promise(resolve => {
    const connection = connect(socket, () => {
      connection.destroy()
      resolve(true)
    })
    connection.on('error', () => resolve(false))
  })
}
