import type { Frame } from '../terminal/index.js'

/*
 * A spinner that turns above the input box means work, whoever drew it: when its block has scrolled
 * out of a window that was made smaller, no rule about blocks finds it any more. Only braille cells
 * count, in place, while the rest of their row stays the same, twice within a second and a half; it
 * lapses a second after the last change. It never starts a run, it only keeps an end from being
 * accepted.
 */
const WINDOW_S = 1.5
const MOTION_EXPIRY_S = 1
const TURNS_MIN = 2
const BRAILLE = /^[\u2801-\u28ff]$/u

interface Cell {
  glyph: string
  rest: string
  turns: number[]
}

export class SpinnerCells {
  #cells = new Map<string, Cell>()

  /** `above`: the number of rows from the top in which a spinner counts. */
  see(frame: Frame, above: number): boolean {
    const next = new Map<string, Cell>()
    for (const [y, { text }] of frame.lines.slice(0, above).entries()) {
      const x = text.search(/[\u2801-\u28ff]/u)
      if (x < 0 || !BRAILLE.test(text[x]!)) continue
      const place = `${y} ${x}`
      const rest = text.slice(0, x) + text.slice(x + 1)
      const before = this.#cells.get(place)
      const isTurned = before !== undefined && before.rest === rest && before.glyph !== text[x]
      const turns = [...(before?.rest === rest ? before.turns : []), ...(isTurned ? [frame.t] : [])]
      next.set(place, { glyph: text[x]!, rest, turns: turns.filter(at => frame.t - at <= WINDOW_S) })
    }
    this.#cells = next
    return this.isTurning(frame.t)
  }

  isTurning(t: number): boolean {
    return [...this.#cells.values()].some(
      ({ turns }) => turns.length >= TURNS_MIN && t - turns.at(-1)! <= MOTION_EXPIRY_S,
    )
  }
}
