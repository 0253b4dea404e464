import { type Color, memoizeByObject, type Row } from '../terminal/index.js'

/*
 * How much the text of a screen stands out from its background. Themes draw their text in any grey,
 * and what is to be read second in another one: which of them a grey is shows only next to the
 * other text.
 */
export interface TextContrast {
  /** The background of most text; null if it is the terminal's own. */
  page: Color
  /** The contrast of the screen's own text to it; 0 if its colours are the terminal's own. */
  contrast: number
}

/** What is known if the text has the terminal's own colours. */
const UNKNOWN_CONTRAST: TextContrast = { page: null, contrast: 0 }

/** A colour with less of the text is that of a mark, a title or a link. */
const SHARE_MIN = 0.04

/**
 * The most legible colour with a share of the text: a screen may show more hints and output than
 * text.
 */
export function textContrast(rows: readonly Row[]): TextContrast {
  const colours = new Map<Color, number>()
  const grounds = new Map<Color, number>()
  let all = 0
  for (const row of rows)
    for (const { fg, bg, count } of lettersOf(row)) {
      colours.set(fg, (colours.get(fg) ?? 0) + count)
      grounds.set(bg, (grounds.get(bg) ?? 0) + count)
      all += count
    }
  const page = [...grounds].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null
  let contrast = 0
  for (const [colour, count] of colours) {
    if (count < all * SHARE_MIN) continue
    const own = contrastOf(colour, page)
    if (own === null) return UNKNOWN_CONTRAST
    contrast = Math.max(contrast, own)
  }
  return { page, contrast }
}

/** How many letters and digits have which colours; dim text is read second in every theme. */
const lettersOf = memoizeByObject((row: Row): { fg: Color; bg: Color; count: number }[] =>
  row.spans.flatMap(({ text, fg, bg, dim, inverse }) => {
    const count = dim || inverse ? 0 : (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0)
    return count === 0 ? [] : [{ fg, bg, count }]
  }),
)

/**
 * From 1 to 21, as accessibility guidelines define it; null if the colour is the terminal's own or
 * one that its theme chooses. An unknown background is the one that the colour can be read on.
 */
export function contrastOf(fg: Color, bg: Color): number | null {
  const text = luminance(fg)
  if (text === null) return null
  const ground = luminance(bg) ?? (text > 0.18 ? 0 : 1)
  return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05)
}

function luminance(colour: Color): number | null {
  const parts = rgbOf(colour)
  if (parts === null) return null
  const [red, green, blue] = parts.map(part => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The first 16 colours of the palette belong to the terminal's theme; the others are fixed. */
function rgbOf(colour: Color): number[] | null {
  if (colour === null) return null
  if (typeof colour === 'string') return [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16))
  if (colour < 16) return null
  if (colour >= 232) return [1, 1, 1].map(() => 8 + 10 * (colour - 232))
  return [36, 6, 1].map(step => [0, 95, 135, 175, 215, 255][Math.floor((colour - 16) / step) % 6]!)
}
