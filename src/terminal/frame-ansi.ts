import type { Color, Frame, Row, Span } from './frame.js'

/** The bytes that draw a frame on an empty screen of its size: for a viewer that joins late. */
export function frameToAnsi(frame: Frame): string {
  let drawn = '\u001b[0m\u001b[?25l'
  frame.lines.forEach((row, y) => {
    if (row.spans.length === 0) return
    drawn += `\u001b[${y + 1};1H${rowToAnsi(row)}`
  })
  const { x, y, visible } = frame.cursor
  return `${drawn}\u001b[0m\u001b[${y + 1};${x + 1}H${visible ? '\u001b[?25h' : ''}`
}

/** One row with its colours, from the cursor position on. */
export function rowToAnsi(row: Pick<Row, 'spans'>): string {
  return row.spans.map(span => linked(span, `\u001b[0${styleCodes(span)}m${span.text}`)).join('')
}

/** Link targets contain no control characters: the emulator keeps no others. */
function linked({ link }: Span, drawn: string): string {
  return link === undefined ? drawn : `\u001b]8;;${link}\u001b\\${drawn}\u001b]8;;\u001b\\`
}

function styleCodes(span: Span): string {
  let codes = ''
  if (span.bold) codes += ';1'
  if (span.dim) codes += ';2'
  if (span.italic) codes += ';3'
  if (span.underline) codes += ';4'
  if (span.inverse) codes += ';7'
  if (span.strike) codes += ';9'
  return codes + colourCode(span.fg, 38) + colourCode(span.bg, 48)
}

function colourCode(colour: Color, base: 38 | 48): string {
  if (colour === null) return ''
  if (typeof colour === 'number') return `;${base};5;${colour}`
  const [red, green, blue] = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16))
  return `;${base};2;${red};${green};${blue}`
}
