import type { Row } from '../../terminal/index.js'
import type { Pack } from '../pack/pack.js'
import { colourText } from '../style-match.js'

export type RowKind = 'table' | 'diff' | 'code' | 'list' | 'quote' | 'heading' | 'text' | 'blank'

const FRAME = /^[\s]*[┌├└╭╰][─┬┼┴╮╯┐┤┘━╌ ]+$/u
const TABLE_ROW = /^\s*[│┃].*[│┃]\s*$/u
const DIFF_ROW = /^\s*\d+\s*[+-](?:\s|$)|^\s*\d+\s+[+-]\s?|^@@ /u
export const LIST_MARK = /^(?<indent>\s*)(?:(?<bullet>[-*•◦▪])|(?<number>\d{1,3})[.)])\s+(?:(?<check>\[[ xX✔]\]|[☐☑☒◻✔])\s+)?(?=\S)/u

/** What a row of an answer is by its characters and colours, before its neighbours are asked. `text` is the row without the block's mark. */
export function rowKind(row: Row, text: string, from: number, pack: Pack): RowKind {
  if (text.trim() === '') return 'blank'
  if (FRAME.test(text) || TABLE_ROW.test(text)) return 'table'
  if (DIFF_ROW.test(text) && hasDiffColour(row, from)) return 'diff'
  if (LIST_MARK.test(text)) return 'list'
  if (isCode(row, from, pack)) return 'code'
  if (/^\s*(?:▎|│)\s/u.test(text)) return 'quote'
  if (isHeading(row, text, from)) return 'heading'
  return 'text'
}

function visibleSpans(row: Row, from: number) {
  return row.spans.filter(span => span.x + span.width > from && span.text.trim() !== '')
}

function hasDiffColour(row: Row, from: number): boolean {
  return visibleSpans(row, from).some(span => isRedOrGreen(span.fg) || isRedOrGreen(span.bg))
}

function isRedOrGreen(colour: Row['spans'][number]['fg']): boolean {
  if (typeof colour === 'number') return [1, 2, 9, 10].includes(colour)
  if (colour === null) return false
  const [red, green, blue] = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16)) as [number, number, number]
  return (red > green * 1.3 && red > blue * 1.2) || (green > red * 1.2 && green > blue * 1.2)
}

/** At least two foreground colours that are neither the default nor those of inline code and links, or a background of its own. */
function isCode(row: Row, from: number, pack: Pack): boolean {
  const spans = visibleSpans(row, from)
  const colours = new Set(spans.filter(span => span.fg !== null && !span.link && !pack.text.inlineCodeFg.includes(colourText(span.fg))).map(span => colourText(span.fg)))
  const hasBackground = spans.length > 0 && spans.every(span => span.bg !== null && span.bg === spans[0]!.bg)
  return colours.size >= 2 || hasBackground
}

function isHeading(row: Row, text: string, from: number): boolean {
  const spans = visibleSpans(row, from)
  return spans.length > 0 && spans.every(span => span.bold || span.underline) && !/[.,;]$/u.test(text.trim())
}
