// Cell widths: wide and emoji characters take two cells, combining marks none, everything ambiguous one (spec/screen.md §2.5).

const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x23e9, 0x23ec],
  [0x23f0, 0x23f0],
  [0x23f3, 0x23f3],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x267f, 0x267f],
  [0x2693, 0x2693],
  [0x26a1, 0x26a1],
  [0x26aa, 0x26ab],
  [0x26bd, 0x26be],
  [0x26c4, 0x26c5],
  [0x26ce, 0x26ce],
  [0x26d4, 0x26d4],
  [0x26ea, 0x26ea],
  [0x26f2, 0x26f3],
  [0x26f5, 0x26f5],
  [0x26fa, 0x26fa],
  [0x26fd, 0x26fd],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x2728, 0x2728],
  [0x274c, 0x274c],
  [0x274e, 0x274e],
  [0x2753, 0x2755],
  [0x2757, 0x2757],
  [0x2795, 0x2797],
  [0x27b0, 0x27b0],
  [0x27bf, 0x27bf],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b50],
  [0x2b55, 0x2b55],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f18e],
  [0x1f191, 0x1f19a],
  [0x1f200, 0x1f265],
  [0x1f300, 0x1f320],
  [0x1f32d, 0x1f335],
  [0x1f337, 0x1f37c],
  [0x1f37e, 0x1f393],
  [0x1f3a0, 0x1f3ca],
  [0x1f3cf, 0x1f3d3],
  [0x1f3e0, 0x1f3f0],
  [0x1f3f4, 0x1f3f4],
  [0x1f3f8, 0x1f43e],
  [0x1f440, 0x1f440],
  [0x1f442, 0x1f4fc],
  [0x1f4ff, 0x1f53d],
  [0x1f54b, 0x1f567],
  [0x1f57a, 0x1f57a],
  [0x1f595, 0x1f596],
  [0x1f5a4, 0x1f5a4],
  [0x1f5fb, 0x1f64f],
  [0x1f680, 0x1f6c5],
  [0x1f6cc, 0x1f6cc],
  [0x1f6d0, 0x1f6d7],
  [0x1f6dc, 0x1f6df],
  [0x1f6eb, 0x1f6ec],
  [0x1f6f4, 0x1f6fc],
  [0x1f7e0, 0x1f7f0],
  [0x1f90c, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
]

const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]$/u
const ASCII = /^[\x20-\x7e]*$/
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

function isWide(codePoint: number): boolean {
  if (codePoint < 0x1100) return false
  let low = 0
  let high = WIDE.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const [first, last] = WIDE[middle]!
    if (codePoint < first) high = middle - 1
    else if (codePoint > last) low = middle + 1
    else return true
  }
  return false
}

export function graphemes(text: string): string[] {
  return ASCII.test(text) ? [...text] : Array.from(segmenter.segment(text), part => part.segment)
}

export function graphemeWidth(grapheme: string): number {
  const first = grapheme.codePointAt(0) ?? 0
  if (first < 0x20 || (first >= 0x7f && first < 0xa0)) return 0
  if (isWide(first) || grapheme.includes('\ufe0f') || isRegionalPair(grapheme)) return 2
  if (ZERO.test(String.fromCodePoint(first))) return 0
  // Half-width voicing marks join the letter before them, but have a cell of their own.
  return grapheme.length === 1 ? 1 : 1 + (grapheme.slice(1).match(/[\uff9e\uff9f]/g)?.length ?? 0)
}

function isRegionalPair(grapheme: string): boolean {
  const first = grapheme.codePointAt(0) ?? 0
  return first >= 0x1f1e6 && first <= 0x1f1ff && grapheme.length > 2
}

export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme)
  return width
}

/** The longest beginning of `text` that fits, with `…` in its last cell when something was cut. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  if (width <= 0) return ''
  let kept = ''
  let used = 0
  for (const grapheme of graphemes(text)) {
    const next = graphemeWidth(grapheme)
    if (used + next > width - 1) break
    kept += grapheme
    used += next
  }
  return `${kept}…`
}

export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}
