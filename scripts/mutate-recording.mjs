// Frames as another version of the same agent might draw them: other words, glyphs or keys, a
// narrower terminal. Only the structure is the same. Every change is made to the frame, after the
// emulator, so that nothing else moves.

export const MUTATIONS = {
  none: frame => frame,
  words: frame => withText(frame, otherWords),
  glyphs: frame => withText(frame, otherGlyphs),
  both: frame => withText(frame, text => otherGlyphs(otherWords(text))),
  keys: frame => withText(frame, otherKeys),
  'cols 60': frame => narrowed(frame, 60),
}

const VOWELS = 'aeiouAEIOU'
const NEXT = 'eiouaEIOUA'
function otherWords(text) {
  return text.replace(/[A-Za-z]{3,}/g, word =>
    [...word].map(letter => (VOWELS.includes(letter) ? NEXT[VOWELS.indexOf(letter)] : letter)).join(''),
  )
}

/** Other key bindings. Their names have the same width, so nothing moves. */
const KEYS = {
  esc: 'f10',
  escape: 'ctrl+g',
  enter: 'alt+m',
  return: 'alt+cr',
  tab: 'f12',
  space: 'alt+b',
  ctrl: 'meta',
}
function otherKeys(text) {
  return text.replace(/\b(?:escape|esc|enter|return|tab|space|ctrl)\b/giu, name => KEYS[name.toLowerCase()])
}

const GLYPH_MAP = {
  '❯': '➤',
  '›': '▹',
  '●': '■',
  '⏺': '■',
  '•': '▪',
  '◆': '◊',
  '✦': '✧',
  '⎿': '╰',
  '└': '╰',
  '✻': '❋',
  '✽': '❁',
  '✶': '✷',
  '✢': '✥',
  '✳': '❇',
  '·': '∙',
  '⏸': '⏹',
  '☐': '▢',
  '☒': '▧',
  '✔': '✓',
  '◻': '▫',
  '◼': '▮',
  '▣': '▩',
  '△': '▲',
  '⊷': '⊸',
  '⊶': '⊹',
  '■': '▰',
  '⬝': '▱',
  '○': '◌',
  '◎': '◍',
  '◉': '◒',
}
const GLYPH = new RegExp(`[${Object.keys(GLYPH_MAP).join('')}]`, 'gu')
function otherGlyphs(text) {
  return text.replace(GLYPH, found => GLYPH_MAP[found])
}

/**
 * The same cells with other text of the same length. Spans are cut from the whole row, so that a
 * word in two styles changes once.
 */
function withText(frame, change) {
  const lines = frame.lines.map(row => {
    const text = change(row.text)
    let from = 0
    const spans = row.spans.map(span => {
      const cut = { ...span, text: text.slice(from, from + span.text.length).padEnd(span.text.length) }
      from += span.text.length
      return cut
    })
    return { ...row, text, spans }
  })
  return { ...frame, lines }
}

/**
 * The frame in a narrower terminal, before the agent redraws it. In the normal buffer long rows
 * wrap, as an emulator wraps them, and the top scrolls off; in the alternate buffer they are cut.
 */
function narrowed(frame, cols) {
  if (frame.cols <= cols) return frame
  if (frame.buffer === 'alternate') {
    const cursor = { ...frame.cursor, x: Math.min(frame.cursor.x, cols - 1) }
    return { ...frame, cols, cursor, lines: frame.lines.map(row => piece(row, 0, cols)) }
  }
  const lines = unwrapped(frame)
  const wrapped = lines.flatMap((line, at) =>
    Array.from({ length: Math.max(1, Math.ceil(line.width / cols)) }, (_, n) => ({
      at,
      n,
      row: piece(line, n * cols, cols, n > 0),
    })),
  )
  const cursorLine = lines.findLastIndex(line => line.y <= frame.cursor.y)
  const offset = (frame.cursor.y - lines[cursorLine].y) * frame.cols + frame.cursor.x
  const cursorAt = wrapped.findLastIndex(({ at, n }) => at === cursorLine && n <= Math.floor(offset / cols))
  const written = wrapped.findLastIndex(({ row }) => row.text !== '')
  // Blank rows at the bottom stay there as long as there is room.
  const first = Math.max(0, Math.max(cursorAt, written) + 1 - frame.rows)
  const cursor = { ...frame.cursor, x: offset % cols, y: cursorAt - first }
  return { ...frame, cols, cursor, lines: wrapped.slice(first, first + frame.rows).map(({ row }) => row) }
}

/** Joins rows that the terminal had wrapped; `y` is where they started. */
function unwrapped(frame) {
  const lines = []
  frame.lines.forEach((row, y) => {
    const above = lines.at(-1)
    if (!row.wrapped || !above) {
      lines.push({ ...row, y })
      return
    }
    const from = (y - above.y) * frame.cols
    above.spans = [...above.spans, ...row.spans.map(span => ({ ...span, x: span.x + from }))]
    above.text = above.text.padEnd(from) + row.text
    above.width = from + row.width
  })
  return lines
}

/**
 * Cells `from` to `from + cols` of a row. A wide cell at a cut is rare and stays where it starts.
 */
function piece(row, from, cols, wrapped = row.wrapped) {
  if (from === 0 && row.width <= cols) return row
  const spans = row.spans.flatMap(span => {
    const start = Math.max(span.x, from)
    const end = Math.min(span.x + span.width, from + cols)
    if (end <= start) return []
    const isPlain = span.text.length === span.width
    const text = isPlain ? span.text.slice(start - span.x, end - span.x) : start === span.x ? span.text : ''
    return [{ ...span, x: start - from, width: end - start, text }]
  })
  const text = spans.map(span => span.text).join('')
  return { ...row, text: text.trimEnd(), width: Math.max(0, Math.min(row.width - from, cols)), wrapped, spans }
}
