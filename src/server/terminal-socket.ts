import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import type { Host } from '../host/index.js'
import type { LiveSession, Viewer } from '../sessions/index.js'
import { frameToAnsi } from '../terminal/index.js'
import { errorBody } from './errors.js'

const HELLO_WAIT_MS = 5_000
/** Bytes a viewer may owe an acknowledgement for before it is cut off and given a fresh picture instead. */
const UNACKNOWLEDGED_MAX = 256 * 1024
const INPUT_MAX = 64 * 1024

const clientMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    want: z.enum(['view', 'input']),
    cols: z.int().min(1).max(2000),
    rows: z.int().min(1).max(2000),
  }),
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
    new TerminalConnection(socket, session, host)
  } catch (error) {
    sendJson(socket, { type: 'error', ...errorBody(error).body })
    socket.close()
  }
}

class TerminalConnection implements Viewer {
  readonly #socket: WebSocket
  readonly #session: LiveSession
  #unwatch: () => void = () => undefined
  #wantsInput = false
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
    })
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
        this.#wantsInput = message.want === 'input'
        if (this.#wantsInput) void this.#session.resize(Math.max(2, message.cols), message.rows).catch(() => undefined)
        this.#unwatch()
        this.#snapshot()
        this.#unwatch = this.#session.watch(this)
        return
      case 'ack':
        this.#unacknowledged = Math.max(0, this.#unacknowledged - message.bytes)
        if (this.#isCutOff && this.#unacknowledged < UNACKNOWLEDGED_MAX / 2) this.#snapshot()
        return
      case 'resize':
        if (this.#wantsInput) void this.#session.resize(Math.max(2, message.cols), message.rows).catch(() => undefined)
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
    if (this.#wantsInput && bytes.length <= INPUT_MAX) void this.#session.type(bytes).catch(() => undefined)
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
