/** Created at the first use: its tables take 10 ms, which most commands never need. */
let segmenter: Intl.Segmenter | undefined

/** Code units that the segmenter gets at once: its time grows with the square of its text. */
const PIECE_CODE_UNITS = 256

const ASCII = /^[\x20-\x7e]*$/

/**
 * The grapheme clusters of a text: what a reader takes for one character each. The text is
 * segmented piece by piece; a cluster that the end of a piece may have cut starts the next piece.
 */
export function* graphemes(text: string): Generator<string> {
  if (ASCII.test(text)) {
    yield* text
    return
  }
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  let size = PIECE_CODE_UNITS
  for (let at = 0; at < text.length; ) {
    const end = at + size + (isHighSurrogate(text.charCodeAt(at + size - 1)) ? 1 : 0)
    const piece = text.slice(at, end)
    const isLast = end >= text.length
    let before: string | null = null
    for (const { segment } of segmenter.segment(piece)) {
      if (before !== null) {
        yield before
        at += before.length
        size = PIECE_CODE_UNITS
      }
      before = segment
    }
    if (isLast && before !== null) {
      yield before
      return
    }
    // The whole piece is one cluster or the start of one: a longer piece will contain its end.
    if (before?.length === piece.length) size *= 2
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
