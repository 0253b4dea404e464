import type { Line, Style } from './style.js'

export type ColorDepth = 'none' | 'palette' | 'truecolor'

export function colorDepthOf(env: Record<string, string | undefined>): ColorDepth {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return 'none'
  if (env.TERM === 'dumb') return 'none'
  return /truecolor|24bit/i.test(env.COLORTERM ?? '') ? 'truecolor' : 'palette'
}

export function lineToAnsi(line: Line, depth: ColorDepth): string {
  let out = ''
  for (const part of line) {
    const codes = codesOf(part.style, depth)
    const text = visible(part.text)
    out += codes === '' ? text : `\x1b[${codes}m${text}\x1b[0m`
  }
  return out
}

/** Text of a scenario, a file or a command must not control the terminal through a drawn row. */
function visible(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd').replace(/[\t\n]/g, ' ')
}

function codesOf(style: Style, depth: ColorDepth): string {
  const codes: string[] = []
  if (style.bold) codes.push('1')
  if (style.dim) codes.push('2')
  if (style.italic) codes.push('3')
  if (style.underline) codes.push('4')
  if (style.inverse) codes.push('7')
  if (style.strike) codes.push('9')
  if (style.fg && depth !== 'none') codes.push(colorCode(38, style.fg, depth))
  if (style.bg && depth !== 'none') codes.push(colorCode(48, style.bg, depth))
  return codes.join(';')
}

function colorCode(target: 38 | 48, hex: string, depth: ColorDepth): string {
  const value = Number.parseInt(hex.slice(1), 16)
  const red = value >> 16
  const green = (value >> 8) & 255
  const blue = value & 255
  if (depth === 'truecolor') return `${target};2;${red};${green};${blue}`
  return `${target};5;${paletteIndex(red, green, blue)}`
}

function paletteIndex(red: number, green: number, blue: number): number {
  const spread = Math.max(red, green, blue) - Math.min(red, green, blue)
  if (spread < 24) return 232 + Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)))
  const level = (value: number) => (value < 48 ? 0 : value < 115 ? 1 : Math.round((value - 55) / 40))
  return 16 + 36 * level(red) + 6 * level(green) + level(blue)
}
