import { displayWidth, graphemes, truncate } from '../text/index.js'
import type { CommandContext, Style } from './context.js'

/** A piece of a line in one style. `ansi` replaces `text` on terminals with colours. */
export interface Cell {
  text: string
  style?: Style
  ansi?: string
}

export type Line = readonly Cell[]

/** Cuts or pads to exactly this many columns. */
export function toWidth(text: string, width: number): string {
  if (width <= 0) return ''
  const cut = truncate(text, width)
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)))
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + displayWidth(text), 0)
}

/** A line of exactly this many columns; what does not fit is cut off. */
export function fitLine(line: Line, width: number): Cell[] {
  const fitted: Cell[] = []
  let left = width
  for (const cell of line) {
    if (left <= 0) break
    const own = displayWidth(cell.text)
    fitted.push(own <= left ? cell : { ...(cell.style && { style: cell.style }), text: toWidth(cell.text, left) })
    left -= Math.min(own, left)
  }
  return left > 0 ? [...fitted, { text: ' '.repeat(left) }] : fitted
}

/**
 * Breaks a line so that nothing is cut off: at `width`, or without a mark after a word. The
 * following lines begin with `mark`, so that text of an agent cannot look like text of Signalbox.
 */
export function wrapLine(line: Line, width: number, mark = ''): Cell[][] {
  if (lineWidth(line) <= width) return [[...line]]
  const room = Math.max(1, width - displayWidth(mark))
  const lines: Cell[][] = [[]]
  let left = width
  for (const { text, style } of line) {
    let kept = ''
    const keep = () => {
      if (kept !== '') lines.at(-1)!.push({ text: kept, ...(style && { style }) })
      kept = ''
    }
    for (const cluster of graphemes(text)) {
      const own = displayWidth(cluster)
      if (own > left) {
        // Text of Signalbox breaks after a word; text of an agent, which has a mark, anywhere.
        const end = mark === '' ? kept.lastIndexOf(' ') + 1 : 0
        const word = end > 0 ? kept.slice(end) : ''
        kept = kept.slice(0, kept.length - word.length)
        keep()
        lines.push(mark === '' ? [] : [{ text: mark, ...(style && { style }) }])
        kept = word
        left = room - displayWidth(word)
      }
      kept += cluster
      left -= own
    }
    keep()
  }
  return lines
}

export function paintLine(line: Line, { style }: Pick<CommandContext, 'style'>, hasColours = true): string {
  return line
    .map(cell => {
      if (cell.ansi !== undefined && hasColours) return cell.ansi
      return cell.style ? style(cell.style, cell.text) : cell.text
    })
    .join('')
}
