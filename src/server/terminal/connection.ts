import type { WebSocket } from 'ws'
import { newId } from '../../clock/index.js'
import type { Holder, LiveSession, Person, Viewer } from '../../sessions/index.js'
import { type Frame, frameToAnsi, type Row, rowToAnsi } from '../../terminal/index.js'
import type { Sendable } from '../wire/index.js'
import type { ClientMessage, Hello, ServerMessage } from './messages.js'

/** Unacknowledged bytes after which a viewer waits for a new snapshot instead. */
const UNACKNOWLEDGED_MAX = 256 * 1024
/**
 * Bytes that may be buffered for a viewer. A viewer can acknowledge bytes that it never read, and
 * request snapshots without end: beyond the first limit it gets nothing until it has read the
 * buffer, and beyond the second its connection ends.
 */
const UNSENT_MAX = 1024 * 1024
const UNSENT_HOPELESS = 8 * UNSENT_MAX
export const INPUT_MAX = 64 * 1024

/**
 * One attached terminal. All viewers see the same bytes; one holds the keyboard, and its size is
 * the session's. The others may take the keyboard over, and all are notified who has it. A viewer
 * that does not keep up loses bytes and gets a new snapshot; the program never waits for a viewer.
 */
export class TerminalConnection implements Viewer, Person {
  readonly id = newId('sub')
  readonly name: string
  readonly #socket: WebSocket
  readonly #session: LiveSession
  readonly #hasScrollback: boolean
  readonly #unwatch: () => void
  readonly #leave: (() => void) | null
  #size: { cols: number; rows: number }
  #unacknowledged = 0
  #isCutOff = false
  /** A snapshot is due, and too much was unsent to send it. */
  #owesPicture = false

  constructor(
    socket: WebSocket,
    session: LiveSession,
    hello: Hello,
    options: { name: string; mayType: boolean; hasScrollback: boolean },
  ) {
    this.#socket = socket
    this.#session = session
    this.#hasScrollback = options.hasScrollback
    this.name = options.name
    this.#size = { cols: Math.max(2, hello.cols), rows: hello.rows }
    this.#leave = hello.want === 'input' && options.mayType ? session.join(this) : null
    if (!this.#leave) this.held(session.holder)
    this.#snapshot()
    this.#unwatch = session.watch(this)
  }

  close(): void {
    this.#unwatch()
    this.#leave?.()
  }

  held(holder: Holder): void {
    const isYours = holder.kind === 'person' && holder.id === this.id
    if (isYours) this.#resize()
    const { kind } = holder
    sendJson(this.#socket, { type: 'input', holder: kind, isYours, ...(kind === 'person' && { name: holder.name }) })
  }

  output(bytes: Uint8Array): void {
    if (this.#isCutOff) return
    const isFull = this.#socket.bufferedAmount > UNSENT_MAX
    if (isFull || this.#unacknowledged + bytes.length > UNACKNOWLEDGED_MAX) {
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
    sendJson(this.#socket, { type: 'resize', cols, rows })
  }

  exited(exit: { code: number | null; signal: string | null }): void {
    sendJson(this.#socket, { type: 'exit', code: exit.code, signal: exit.signal })
    this.#socket.close()
  }

  take(message: Exclude<ClientMessage, Hello>): void {
    switch (message.type) {
      case 'take':
        if (this.#leave) this.#session.takeKeyboard(this.id)
        return
      case 'ack':
        this.#unacknowledged = Math.max(0, this.#unacknowledged - message.bytes)
        if (this.#isCutOff && this.#unacknowledged < UNACKNOWLEDGED_MAX / 2) this.#snapshot()
        return
      case 'resize':
        this.#size = { cols: Math.max(2, message.cols), rows: message.rows }
        if (this.#leave) this.#resize()
        return
      case 'snapshot':
        this.#snapshot()
    }
  }

  /**
   * Keys, unchanged. Input of viewers without the keyboard and input that is too large is dropped.
   */
  input(bytes: Uint8Array): void {
    if (this.#leave && bytes.length <= INPUT_MAX) void this.#session.type(bytes, this.id).catch(() => undefined)
  }

  /** A snapshot replaces everything before it: unacknowledged bytes start at zero. */
  #snapshot(): void {
    this.#owesPicture = this.#socket.bufferedAmount > UNSENT_MAX
    this.#isCutOff = this.#owesPicture
    if (this.#owesPicture) return
    this.#unacknowledged = 0
    sendJson(this.#socket, snapshotOf(this.#session, { hasScrollback: this.#hasScrollback }), () => this.#sent())
  }

  #sent(): void {
    if (this.#owesPicture && this.#socket.readyState === this.#socket.OPEN) this.#snapshot()
  }

  /** The session ignores it unless this viewer holds the keyboard. */
  #resize(): void {
    const { cols, rows } = this.#size
    void this.#session.resize(cols, rows, this.id).catch(() => undefined)
  }
}

/** Calls `onSent` when the message was written to the socket. */
export function sendJson(socket: WebSocket, message: Sendable<ServerMessage>, onSent?: () => void): void {
  if (socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > UNSENT_HOPELESS) return socket.terminate()
  socket.send(JSON.stringify(message), error => {
    if (!error) onSent?.()
  })
}

const SCROLLBACK_MAX = 2_000

/**
 * A session's terminal as it is now, for a viewer that joins: bytes that draw its screen on an
 * empty terminal, and their position in the stream of bytes. With scrollback, the rows above are
 * printed first and scrolled off the screen.
 */
function snapshotOf(session: LiveSession, { hasScrollback }: { hasScrollback: boolean }) {
  const { emulator } = session.screen
  const frame = emulator.currentFrame()
  const modes = {
    bracketedPaste: emulator.isBracketedPaste,
    applicationCursor: emulator.isApplicationCursor,
    alternate: frame.buffer === 'alternate',
  }
  const above = hasScrollback && !modes.alternate ? scrollbackOf(session, frame) : ''
  const enter = hasScrollback && modes.alternate ? '\u001b[?1049h' : ''
  return {
    type: 'snapshot' as const,
    cols: frame.cols,
    rows: frame.rows,
    seq: session.offset,
    title: frame.title,
    modes,
    data: above + enter + frameToAnsi(frame) + keyModes(modes),
  }
}

function scrollbackOf(session: LiveSession, { history, rows }: Frame): string {
  const first = Math.max(history.firstId, history.lastId - SCROLLBACK_MAX + 1)
  if (history.lastId < first) return ''
  const lines: Row[] = session.screen.emulator.readRows(first, history.lastId)
  return `${lines.map(row => `${rowToAnsi(row)}\u001b[0m\r\n`).join('')}${'\r\n'.repeat(Math.max(0, rows - 1))}`
}

/** The program's keyboard modes: without them arrows and pastes change their form. */
function keyModes(modes: { bracketedPaste: boolean; applicationCursor: boolean }): string {
  return `\u001b[?2004${modes.bracketedPaste ? 'h' : 'l'}\u001b[?1${modes.applicationCursor ? 'h' : 'l'}`
}
