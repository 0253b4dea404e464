import type { KeeperListener, KeptExit, RecordingFailure } from '../port.js'

export type ListenerEvent =
  | { kind: 'output'; text: string; t: number; offset: number }
  | { kind: 'resized'; cols: number; rows: number; t: number }
  | { kind: 'exited'; exit: KeptExit }
  | { kind: 'lagging'; offset: number }
  | { kind: 'unrecorded'; failure: RecordingFailure }

/** A listener that records its events and can be awaited. */
export class RecordingListener implements KeeperListener {
  readonly events: ListenerEvent[] = []
  readonly #chunks: Buffer[] = []
  readonly #waiting = new Set<() => void>()
  firstOffset: number | null = null
  /** Bytes received so far. */
  size = 0

  output(bytes: Uint8Array, t: number, offset: number): void {
    this.firstOffset ??= offset
    this.#chunks.push(Buffer.from(bytes))
    this.size += bytes.length
    this.#record({ kind: 'output', text: Buffer.from(bytes).toString('latin1'), t, offset })
  }

  resized(cols: number, rows: number, t: number): void {
    this.#record({ kind: 'resized', cols, rows, t })
  }

  exited(exit: KeptExit): void {
    this.#record({ kind: 'exited', exit })
  }

  lagging(offset: number): void {
    this.#record({ kind: 'lagging', offset })
  }

  unrecorded(failure: RecordingFailure): void {
    this.#record({ kind: 'unrecorded', failure })
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  get text(): string {
    return this.bytes.toString('latin1')
  }

  get exit(): KeptExit | null {
    const last = this.events.findLast(item => item.kind === 'exited')
    return last?.kind === 'exited' ? last.exit : null
  }

  /** Resolves when the condition holds; it is checked after every event. */
  async until(holds: (listener: this) => boolean): Promise<void> {
    while (!holds(this)) {
      await new Promise<void>(resolve => this.#waiting.add(resolve))
    }
  }

  async untilText(part: string): Promise<void> {
    await this.until(listener => listener.text.includes(part))
  }

  async untilExit(): Promise<KeptExit> {
    await this.until(listener => listener.exit !== null)
    return this.exit!
  }

  #record(item: ListenerEvent): void {
    this.events.push(item)
    for (const wake of [...this.#waiting]) wake()
    this.#waiting.clear()
  }
}
