import type { ReadStream, WriteStream } from 'node:tty'
import { InputDecoder, type Key } from './input-decoder.js'
import type { ScreenSize } from './live-region.js'
import { STATUS_QUERY } from './program-status.js'

/** How long a single ESC may still be the start of a sequence. */
const ESCAPE_MS = 40

export interface TerminalEvents {
  onKey(key: Key): void
  onResize(): void
  /** The terminal was closed. */
  onHangup(): void
  /** The terminal supports OSC 7501. */
  onStatusProtocol(): void
}

/** The real terminal: sets modes and sends queries at the start, restores all at the end. */
export class Terminal {
  private readonly decoder = new InputDecoder()
  private escapeTimer: NodeJS.Timeout | null = null
  private hasKittyKeys = false
  private isOpen = false

  constructor(
    private readonly input: ReadStream,
    private readonly output: WriteStream,
    private readonly events: TerminalEvents,
  ) {}

  open(): void {
    this.isOpen = true
    this.input.setRawMode(true)
    this.input.on('data', this.onData)
    this.input.on('end', this.events.onHangup)
    this.input.on('error', this.events.onHangup)
    this.output.on('error', this.events.onHangup)
    this.output.on('resize', this.events.onResize)
    this.input.resume()
    this.write(`\x1b[?2004h\x1b[?u${STATUS_QUERY}\x1b[c`)
  }

  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.write(`\x1b[?2004l${this.hasKittyKeys ? '\x1b[<u' : ''}\x1b[?25h\x1b[0m`)
    this.input.off('data', this.onData)
    this.output.off('resize', this.events.onResize)
    if (this.escapeTimer) clearTimeout(this.escapeTimer)
    this.input.setRawMode(false)
    this.input.pause()
  }

  write(text: string): void {
    this.output.write(text)
  }

  writeBytes(bytes: Uint8Array): void {
    this.output.write(bytes)
  }

  size(): ScreenSize {
    return { columns: Math.max(1, this.output.columns || 80), rows: Math.max(1, this.output.rows || 24) }
  }

  setTitle(text: string): void {
    this.write(`\x1b]2;${text.replaceAll(/[\x00-\x1f\x7f-\x9f]/g, '')}\x1b\\`)
  }

  private readonly onData = (bytes: Buffer): void => {
    if (this.escapeTimer) clearTimeout(this.escapeTimer)
    this.deliver(this.decoder.feed(bytes))
    if (this.decoder.isWaiting) this.escapeTimer = setTimeout(() => this.deliver(this.decoder.flush()), ESCAPE_MS)
  }

  private deliver(keys: Key[]): void {
    for (const key of keys) {
      if (key.name === 'reply') this.takeReply(key.text)
      else if (this.isOpen) this.events.onKey(key)
    }
  }

  private takeReply(text: string): void {
    if (text.startsWith(']7501;')) this.events.onStatusProtocol()
    if (/^\[\?\d+u$/.test(text) && !this.hasKittyKeys) {
      this.hasKittyKeys = true
      this.write('\x1b[>1u')
    }
  }
}
