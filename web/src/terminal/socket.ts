import { API, proofOf } from '../transport/request'

export interface TerminalEvents {
  snapshot(snapshot: { cols: number; rows: number; data: string; title?: string }): void
  bytes(bytes: Uint8Array): void
  holder(holder: { holder: string; isYours: boolean; name?: string }): void
  resized(cols: number, rows: number): void
  exited(code: number | null, signal: string | null): void
  state(state: 'connecting' | 'live' | 'closed' | 'ended'): void
  problem(message: string): void
}

const ACK_EVERY = 32 * 1024
const INPUT_PIECE = 48 * 1024
const RETRY_MS = [500, 1_000, 2_000, 5_000, 10_000]

/** A pane's bytes. What was read is acknowledged, so a slow page is given a fresh picture instead of a backlog. */
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

  /** Asks for the keyboard: whoever holds it is told. A viewer comes back as one who may type. */
  take(): void {
    this.#wants = 'input'
    this.#isTaking = true
    this.#reopen()
  }

  /** Gives the keyboard back and goes on watching. */
  leave(): void {
    this.#wants = 'view'
    this.#reopen()
  }

  input(text: string): void {
    const bytes = new TextEncoder().encode(text)
    for (let at = 0; at < bytes.length; at += INPUT_PIECE) this.#sendBytes(bytes.slice(at, at + INPUT_PIECE))
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
      if (typeof data === 'string') this.#message(JSON.parse(data) as Record<string, unknown>)
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

  #message(message: Record<string, unknown>): void {
    switch (message.type) {
      case 'snapshot':
        this.#failures = 0
        this.#unacknowledged = 0
        this.#events.state('live')
        if (this.#isTaking) this.#send({ type: 'take' })
        this.#isTaking = false
        return this.#events.snapshot(message as never)
      case 'input':
        return this.#events.holder(message as never)
      case 'resize':
        return this.#events.resized(Number(message.cols), Number(message.rows))
      case 'exit':
        this.#hasEnded = true
        return this.#events.exited(message.code as number | null, message.signal as string | null)
      case 'error': {
        this.#hasEnded = true
        const { message: text } = message.error as { message: string }
        return this.#events.problem(text)
      }
    }
  }

  #bytes(bytes: Uint8Array): void {
    this.#events.bytes(bytes)
    this.#unacknowledged += bytes.length
    if (this.#unacknowledged < ACK_EVERY) return
    this.#send({ type: 'ack', bytes: this.#unacknowledged })
    this.#unacknowledged = 0
  }

  #send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  #sendBytes(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(bytes)
  }
}
