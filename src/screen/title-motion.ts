import type { Frame } from '../terminal/index.js'

/*
 * Many programs animate a symbol at the start of their title while they work, and stop with another
 * symbol. A change counts as animation if the new symbol was there a moment ago, because a cycle
 * repeats, and the words after it are the same: `✦ Working` and `◇ Ready` are no animation. The
 * idle symbol does not count: the first one that was shown, or the last one that stayed for a while.
 */
const CYCLE_S = 6
const REST_S = 4
/** Titles turn slowly, some once a second; after this long without a turn the program rests. */
export const TITLE_EXPIRY_S = 2.5

export interface TitleMotion {
  glyph: string
  words: string
  since: number
  rest: string
  /** The marks that were replaced, and when, newest last. */
  replaced: { glyph: string; words: string; t: number }[]
  turnedAt: number | null
}

export function followTitle(before: TitleMotion | null, { title, t }: Frame): TitleMotion | null {
  const glyph = /^[^\p{L}\p{N}\s]{1,2}(?=\s)/u.exec(title)?.[0]
  if (glyph === undefined) return null
  const words = title.slice(glyph.length).trim()
  if (before === null) return { glyph, words, since: t, rest: glyph, replaced: [], turnedAt: null }
  if (before.glyph === glyph) return before
  const rest = t - before.since >= REST_S ? before.glyph : before.rest
  const isTurn =
    glyph !== rest &&
    before.words === words &&
    before.replaced.some(old => old.glyph === glyph && old.words === words && t - old.t <= CYCLE_S)
  const left = { glyph: before.glyph, words: before.words, t }
  const replaced = [...before.replaced.filter(old => t - old.t <= CYCLE_S), left].slice(-16)
  return { glyph, words, since: t, rest, replaced, turnedAt: isTurn ? t : null }
}

/**
 * `⠙ Fixing the test`: braille patterns are drawn only to turn. `✦ Working… (app)` says it in
 * words.
 */
const WORKING = /^[\u2801-\u28ff] |^\S{0,2}\s*(?:Working|Thinking|Running)(?:…|\.\.\.)/u

export function isTitleTurning(motion: TitleMotion | null, { title, t }: Frame): boolean {
  const isTurning = motion !== null && motion.turnedAt !== null && t - motion.turnedAt <= TITLE_EXPIRY_S
  return isTurning || WORKING.test(title)
}
