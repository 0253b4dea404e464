import type { Frame, Row } from '../terminal/index.js'
import type { Composer } from './observation.js'
import type { Region } from './region.js'

const PROMPT_GLYPH = /^(\s*[│┃|]?\s*)([❯›>▷→!»])([\s\u00a0]|$)/u
const PASTE_MARK = /\[Pasted text #\d+[^\]]*\]/g

/**
 * Reads the input box: what stands in it, and whether that is a draft or a placeholder. A placeholder is drawn dim or in grey, a draft is
 * not; the cell under the drawn cursor is inverse and belongs to neither.
 */
export function readComposer(frame: Frame, box: Region): Composer {
  const inner = bodyRows(frame, box)
  const texts: string[] = []
  let placeholder = ''
  let isShell = false
  inner.forEach((row, index) => {
    const glyph = PROMPT_GLYPH.exec(row.text)
    const start = glyph && index === 0 ? glyph[1]!.length + glyph[2]!.length + (glyph[3]?.length ?? 0) : indentOf(row, index)
    if (index === 0 && glyph?.[2] === '!') isShell = true
    const parts = splitByDimness(row, start)
    texts.push(parts.plain)
    if (index === 0) placeholder = parts.dim
  })
  const draft = trimDraft(texts)
  return {
    empty: draft === '',
    draft,
    placeholder: draft === '' ? placeholder.trim() : '',
    shell: isShell,
    pasted: draft.match(PASTE_MARK)?.length ?? 0,
    queued: [],
    completion: null,
    rows: [box.first, box.last],
  }
}

function bodyRows(frame: Frame, box: Region): Row[] {
  const rows = frame.lines.slice(box.first, box.last + 1)
  return rows.filter((row, index) => !(isEdge(row) && (index === 0 || index === rows.length - 1)))
}

function isEdge(row: Row): boolean {
  return /^[\s─━═▔▁▄▀╭╮╰╯┌┐└┘╹╻┃▂]*[─━▔▁▄▀═▂]{3}/u.test(row.text)
}

function indentOf(row: Row, index: number): number {
  return index === 0 ? 0 : Math.min(2, row.text.length - row.text.trimStart().length)
}

/** The text right of `start`, apart: plain cells, and cells in a dim or grey style. */
function splitByDimness(row: Row, start: number): { plain: string; dim: string } {
  let plain = ''
  let dim = ''
  for (const span of row.spans) {
    if (span.x + span.width <= start) continue
    const text = span.x >= start ? span.text : span.text.slice(start - span.x)
    if (span.dim || isGrey(span.fg)) dim += text
    // The drawn cursor stands on the placeholder's first cell.
    else if (span.inverse && span.width === 1 && plain.trim() === '') dim += text
    else plain += text
  }
  return plain.trim() === '' ? { plain: '', dim: dim + plain } : { plain: plain + dim, dim: '' }
}

function isGrey(colour: Row['spans'][number]['fg']): boolean {
  if (typeof colour === 'number') return colour === 8 || (colour >= 236 && colour <= 247)
  if (colour === null) return false
  const [red, green, blue] = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16)) as [number, number, number]
  return Math.max(red, green, blue) - Math.min(red, green, blue) < 32 && red > 0x50 && red < 0xc0
}

function trimDraft(lines: string[]): string {
  return lines
    .map(line => line.replace(/[\s\u00a0]+$/u, ''))
    .join('\n')
    .replace(/\n+$/, '')
    .trim()
}
