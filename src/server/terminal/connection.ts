import { newId } from '../../clock/index.js'
import type { Holder, KeyboardUser, LiveSession, Viewer } from '../../sessions/index.js'
import type { Sendable } from '../wire/index.js'
import type { ViewerHello, ViewerMessage, ViewerUpdate } from './messages.js'

/** Unacknowledged bytes after which a viewer waits for a new snapshot instead. */
const UNACKNOWLEDGED_MAX_BYTES = 256 * 1024
/**
 * Bytes that may be buffered for a viewer. A viewer can acknowledge bytes that it never read, and
 * request snapshots without end: beyond the first limit it gets nothing until it has read the
 * buffer, and beyond the second its connection ends.
 */
const UNSENT_PAUSE_BYTES = 1024 * 1024
export const UNSENT_CLOSE_BYTES = 8 * UNSENT_PAUSE_BYTES
export const INPUT_MAX_BYTES = 64 * 1024

/** The connection to a viewer: a WebSocket, or a channel to one through a server. */
export interface ViewerSocket {
  readonly readyState: number
  readonly OPEN: number
  readonly bufferedAmount: number
  send(data: string | Uint8Array, options: { binary: boolean }, onSent: (error?: Error | null) => void): void
  close(code?: number, reason?: string): void
  terminate(): void
}

/**
 * One attached terminal. All viewers see the same bytes; one holds the keyboard, and its size is
 * the session's. The others may take the keyboard over, and all are notified who has it. A viewer
 * that does not keep up loses bytes and gets a new snapshot; the program never waits for a viewer.
 */
export class TerminalConnection implements Viewer, KeyboardUser {
  readonly id = newId('sub')
  readonly name: string
  readonly #socket: ViewerSocket
  readonly #session: LiveSession
  readonly #hasScrollback: boolean
  readonly #unwatch: () => void
  readonly #leave: (() => void) | null
  #size: { cols: number; rows: number }
  #unacknowledged = 0
  #isCutOff = false
  /** A snapshot is due, and too much was unsent to send it. */
  #owesPicture = false
  /** Messages to send after the snapshot that is being made; null if none is being made. */
  #behind: (() => void)[] | null = null

  constructor(
    socket: ViewerSocket,
    session: LiveSession,
    hello: ViewerHello,
    options: { name: string; mayType: boolean; hasScrollback: boolean },
  ) {
    this.#socket = socket
    this.#session = session
    this.#hasScrollback = options.hasScrollback
    this.name = options.name
    this.#size = { cols: Math.max(2, hello.cols), rows: hello.rows }
    this.#leave = hello.want === 'input' && options.mayType ? session.join(this) : null
    if (!this.#leave) this.holderChanged(session.holder)
    this.#sendSnapshot()
    this.#unwatch = session.watch(this)
  }

  close(): void {
    this.#unwatch()
    this.#leave?.()
  }

  holderChanged(holder: Holder): void {
    const isYours = holder.kind === 'person' && holder.id === this.id
    if (isYours) this.#resize()
    const { kind } = holder
    sendJson(this.#socket, { type: 'input', holder: kind, isYours, ...(kind === 'person' && { name: holder.name }) })
  }

  output(bytes: Uint8Array): void {
    if (this.#behind) return void this.#behind.push(() => this.output(bytes))
    if (this.#isCutOff) return
    const isFull = this.#socket.bufferedAmount > UNSENT_PAUSE_BYTES
    if (isFull || this.#unacknowledged + bytes.length > UNACKNOWLEDGED_MAX_BYTES) {
      this.#isCutOff = true
      // It may have acknowledged everything already: then only the drained buffer shows that it
      // reads again.
      this.#owesPicture ||= isFull
      return
    }
    this.#unacknowledged += bytes.length
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(bytes, { binary: true }, () => this.#sent())
  }

  resized(cols: number, rows: number): void {
    if (this.#behind) return void this.#behind.push(() => this.resized(cols, rows))
    sendJson(this.#socket, { type: 'resize', cols, rows })
  }

  exited(exit: { code: number | null; signal: string | null }): void {
    if (this.#behind) return void this.#behind.push(() => this.exited(exit))
    sendJson(this.#socket, { type: 'exit', code: exit.code, signal: exit.signal })
    this.#socket.close()
  }

  /** The client connects again, as after a restart of the daemon. */
  replaced(): void {
    this.#socket.close(1012, 'the session is read again')
  }

  receive(message: Exclude<ViewerMessage, ViewerHello>): void {
    switch (message.type) {
      case 'take':
        if (this.#leave) this.#session.takeKeyboard(this.id)
        return
      case 'ack':
        this.#unacknowledged = Math.max(0, this.#unacknowledged - message.bytes)
        if (this.#isCutOff && this.#unacknowledged < UNACKNOWLEDGED_MAX_BYTES / 2) this.#sendSnapshot()
        return
      case 'resize':
        this.#size = { cols: Math.max(2, message.cols), rows: message.rows }
        if (this.#leave) this.#resize()
        return
      case 'snapshot':
        this.#sendSnapshot()
    }
  }

  /**
   * Keys, unchanged. Input of viewers without the keyboard and input that is too large is dropped.
   */
  input(bytes: Uint8Array): void {
    if (this.#leave && bytes.length <= INPUT_MAX_BYTES) void this.#session.type(bytes, this.id).catch(() => undefined)
  }

  /** A snapshot replaces everything before it: unacknowledged bytes start at zero. */
  #sendSnapshot(): void {
    this.#owesPicture = this.#socket.bufferedAmount > UNSENT_PAUSE_BYTES
    this.#isCutOff = this.#owesPicture
    if (this.#owesPicture) return
    this.#unacknowledged = 0
    // Output that the snapshot in progress does not contain is in this one.
    const behind: (() => void)[] = []
    this.#behind = behind
    this.#session.terminal.picture(this.#hasScrollback, ({ cols, rows, title, modes, data, offset }) => {
      if (this.#behind !== behind) return
      this.#behind = null
      const { isBracketedPaste: bracketedPaste, isApplicationCursor: applicationCursor, isAlternate: alternate } = modes
      const shown = { cols, rows, seq: offset, title, modes: { bracketedPaste, applicationCursor, alternate }, data }
      sendJson(this.#socket, { type: 'snapshot', ...shown }, () => this.#sent())
      for (const send of behind) send()
    })
  }

  #sent(): void {
    if (this.#owesPicture && this.#socket.readyState === this.#socket.OPEN) this.#sendSnapshot()
  }

  /** The session ignores it unless this viewer holds the keyboard. */
  #resize(): void {
    const { cols, rows } = this.#size
    void this.#session.resize(cols, rows, this.id).catch(() => undefined)
  }
}

/** Calls `onSent` when the message was written to the socket. */
export function sendJson(socket: ViewerSocket, message: Sendable<ViewerUpdate>, onSent?: () => void): void {
  if (socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > UNSENT_CLOSE_BYTES) return socket.terminate()
  socket.send(JSON.stringify(message), { binary: false }, error => {
    if (!error) onSent?.()
  })
}
