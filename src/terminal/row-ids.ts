import type { CoreLine, CoreLines, XtermCore } from './xterm-core.js'

/*
 * Row ids. The id of a row is the number of its line since the start of the terminal: lines in the
 * buffer are counted from `base`, and `base` grows when lines are dropped at the top. xterm's own
 * scroll event reports too much, and its base line stops moving once the scrollback is full, so the
 * line list itself reports what it trimmed.
 *
 * When xterm replaces a list (on a reset; for the alternate buffer each time it is left) the ids
 * continue after the last one: an id is never used twice. Ids of the alternate buffer start at
 * 2^40, so an id identifies its buffer.
 *
 * A change of width rewraps the normal buffer: lines split and join, and counting no longer
 * identifies them. Then the newest lines before and after are compared unwrapped, and `base` is set
 * so that most of them keep their id. Rows of a rewrapped paragraph may get the id of a neighbour;
 * consumers ignore frames for some time after a resize in any case.
 */

export const ALTERNATE_FIRST_ID = 2 ** 40

/** How many lines from the bottom are compared after a change of width. */
const REALIGN_LINES = 300

export interface RowIdState {
  normal: number
  alternate: number
}

export class RowIds {
  readonly #core: XtermCore
  readonly #normal: CountedLines
  readonly #alternate: CountedLines

  constructor(core: XtermCore, state: RowIdState = { normal: 0, alternate: ALTERNATE_FIRST_ID }) {
    this.#core = core
    this.#normal = new CountedLines(core.buffers.normal.lines, state.normal)
    this.#alternate = new CountedLines(core.buffers.alt.lines, state.alternate)
    core.buffers.onBufferActivate(() => {
      this.#normal.follow(core.buffers.normal.lines)
      this.#alternate.follow(core.buffers.alt.lines)
    })
  }

  get state(): RowIdState {
    return { normal: this.#normal.base, alternate: this.#alternate.base }
  }

  /** The id of line 0 of the active buffer. */
  get activeBase(): number {
    return (this.isAlternate ? this.#alternate : this.#normal).base
  }

  get isAlternate(): boolean {
    return this.#core.buffers.active === this.#core.buffers.alt
  }

  /** The ids of all lines in the buffer that `id` belongs to, scrollback included. */
  rangeAround(id: number): { firstId: number; lastId: number } {
    const { base, lines } = this.#bufferOf(id)
    return { firstId: base, lastId: base + lines.length - 1 }
  }

  lineOf(id: number): CoreLine | undefined {
    const { base, lines } = this.#bufferOf(id)
    return id >= base && id < base + lines.length ? lines.get(id - base) : undefined
  }

  #bufferOf(id: number): CountedLines {
    return id >= ALTERNATE_FIRST_ID ? this.#alternate : this.#normal
  }

  /** Runs a resize and keeps the ids of the normal buffer on their text. */
  keepAcrossResize(resize: () => void): void {
    const before = logicalLines(this.#normal.lines)
    const baseBefore = this.#normal.base
    resize()
    const shift = mostCommonShift(before, logicalLines(this.#normal.lines))
    if (shift !== null) this.#normal.base = baseBefore + shift
  }
}

/** The lines of one buffer and the id of the first. */
class CountedLines {
  lines: CoreLines
  base: number
  #subscription: { dispose(): void }

  constructor(lines: CoreLines, base: number) {
    this.lines = lines
    this.base = base
    this.#subscription = this.#count()
  }

  follow(lines: CoreLines): void {
    if (lines === this.lines) return
    this.#subscription.dispose()
    this.base += this.lines.length
    this.lines = lines
    this.#subscription = this.#count()
  }

  #count(): { dispose(): void } {
    return this.lines.onTrim(amount => {
      this.base += amount
    })
  }
}

/** The newest lines without soft wraps: text → first row. Repeated texts are left out. */
function logicalLines(lines: CoreLines): Map<string, number> {
  const found = new Map<string, number>()
  let start = Math.max(0, lines.length - REALIGN_LINES)
  while (start > 0 && lines.get(start)?.isWrapped) start--
  for (let index = start; index < lines.length; ) {
    const first = index
    let text = lines.get(index++)!.translateToString(false)
    while (lines.get(index)?.isWrapped && index < lines.length) text += lines.get(index++)!.translateToString(false)
    text = text.trimEnd()
    if (text !== '') found.set(text, found.has(text) ? -1 : first)
  }
  return found
}

/**
 * By how many rows most lines moved; the lowest line decides a tie. Null when no line is in both.
 */
function mostCommonShift(before: Map<string, number>, after: Map<string, number>): number | null {
  const votes = new Map<number, number>()
  let winner: number | null = null
  for (const [text, index] of after) {
    const old = before.get(text)
    if (old === undefined || old < 0 || index < 0) continue
    const shift = old - index
    votes.set(shift, (votes.get(shift) ?? 0) + 1)
    if (winner === null || votes.get(shift)! >= votes.get(winner)!) winner = shift
  }
  return winner
}
