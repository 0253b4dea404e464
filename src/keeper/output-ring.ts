export type RingItem =
  | { kind: 'output'; bytes: Uint8Array; t: number; offset: number }
  | { kind: 'resize'; cols: number; rows: number; t: number; offset: number }

/**
 * The newest output of a session with its times, and the resizes between, so that a host that
 * reconnects need not read them from disk. A resize has the offset of the byte that follows it;
 * replaying one that the host has already applied changes nothing.
 */
export class OutputRing {
  readonly #capacity: number
  #items: RingItem[] = []
  #size = 0
  #end = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  output(bytes: Uint8Array, t: number): void {
    this.#items.push({ kind: 'output', bytes, t, offset: this.#end })
    this.#end += bytes.length
    this.#size += bytes.length
    let drop = 0
    for (let item = this.#items[0]!; this.#size - sizeOf(item) >= this.#capacity; item = this.#items[drop]!) {
      this.#size -= sizeOf(item)
      drop++
    }
    if (drop > 0) this.#items.splice(0, drop)
  }

  resize(cols: number, rows: number, t: number): void {
    this.#items.push({ kind: 'resize', cols, rows, t, offset: this.#end })
  }

  /** The offset after the newest byte. */
  get end(): number {
    return this.#end
  }

  /** The offset of the oldest byte in memory. */
  get start(): number {
    return this.#items[0]?.offset ?? this.#end
  }

  /**
   * Everything from an offset on; the first chunk is cut to it. Null when older bytes are
   * requested.
   */
  from(offset: number): RingItem[] | null {
    if (offset < this.start || offset > this.#end) return null
    const found: RingItem[] = []
    for (const item of this.#items) {
      const skip = offset - item.offset
      if (skip <= 0) found.push(item)
      else if (skip < sizeOf(item) && item.kind === 'output')
        found.push({ ...item, bytes: item.bytes.subarray(skip), offset })
    }
    return found
  }
}

function sizeOf(item: RingItem): number {
  return item.kind === 'output' ? item.bytes.length : 0
}
