import type { ViewerMessage, ViewerUpdate } from '../api/types'
import { API, proofOf } from '../transport/request'

type MessageOf<T extends ViewerUpdate['type']> = Extract<ViewerUpdate, { type: T }>

/** Who has the keyboard. */
export type Input = MessageOf<'input'>

export interface TerminalEvents {
  snapshot(snapshot: MessageOf<'snapshot'>): void
  bytes(bytes: Uint8Array): void
  input(input: Input): void
  resized(cols: number, rows: number): void
  exited(): void
  state(state: 'connecting' | 'live' | 'closed' | 'ended'): void
  problem(message: string): void
}

const ACK_EVERY = 32 * 1024
const INPUT_CHUNK = 48 * 1024
const RETRY_MS = [500, 1_000, 2_000, 5_000, 10_000]

/**
 * The terminal of a pane. The page acknowledges bytes, so that a slow page gets a new snapshot
 * instead of a backlog.
 */
export class TerminalSocket {
  readonly #pane: string
  readonly #events: TerminalEvents
  #socket: WebSocket | null = null
  #unacknowledged = 0
  #isClosed = false
  #hasEnded = false
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #size: { cols: number; rows: number }
  #wants: 'view' | 'input'
  #isTaking = false

  constructor(pane: string, options: { wants: 'view' | 'input'; cols: number; rows: number }, events: TerminalEvents) {
    this.#pane = pane
    this.#events = events
    this.#size = { cols: options.cols, rows: options.rows }
    this.#wants = options.wants
    this.#open()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#socket?.close()
  }

  /** Takes the keyboard: reconnects as a client that may type. */
  takeKeyboard(): void {
    this.#wants = 'input'
    this.#isTaking = true
    this.#reopen()
  }

  /** Releases the keyboard and continues as a viewer. */
  leave(): void {
    this.#wants = 'view'
    this.#reopen()
  }

  input(text: string): void {
    const bytes = new TextEncoder().encode(text)
    for (let at = 0; at < bytes.length; at += INPUT_CHUNK) this.#sendBytes(bytes.slice(at, at + INPUT_CHUNK))
  }

  resize(cols: number, rows: number): void {
    this.#size = { cols, rows }
    if (this.#wants === 'input') this.#send({ type: 'resize', cols, rows })
  }

  #reopen(): void {
    const before = this.#socket
    this.#socket = null
    before?.close()
    clearTimeout(this.#timer)
    this.#open()
  }

  #open(): void {
    this.#events.state('connecting')
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = new WebSocket(`${scheme}//${location.host}${this.#path}`, 'signalbox.terminal.v1')
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    socket.onopen = () => this.#hello().catch(error => this.#events.problem((error as Error).message))
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.#message(JSON.parse(data) as ViewerUpdate)
      else this.#bytes(new Uint8Array(data as ArrayBuffer))
    }
    socket.onclose = () => {
      if (this.#socket !== socket) return
      this.#socket = null
      if (this.#isClosed || this.#hasEnded) return this.#events.state(this.#hasEnded ? 'ended' : 'closed')
      this.#events.state('closed')
      const wait = RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)]!
      this.#timer = setTimeout(() => this.#open(), wait)
    }
  }

  get #path(): string {
    return `${API}/panes/${this.#pane}/terminal`
  }

  async #hello(): Promise<void> {
    const proof = await proofOf('GET', this.#path)
    this.#send({ type: 'hello', proof, want: this.#wants, ...this.#size })
  }

  #message(message: ViewerUpdate): void {
    switch (message.type) {
      case 'snapshot':
        this.#failures = 0
        this.#unacknowledged = 0
        this.#events.state('live')
        if (this.#isTaking) this.#send({ type: 'take' })
        this.#isTaking = false
        return this.#events.snapshot(message)
      case 'input':
        return this.#events.input(message)
      case 'resize':
        return this.#events.resized(message.cols, message.rows)
      case 'exit':
        this.#hasEnded = true
        return this.#events.exited()
      case 'error':
        this.#hasEnded = true
        return this.#events.problem(message.error.message)
    }
  }

  #bytes(bytes: Uint8Array): void {
    this.#events.bytes(bytes)
    this.#unacknowledged += bytes.length
    if (this.#unacknowledged < ACK_EVERY) return
    this.#send({ type: 'ack', bytes: this.#unacknowledged })
    this.#unacknowledged = 0
  }

  #send(message: ViewerMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  #sendBytes(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(bytes)
  }
}
