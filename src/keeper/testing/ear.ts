import type { KeeperListener, KeptExit, RecordingFailure } from '../port.js'

export type Heard =
  | { kind: 'output'; text: string; t: number; offset: number }
  | { kind: 'resized'; cols: number; rows: number; t: number }
  | { kind: 'exited'; exit: KeptExit }
  | { kind: 'lagging'; offset: number }
  | { kind: 'unrecorded'; failure: RecordingFailure }

/** A listener that remembers what it heard, and can be waited for. */
export class Ear implements KeeperListener {
  readonly heard: Heard[] = []
  readonly #chunks: Buffer[] = []
  readonly #waiting = new Set<() => void>()
  firstOffset: number | null = null
  /** Bytes heard so far. */
  size = 0

  output(bytes: Uint8Array, t: number, offset: number): void {
    this.firstOffset ??= offset
    this.#chunks.push(Buffer.from(bytes))
    this.size += bytes.length
    this.#hear({ kind: 'output', text: Buffer.from(bytes).toString('latin1'), t, offset })
  }

  resized(cols: number, rows: number, t: number): void {
    this.#hear({ kind: 'resized', cols, rows, t })
  }

  exited(exit: KeptExit): void {
    this.#hear({ kind: 'exited', exit })
  }

  lagging(offset: number): void {
    this.#hear({ kind: 'lagging', offset })
  }

  unrecorded(failure: RecordingFailure): void {
    this.#hear({ kind: 'unrecorded', failure })
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  get text(): string {
    return this.bytes.toString('latin1')
  }

  get exit(): KeptExit | null {
    const last = this.heard.findLast(item => item.kind === 'exited')
    return last?.kind === 'exited' ? last.exit : null
  }

  /** Resolves when the condition holds; it is asked again whenever something was heard. */
  async until(holds: (ear: this) => boolean): Promise<void> {
    while (!holds(this)) {
      await new Promise<void>(resolve => this.#waiting.add(resolve))
    }
  }

  async untilText(part: string): Promise<void> {
    await this.until(ear => ear.text.includes(part))
  }

  async untilExit(): Promise<KeptExit> {
    await this.until(ear => ear.exit !== null)
    return this.exit!
  }

  #hear(item: Heard): void {
    this.heard.push(item)
    for (const wake of [...this.#waiting]) wake()
    this.#waiting.clear()
  }
}
