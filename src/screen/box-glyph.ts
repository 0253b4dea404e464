import type { Layout } from './layout.js'
import type { ScreenMemory } from './memory.js'

/*
 * Some programs draw another glyph in their input box while they work, and the usual one when they
 * are done. Which glyph means what is known from the box before the first prompt.
 */
const GLYPH = /^\s*[│┃║]?\s{0,3}(?<glyph>[^\p{L}\p{N}\s─━│┃║])\s*[│┃║]?\s*$/u
/** Glyphs of other modes: a shell command, a note, a slash command. */
const MODES = '!#$&?/@'

/** The glyph in an empty input box; null without a box, with text in it, or without a glyph. */
export function emptyBoxGlyph({ rows, composer }: Layout): string | null {
  if (composer === null || composer.last === composer.first) return null
  const glyph = GLYPH.exec(rows[composer.first + 1]!.text)?.groups?.glyph
  return glyph === undefined || MODES.includes(glyph) ? null : glyph
}

/** What the glyph says about work, of a program that changes it after a prompt was sent. */
export function readBoxSign(layout: Layout, { boxGlyph, echo }: ScreenMemory): 'busy' | 'rest' | null {
  const glyph = boxGlyph && echo ? emptyBoxGlyph(layout) : null
  if (!boxGlyph || glyph === null) return null
  if (glyph !== boxGlyph.rest) return 'busy'
  return boxGlyph.changes ? 'rest' : null
}
