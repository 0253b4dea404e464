import type { Color, Span } from './frame.js'

/** The bits of xterm's cell words (its `buffer/Constants.ts`), as far as a span shows them. */
export const Content = {
  codePoint: 0x1fffff,
  isCombined: 0x200000,
  widthShift: 22,
} as const

export const Foreground = {
  inverse: 0x4000000,
  bold: 0x8000000,
  underline: 0x10000000,
  invisible: 0x40000000,
  strike: 0x80000000,
} as const

export const Background = {
  italic: 0x4000000,
  dim: 0x8000000,
  hasExtended: 0x10000000,
} as const

const COLOR_MODE = 0x3000000
const COLOR_MODE_RGB = 0x3000000
const COLOR_BITS = 0x3ffffff
const RGB_BITS = 0xffffff

/** The bits that make neighbouring cells look different and so end a span. */
export const FOREGROUND_STYLE =
  (COLOR_BITS | Foreground.inverse | Foreground.bold | Foreground.underline | Foreground.strike) >>> 0
export const BACKGROUND_STYLE = (COLOR_BITS | Background.italic | Background.dim) >>> 0

/** A blank cell with one of these attributes is visible. */
export function isVisibleBlank(foreground: number, background: number): boolean {
  const lines = Foreground.inverse | Foreground.underline | Foreground.strike
  return (foreground & lines) !== 0 || (background & COLOR_MODE) !== 0
}

export function makeSpan(
  x: number,
  width: number,
  text: string,
  foreground: number,
  background: number,
  link: string | undefined,
): Span {
  const span: Span = {
    x,
    width,
    text,
    fg: colorOf(foreground),
    bg: colorOf(background),
    bold: (foreground & Foreground.bold) !== 0,
    dim: (background & Background.dim) !== 0,
    italic: (background & Background.italic) !== 0,
    underline: (foreground & Foreground.underline) !== 0,
    inverse: (foreground & Foreground.inverse) !== 0,
    strike: (foreground & Foreground.strike) !== 0,
  }
  if (link !== undefined) span.link = link
  return span
}

function colorOf(word: number): Color {
  const mode = word & COLOR_MODE
  if (mode === 0) return null
  return mode === COLOR_MODE_RGB ? hexColor(word & RGB_BITS) : word & 0xff
}

/** Agents use a few dozen colours; the limit is for images drawn with cells. */
const HEX_COLORS_MAX = 4096
const hexColors = new Map<number, Color>()

function hexColor(rgb: number): Color {
  const known = hexColors.get(rgb)
  if (known !== undefined) return known
  if (hexColors.size >= HEX_COLORS_MAX) hexColors.clear()
  const color: Color = `#${rgb.toString(16).padStart(6, '0')}`
  hexColors.set(rgb, color)
  return color
}
