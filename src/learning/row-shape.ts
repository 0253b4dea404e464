/*
 * The shape of a row: what of it returns in other rows of its kind. A row starts with marks (edges
 * of boxes, glyphs, arrows), and the words after them are mostly content. So the marks alone are
 * the first guess, the marks with the first words the second.
 */
export interface RowShape {
  first: string
  /** How rows below continue it. */
  more: string
  /** Columns before the words. */
  strip: number
  /** Only marks, no words: it may fit in more places. */
  isMark: boolean
  /** The glyphs before the words. */
  glyphs: readonly string[]
}

const HEAD =
  /^(?<indent> *)(?<marks>(?:[^\p{L}\p{N}\s"'`(<[{/\\@#.,;:!?-][^\p{L}\p{N}\s]{0,2}\s+){0,3})(?<words>\S.*)$/u
/** Rows of a terminal are shorter; a longer one is not a row. */
const ROW_MAX_CHARACTERS = 400
/** The glyph of an input box, before what the person typed. */
const PROMPT = /^[❯›>▷»➜▶]$/u
const EDGE = /^[│┃▌▎║┆]$/u

export function shapesOf(text: string): RowShape[] {
  const found = HEAD.exec(text.replaceAll('\u00a0', ' '))?.groups
  if (!found || text.length > ROW_MAX_CHARACTERS) return []
  const { indent, marks, words } = found as { indent: string; marks: string; words: string }
  const glyphs = marks.trim().split(/\s+/u).filter(Boolean)
  if (glyphs.some(glyph => PROMPT.test(glyph))) return []
  const strip = indent.length + marks.length
  const isEdged = glyphs.length > 0 && EDGE.test(glyphs[0]!)
  const before = `^${blanks(indent.length)}`
  const more = isEdged ? `${before}${escaped(glyphs[0]!)}` : `^ {${indent.length + 1},}\\S`
  const start = `${before}${glyphs.map(glyph => `${mark(glyph)} +`).join('')}`
  const shapes: RowShape[] = []
  const hasGlyph = glyphs.some(glyph => !EDGE.test(glyph))
  if (hasGlyph) shapes.push({ first: `${start}\\S`, more, strip, isMark: true, glyphs })
  for (const head of wordsOf(words)) shapes.push({ first: `${start}${head}`, more, strip, isMark: false, glyphs })
  return shapes
}

/** The first word, and the first two: a name or a verb, not numbers, paths or quotations. */
function wordsOf(words: string): string[] {
  const [first = '', second = ''] = words.split(' ')
  if (!/^[\p{L}\p{N}_[(]/u.test(first) || !/\p{L}{2}/u.test(first)) return []
  const one = `${inWords(first)}(?: |$)`
  return /^[\p{L}\p{N}_'’-]+[:.…]?$/u.test(second) ? [one, `${inWords(first)} +${inWords(second)}`] : [one]
}

function inWords(word: string): string {
  return escaped(word).replace(/\d+/gu, '\\d+')
}

function blanks(count: number): string {
  return count === 0 ? '' : count === 1 ? ' ' : ` {${count}}`
}

/** A spinner changes its glyph: any of them matches. */
function mark(glyphs: string): string {
  return /^[\u2800-\u28ff]+$/u.test(glyphs) ? '[\\u2800-\\u28ff]+' : escaped(glyphs)
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&')
}
