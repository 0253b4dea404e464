import type { Row } from '../../terminal/index.js'
import type { Look } from '../pane-screen.js'
import type { SentLook } from './messages.js'

interface RowReader {
  readRows(firstId: number, lastId: number): Row[]
}

/**
 * Turns looks into differences. A row that did not change is the same object in the next frame, so
 * a row is sent again only if its object is another one. Rows that have scrolled off the screen
 * since the last look are sent with it: they do not change any more, unless the width does.
 */
export class LookEncoder {
  readonly #source: RowReader
  #last: Look | null = null
  /** The rows of the last frame of each buffer. */
  #sent: Record<'normal' | 'alternate', ReadonlyMap<number, Row>> = { normal: new Map(), alternate: new Map() }
  /** The rows of the normal buffer above this one were sent as they will stay. */
  #normalTop = Number.NEGATIVE_INFINITY
  #cols = 0
  #firstNeeded: number

  /** `firstRow`: rows above it are not needed. */
  constructor(source: RowReader, firstRow = 0) {
    this.#source = source
    this.#firstNeeded = firstRow
  }

  /** Rows above this one are not needed any more. */
  release(firstId: number): void {
    this.#firstNeeded = firstId
  }

  encode(look: Look): SentLook {
    const before = this.#last
    this.#last = look
    const { frame, observation, outline, atWork, t, isSettled, isConfirmed } = look
    const isRedrawn = frame.buffer === 'normal' && frame !== before?.frame && this.#isRewrapped(frame.cols)
    const { lines, ...rest } = frame
    return {
      t,
      isSettled,
      isConfirmed,
      isRedrawn,
      frame: frame === before?.frame ? null : { ...rest, firstId: lines[0]?.id ?? 0, count: lines.length },
      rows: frame === before?.frame ? [] : this.#changed(look),
      observation: observation === before?.observation ? null : observation,
      outline: outline === before?.outline ? null : outline,
      atWork: atWork === before?.atWork ? null : atWork,
    }
  }

  #changed({ frame: { lines, buffer, history } }: Look): Row[] {
    const sent = this.#sent[buffer]
    const top = lines[0]?.id ?? 0
    const scrolled =
      buffer === 'normal' && this.#normalTop < top
        ? this.#source.readRows(Math.max(this.#normalTop, history.firstId, this.#firstNeeded), top - 1)
        : []
    if (buffer === 'normal') this.#normalTop = top
    this.#sent[buffer] = new Map(lines.map(row => [row.id, row]))
    return [...scrolled, ...lines].filter(row => sent.get(row.id) !== row)
  }

  /** Another width breaks all rows elsewhere. */
  #isRewrapped(cols: number): boolean {
    if (cols === this.#cols) return false
    this.#cols = cols
    this.#normalTop = Number.NEGATIVE_INFINITY
    this.#sent.normal = new Map()
    return true
  }
}
