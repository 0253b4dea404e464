/**
 * Where the rows of a long list are. Heights are estimates until a row was drawn and measured.
 */
export class RowPositions {
  readonly #heights: Float64Array
  /** The top of each row, and the end of the last one. */
  readonly #tops: Float64Array
  /** Tops after this row are outdated. */
  #validTo = 0

  constructor(heights: ArrayLike<number>) {
    this.#heights = Float64Array.from(heights)
    this.#tops = new Float64Array(heights.length + 1)
  }

  get count(): number {
    return this.#heights.length
  }

  get total(): number {
    return this.topOf(this.count)
  }

  heightOf(index: number): number {
    return this.#heights[index] ?? 0
  }

  /** Whether the height was another one. */
  setHeight(index: number, height: number): boolean {
    if (Math.abs(this.heightOf(index) - height) < 0.5) return false
    this.#heights[index] = height
    this.#validTo = Math.min(this.#validTo, index)
    return true
  }

  topOf(index: number): number {
    const wanted = Math.max(0, Math.min(index, this.count))
    for (let at = this.#validTo; at < wanted; at++) this.#tops[at + 1] = this.#tops[at]! + this.#heights[at]!
    this.#validTo = Math.max(this.#validTo, wanted)
    return this.#tops[wanted]!
  }

  /** The row at a distance from the top of the list; the first or last one beyond its ends. */
  indexAt(distance: number): number {
    this.topOf(this.count)
    let [low, high] = [0, Math.max(0, this.count - 1)]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#tops[middle]! <= distance) low = middle
      else high = middle - 1
    }
    return low
  }
}
