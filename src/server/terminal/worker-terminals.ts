import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import type { LiveSession } from '../../sessions/index.js'
import type { ServerLinks, ServerMessage } from '../../workers/index.js'
import { errorBody } from '../errors.js'
import { sendJson, TerminalConnection, type ViewerSocket } from './connection.js'
import { parseViewerMessage } from './messages.js'
import type { TerminalRequest } from './relay.js'

type ChannelMessage = Extract<ServerMessage, { type: 'channel' }>
type Link = Pick<ServerLinks, 'send' | 'sendBytes' | 'unsent'>

interface OpenTerminal {
  socket: ChannelSocket
  connection: TerminalConnection | null
  early: ((connection: TerminalConnection) => void)[]
}

/** Messages that wait for a terminal to be opened. */
const EARLY_MAX = 32

/** A worker's end of the terminals that servers relay to their viewers. */
export class WorkerTerminals {
  readonly #host: () => Promise<Host>
  readonly #link: Link
  readonly #terminals = new Map<number, OpenTerminal>()

  constructor(host: () => Promise<Host>, link: Link) {
    this.#host = host
    this.#link = link
  }

  receive({ channel, open, text, close }: ChannelMessage): void {
    if (open !== undefined) void this.#open(channel, open as TerminalRequest & { session: string })
    const message = text === undefined ? null : parseViewerMessage(text)
    if (message && message.type !== 'hello') this.#whenOpen(channel, connection => connection.receive(message))
    if (close) this.#end(channel)
  }

  bytes(channel: number, bytes: Uint8Array): void {
    this.#whenOpen(channel, connection => connection.input(bytes))
  }

  /** What a viewer sends while its terminal is being opened waits for it. */
  #whenOpen(channel: number, work: (connection: TerminalConnection) => void): void {
    const terminal = this.#terminals.get(channel)
    if (terminal?.connection) work(terminal.connection)
    else if (terminal && terminal.early.length < EARLY_MAX) terminal.early.push(work)
  }

  /** The connection to the server ended, and with it all its viewers. */
  closeAll(): void {
    for (const channel of [...this.#terminals.keys()]) this.#end(channel)
  }

  async #open(channel: number, request: TerminalRequest & { session: string }): Promise<void> {
    const socket = new ChannelSocket(channel, this.#link, () => this.#end(channel))
    const terminal: OpenTerminal = { socket, connection: null, early: [] }
    this.#terminals.set(channel, terminal)
    try {
      const session = await this.#sessionOf(request)
      if (!socket.isOpen) return
      terminal.connection = new TerminalConnection(socket, session, request.hello, request)
      for (const work of terminal.early.splice(0)) work(terminal.connection)
    } catch (error) {
      sendJson(socket, { type: 'error', ...errorBody(error, `channel-${channel}`).body })
      socket.close()
    }
  }

  async #sessionOf({ session: id, maxViewers }: TerminalRequest & { session: string }): Promise<LiveSession> {
    const session = await (await this.#host()).whenTerminal(id)
    if (!session || session.exit) throw new SignalboxError('E_STATE', `session ${id} has ended`)
    if (session.viewers >= maxViewers)
      throw new SignalboxError(
        'E_LIMIT',
        `too many terminals are attached to this session; the limit is ${maxViewers}`,
        { next: 'detach one, or read the screen: signalbox read <id> --screen' },
      )
    return session
  }

  #end(channel: number): void {
    const terminal = this.#terminals.get(channel)
    this.#terminals.delete(channel)
    if (!terminal) return
    terminal.socket.ended()
    terminal.connection?.close()
  }
}

/** A viewer behind a server, as a terminal sees it. */
class ChannelSocket implements ViewerSocket {
  readonly OPEN = 1
  readonly #channel: number
  readonly #link: Link
  readonly #onClose: () => void
  isOpen = true

  constructor(channel: number, link: Link, onClose: () => void) {
    this.#channel = channel
    this.#link = link
    this.#onClose = onClose
  }

  get readyState(): number {
    return this.isOpen ? this.OPEN : 3
  }

  get bufferedAmount(): number {
    return this.#link.unsent
  }

  send(data: string | Uint8Array, _options: { binary: boolean }, onSent: () => void): void {
    if (!this.isOpen) return
    if (typeof data !== 'string') this.#link.sendBytes(this.#channel, data, onSent)
    else this.#link.send({ type: 'channel', channel: this.#channel, text: data }, onSent)
  }

  ended(): void {
    this.isOpen = false
  }

  close(): void {
    if (!this.isOpen) return
    this.#link.send({ type: 'channel', channel: this.#channel, close: true })
    this.isOpen = false
    this.#onClose()
  }

  terminate(): void {
    this.close()
  }
}
