import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { Host } from '../host/index.js'
import type { Holder, LiveSession, Person, Viewer } from '../sessions/index.js'
import { frameToAnsi } from '../terminal/index.js'
import { errorBody } from './errors.js'

const HELLO_WAIT_MS = 5_000
/** Bytes a viewer may owe an acknowledgement for before it is cut off and given a fresh picture instead. */
const UNACKNOWLEDGED_MAX = 256 * 1024
const INPUT_MAX = 64 * 1024
const VIEWERS_MAX = 8

const clientMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    want: z.enum(['view', 'input']),
    cols: z.int().min(1).max(2000),
    rows: z.int().min(1).max(2000),
    /** Who this is, for the others. */
    name: z.string().max(80).optional(),
  }),
  z.strictObject({ type: z.literal('take') }),
  z.strictObject({ type: z.literal('ack'), bytes: z.number() }),
  z.strictObject({ type: z.literal('resize'), cols: z.int().min(1).max(2000), rows: z.int().min(1).max(2000) }),
  z.strictObject({ type: z.literal('snapshot') }),
])

/** Terminal bytes over WebSocket: `GET /api/v1/panes/:id/terminal`. */
export function serveTerminals(server: Server, host: Host): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: INPUT_MAX,
    handleProtocols: () => 'signalbox.terminal.v1',
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const match = /^\/api\/v1\/panes\/([\w-]+)\/terminal$/.exec(request.url ?? '')
    if (!match || request.headers.origin !== undefined) return void socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
    sockets.handleUpgrade(request, socket, head, webSocket => void open(webSocket, match[1]!, host))
  })
}

async function open(socket: WebSocket, word: string, host: Host): Promise<void> {
  try {
    const record = await host.find(word)
    const session = host.live(record.id)
    if (!session || session.exit) {
      sendJson(socket, { type: 'exit', code: record.exit?.code ?? null, signal: record.exit?.signal ?? null })
      return socket.close()
    }
    if (session.viewers >= VIEWERS_MAX)
      throw new SignalboxError('E_LIMIT', `${session.viewers} terminals are attached to this session already`, {
        next: 'detach one, or read the screen: signalbox read <id> --screen',
      })
    new TerminalConnection(socket, session, host)
  } catch (error) {
    sendJson(socket, { type: 'error', ...errorBody(error).body })
    socket.close()
  }
}

/**
 * One attached terminal. All see the same bytes; one holds the keyboard, and its size is the session's. The others may take it over, and
 * everyone is told who has it.
 */
class TerminalConnection implements Viewer, Person {
  readonly id = newId('sub')
  name = 'a terminal'
  readonly #socket: WebSocket
  readonly #session: LiveSession
  #unwatch: () => void = () => undefined
  #leave: (() => void) | null = null
  #size = { cols: 80, rows: 24 }
  #unacknowledged = 0
  #isCutOff = false

  constructor(socket: WebSocket, session: LiveSession, host: Host) {
    this.#socket = socket
    this.#session = session
    const timer = host.clock.setTimer(HELLO_WAIT_MS, () => socket.close(4000, 'no hello'))
    socket.on('message', (data, isBinary) => {
      timer.cancel()
      if (isBinary) this.#input(toBytes(data))
      else this.#message(data.toString())
    })
    socket.on('error', () => socket.close())
    socket.on('close', () => {
      timer.cancel()
      this.#unwatch()
      this.#leave?.()
    })
  }

  held(holder: Holder): void {
    const isYours = holder.kind === 'person' && holder.id === this.id
    if (isYours) this.#resize()
    const { kind } = holder
    sendJson(this.#socket, { type: 'input', holder: kind, isYours, ...(kind === 'person' && { name: holder.name }) })
  }

  output(bytes: Uint8Array): void {
    if (this.#isCutOff) return
    if (this.#unacknowledged > UNACKNOWLEDGED_MAX) {
      this.#isCutOff = true
      return
    }
    this.#unacknowledged += bytes.length
    this.#socket.send(bytes, { binary: true })
  }

  resized(cols: number, rows: number): void {
    sendJson(this.#socket, { type: 'resize', cols, rows })
  }

  exited(exit: { code: number | null; signal: string | null }): void {
    sendJson(this.#socket, { type: 'exit', code: exit.code, signal: exit.signal })
    this.#socket.close()
  }

  #message(text: string): void {
    const parsed = clientMessage.safeParse(safeJson(text))
    if (!parsed.success) {
      this.#socket.close(4001, 'bad message')
      return
    }
    const message = parsed.data
    switch (message.type) {
      case 'hello':
        this.#size = { cols: Math.max(2, message.cols), rows: message.rows }
        if (message.name) this.name = message.name
        this.#unwatch()
        this.#leave?.()
        this.#leave = message.want === 'input' ? this.#session.join(this) : null
        if (!this.#leave) this.held(this.#session.holder)
        this.#snapshot()
        this.#unwatch = this.#session.watch(this)
        return
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

  #snapshot(): void {
    this.#isCutOff = false
    this.#unacknowledged = 0
    const { emulator } = this.#session.screen
    const frame = emulator.picture()
    sendJson(this.#socket, {
      type: 'snapshot',
      cols: frame.cols,
      rows: frame.rows,
      offset: this.#session.offset,
      title: frame.title,
      data: frameToAnsi(frame) + keyModes(emulator),
    })
  }

  #input(bytes: Uint8Array): void {
    if (this.#leave && bytes.length <= INPUT_MAX) void this.#session.type(bytes, this.id).catch(() => undefined)
  }

  /** Counts only while this one holds the keyboard. */
  #resize(): void {
    const { cols, rows } = this.#size
    void this.#session.resize(cols, rows, this.id).catch(() => undefined)
  }
}

/** What the program asked of the keyboard before this viewer came: else arrows and pastes would reach it in another form. */
function keyModes(modes: { isBracketedPaste: boolean; isApplicationCursor: boolean }): string {
  return `\u001b[?2004${modes.isBracketedPaste ? 'h' : 'l'}\u001b[?1${modes.isApplicationCursor ? 'h' : 'l'}`
}

function sendJson(socket: WebSocket, message: object): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function toBytes(data: RawData): Uint8Array {
  if (data instanceof Uint8Array) return data
  return Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data)
}
