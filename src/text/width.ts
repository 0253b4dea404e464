/**
 * How many terminal cells a text takes, by grapheme cluster, ambiguous width as one cell. The table is East Asian Wide and Fullwidth of
 * Unicode 15 without the emoji, which the engine's own property gives.
 */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0x4dbf],
  [0x4e00, 0xa4c6],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x16ff1],
  [0x17000, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x1f200, 0x1f202],
  [0x1f210, 0x1f23b],
  [0x1f240, 0x1f248],
  [0x1f250, 0x1f251],
  [0x20000, 0x3fffd],
]

const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Regional_Indicator}{2}/u
const ZERO = /^[\p{Mn}\p{Me}\p{Cc}\p{Cf}\p{Cs}\u1160-\u11ff]$/u
const ASCII = /^[\x20-\x7e]*$/

// The halfwidth sound marks extend the cluster before them, but take a cell of their own.
const HALFWIDTH_MARKS = /^[\uff9e\uff9f]$/

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Code units that are given to the segmenter at once: it takes time that grows with the square of its text. */
const PIECE = 256

/** Characters that are a cluster of their own beside each other: no marks, no joiners, no emoji. */
const SIMPLE =
  /^[\x20-\x7e\u00a1-\u00ac\u00af-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f\u25a0-\u25fc\u3041-\u3096\u4e00-\u9fff]*$/

export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  if (SIMPLE.test(text)) {
    for (let at = 0; at < text.length; at++) width += text.charCodeAt(at) < 0x3041 ? 1 : 2
    return width
  }
  for (const cluster of graphemes(text)) width += clusterWidth(cluster)
  return width
}

/** What a reader takes for one character each. Text is segmented piece by piece; a cluster that a piece's end may have cut begins the next. */
export function* graphemes(text: string): Generator<string> {
  let size = PIECE
  for (let at = 0; at < text.length; ) {
    const end = at + size + (isHighSurrogate(text.charCodeAt(at + size - 1)) ? 1 : 0)
    const piece = text.slice(at, end)
    const isLast = end >= text.length
    let before: string | null = null
    for (const { segment } of segmenter.segment(piece)) {
      if (before !== null) {
        yield before
        at += before.length
        size = PIECE
      }
      before = segment
    }
    if (isLast && before !== null) {
      yield before
      return
    }
    // All of the piece is one cluster, or its end: with more of the text the cluster ends somewhere.
    if (before?.length === piece.length) size *= 2
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function clusterWidth(cluster: string): number {
  if (EMOJI.test(cluster)) return 2
  let width = 0
  for (const character of cluster) width += characterWidth(character)
  return Math.min(width, 2)
}

function characterWidth(character: string): number {
  if (HALFWIDTH_MARKS.test(character)) return 1
  if (ZERO.test(character)) return 0
  const point = character.codePointAt(0)!
  if (point < 0x1100) return 1
  return WIDE.some(([first, last]) => point >= first && point <= last) ? 2 : 1
}

/** Cuts to at most `cells`, never inside a cluster, with `…` where something is missing. */
export function truncate(text: string, cells: number, options: { from?: 'end' | 'start' | 'middle' } = {}): string {
  if (displayWidth(text) <= cells) return text
  if (cells <= 0) return ''
  const room = cells - 1
  const from = options.from ?? 'end'
  if (from === 'start') return `…${lastCells(text, room)}`
  if (from === 'end') return `${firstCells(text, room)}…`
  return `${firstCells(text, Math.ceil(room / 2))}…${lastCells(text, Math.floor(room / 2))}`
}

function firstCells(text: string, cells: number): string {
  return takeClusters(clustersOf(text), cells).join('')
}

function lastCells(text: string, cells: number): string {
  return takeClusters(clustersOf(text).reverse(), cells).reverse().join('')
}

function clustersOf(text: string): string[] {
  return [...graphemes(text)]
}

function takeClusters(clusters: readonly string[], cells: number): string[] {
  let width = 0
  const end = clusters.findIndex(cluster => {
    width += clusterWidth(cluster)
    return width > cells
  })
  return end < 0 ? [...clusters] : clusters.slice(0, end)
}

/** Breaks at blanks so that no line is wider than `cells`; a word that is wider by itself is cut. Line breaks of the text stay. */
export function wrapWords(text: string, cells: number): string[] {
  const limit = Math.max(2, cells)
  return text.split('\n').flatMap(line => wrapLine(line, limit))
}

function wrapLine(line: string, cells: number): string[] {
  const lines: string[] = []
  let current = ''
  let width = 0
  // Indentation belongs to the first word: it is layout, not a place to break.
  for (const word of line.match(/^\s*\S+|\s+\S+/g) ?? []) {
    const wordWidth = displayWidth(word)
    if (width + wordWidth <= cells) {
      current += word
      width += wordWidth
      continue
    }
    if (current !== '') lines.push(current)
    current = lines.length > 0 ? word.trimStart() : word
    for (width = displayWidth(current); width > cells; width = displayWidth(current)) {
      const part = firstCells(current, cells)
      lines.push(part)
      current = current.slice(part.length)
    }
  }
  lines.push(current)
  return lines
}
