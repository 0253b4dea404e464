/** The style of a run of text. Colours are `#rrggbb`; without one it is the terminal's own. */
export interface Style {
  fg?: string
  bg?: string
  bold?: boolean
  dim?: boolean
  italic?: boolean
  underline?: boolean
  inverse?: boolean
  strike?: boolean
}

export interface Span {
  text: string
  style: Style
}

/** One row of the screen. */
export type Line = Span[]

/** The colours of the demo agent: a signal box's lamps and paint. They are named only here. */
export const COLOR = {
  amber: '#e8b04b',
  green: '#7fc08a',
  red: '#e5707a',
  blue: '#6fb3d2',
  violet: '#b79ad6',
  sand: '#d9c59a',
  steel: '#8a94a3',
  shade: '#5b6472',
  echoBg: '#26303c',
  pickBg: '#33404f',
  addBg: '#1d3326',
  delBg: '#3b2228',
} as const

const PLAIN: Style = {}
export const QUIET: Style = { fg: COLOR.steel }
export const FAINT: Style = { fg: COLOR.shade }
export const BOLD: Style = { bold: true }
export const INLINE_CODE: Style = { fg: COLOR.sand }

export function span(text: string, style: Style = PLAIN): Span {
  return { text, style }
}

export function lineText(line: Line): string {
  return line.map(part => part.text).join('')
}
