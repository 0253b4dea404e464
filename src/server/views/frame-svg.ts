import type { Color, Frame, Row } from '../../terminal/index.js'
import type { Redactor } from '../../text/index.js'
import { redactSpans } from './frame-view.js'

const CELL = { width: 8, height: 17 }
const BACKGROUND = '#16181d'
const TEXT = '#d7dae0'
const BASIC = [
  '#1f2329',
  '#e06c75',
  '#98c379',
  '#e5c07b',
  '#61afef',
  '#c678dd',
  '#56b6c2',
  '#d7dae0',
  '#7f848e',
  '#ff7b86',
  '#b5e890',
  '#ffd68a',
  '#8cc8ff',
  '#dd9bf0',
  '#7fd8e4',
  '#ffffff',
]

/** A picture of a screen: only text and rectangles, so no scripts and no links. */
export function frameSvg(frame: Frame, redactor: Redactor): string {
  const width = frame.cols * CELL.width
  const height = frame.rows * CELL.height
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<rect width="${width}" height="${height}" fill="${BACKGROUND}"/>`,
    `<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13.3" fill="${TEXT}" xml:space="preserve">`,
    ...frame.lines.map((row, y) => rowSvg(row, y, redactor)),
    cursorSvg(frame),
    '</g></svg>',
  ].join('')
}

function rowSvg(row: Row, y: number, redactor: Redactor): string {
  let drawn = ''
  for (const span of redactSpans(row, redactor)) {
    const [fg, bg]: [Paint, Paint] = span.inverse ? [span.bg ?? 'back', span.fg ?? 'text'] : [span.fg, span.bg]
    const x = span.x * CELL.width
    if (bg !== null)
      drawn += `<rect x="${x}" y="${y * CELL.height}" width="${span.width * CELL.width}" height="${CELL.height}" fill="${colour(bg)}"/>`
    if (span.text.trim() === '') continue
    const style = [
      fg === null ? '' : ` fill="${colour(fg)}"`,
      span.bold ? ' font-weight="bold"' : '',
      span.italic ? ' font-style="italic"' : '',
      span.dim ? ' opacity="0.65"' : '',
      span.underline || span.strike
        ? ` text-decoration="${[span.underline && 'underline', span.strike && 'line-through'].filter(Boolean).join(' ')}"`
        : '',
    ].join('')
    const length = ` textLength="${span.width * CELL.width}" lengthAdjust="spacingAndGlyphs"`
    drawn += `<text x="${x}" y="${y * CELL.height + 13}"${length}${style}>${escapeXml(span.text)}</text>`
  }
  return drawn
}

function cursorSvg({ cursor }: Frame): string {
  if (!cursor.visible) return ''
  return `<rect x="${cursor.x * CELL.width}" y="${cursor.y * CELL.height}" width="${CELL.width}" height="${CELL.height}" fill="${TEXT}" opacity="0.5"/>`
}

type Paint = Color | 'back' | 'text'

function colour(value: Paint): string {
  if (value === 'back') return BACKGROUND
  if (value === null || value === 'text') return TEXT
  if (typeof value !== 'number') return /^#[0-9a-f]{6}$/i.test(value) ? value : TEXT
  if (value < 16) return BASIC[value]!
  if (value >= 232) return grey(8 + (value - 232) * 10)
  const cube = value - 16
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40)
  const [red, green, blue] = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level)
  return `#${[red, green, blue].map(part => part!.toString(16).padStart(2, '0')).join('')}`
}

function grey(level: number): string {
  return `#${level.toString(16).padStart(2, '0').repeat(3)}`
}

/** XML allows no control characters, not even escaped. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
}
