import type { Frame } from '../terminal/index.js'

/*
 * Many programs animate a symbol at the start of their title while they work, and stop with another
 * symbol. A change counts as animation if the new symbol was shown shortly before, because a cycle
 * repeats, and the words after it are the same: `✦ Working` and `◇ Ready` are not an animation. The
 * idle symbol does not count: the first one that was shown, or the last one that stayed for a
 * while.
 */
const CYCLE_S = 6
const IDLE_S = 4
/** Titles move slowly, some once a second; after this long without a move the program is idle. */
export const TITLE_EXPIRY_S = 2.5

export interface TitleMotion {
  glyph: string
  words: string
  since: number
  idleGlyph: string
  /** The symbols that were replaced, and when, newest last. */
  replaced: { glyph: string; words: string; t: number }[]
  movedAt: number | null
}

export function followTitle(before: TitleMotion | null, { title, t }: Frame): TitleMotion | null {
  const glyph = /^[^\p{L}\p{N}\s]{1,2}(?=\s)/u.exec(title)?.[0]
  if (glyph === undefined) return null
  const words = title.slice(glyph.length).trim()
  if (before === null) return { glyph, words, since: t, idleGlyph: glyph, replaced: [], movedAt: null }
  if (before.glyph === glyph) return before
  const idleGlyph = t - before.since >= IDLE_S ? before.glyph : before.idleGlyph
  const isMove =
    glyph !== idleGlyph &&
    before.words === words &&
    before.replaced.some(old => old.glyph === glyph && old.words === words && t - old.t <= CYCLE_S)
  const left = { glyph: before.glyph, words: before.words, t }
  const replaced = [...before.replaced.filter(old => t - old.t <= CYCLE_S), left].slice(-16)
  return { glyph, words, since: t, idleGlyph, replaced, movedAt: isMove ? t : null }
}

/**
 * `⠙ Fixing the test`, `π ⠙ app`: braille patterns are drawn only to spin. `✦ Working… (app)` says
 * it in words.
 */
const WORKING = /^(?:\S{1,2} )?[\u2801-\u28ff] |^\S{0,2}\s*(?:Working|Thinking|Running)(?:…|\.\.\.)/u

export function isTitleMoving(motion: TitleMotion | null, { title, t }: Frame): boolean {
  const isMoving = motion !== null && motion.movedAt !== null && t - motion.movedAt <= TITLE_EXPIRY_S
  return isMoving || WORKING.test(title)
}
