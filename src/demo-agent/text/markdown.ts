import { highlightLine } from './highlight.js'
import { inlineSpans } from './inline.js'
import { COLOR, FAINT, type Line, lineText } from './style.js'
import { type Align, tableLines } from './table.js'
import { fitLine, wrapSpans } from './wrap.js'

/** Markdown, perhaps incomplete, as rows of at most `width` columns, wrapped as agents do. */
export function markdownLines(markdown: string, width: number): Line[] {
  const source = markdown.replaceAll('\r\n', '\n').split('\n')
  const lines: Line[] = []
  let at = 0
  const blank = () => {
    if (lines.length > 0 && lineText(lines.at(-1)!) !== '') lines.push([])
  }
  while (at < source.length) {
    const text = source[at]!
    const fence = /^(\s*)(`{3,}|~{3,})\s*(\w*)/.exec(text)
    if (text.trim() === '') {
      blank()
      at += 1
    } else if (fence) {
      at = fenceLines(source, at, fence, width, lines)
    } else if (isTableAt(source, at)) {
      at = readTable(source, at, width, lines)
    } else if (/^#{1,6}\s/.test(text)) {
      blank()
      lines.push(...wrapSpans(inlineSpans(text.replace(/^#+\s+/, ''), { bold: true }), { width }), [])
      at += 1
    } else if (/^\s*(-{3,}|\*{3,}|_{3,})\s*$/.test(text)) {
      lines.push([{ text: '─'.repeat(Math.max(1, Math.min(24, width - 1))), style: FAINT }])
      at += 1
    } else {
      at = readParagraph(source, at, width, lines)
    }
  }
  while (lines.length > 0 && lineText(lines.at(-1)!) === '') lines.pop()
  return lines
}

/**
 * Where growing Markdown may be split so that both halves are drawn like the whole: after the last
 * blank line outside of a fence. Returns 0 when there is no such place.
 */
export function stableLength(markdown: string): number {
  let stable = 0
  let offset = 0
  let fence: string | null = null
  for (const line of markdown.split(/(?<=\n)/)) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? null
    if (mark && fence === null) fence = mark
    else if (mark && fence !== null && mark.startsWith(fence)) fence = null
    offset += line.length
    if (fence === null && line.trim() === '' && line.endsWith('\n')) stable = offset
  }
  return stable
}

const BLOCK_START = /^(\s*(`{3,}|~{3,})|#{1,6}\s|\s*([-*+]|\d+[.)])\s|\s*>|\s*$)/
const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(\[[ xX]\]\s+)?(.*)$/

function readParagraph(source: string[], start: number, width: number, lines: Line[]): number {
  const item = ITEM.exec(source[start]!)
  const quote = /^\s*>\s?(.*)$/.exec(source[start]!)
  let body = item ? item[4]! : quote ? quote[1]! : source[start]!.trim()
  let at = start + 1
  while (at < source.length && !isTableAt(source, at)) {
    const next = source[at]!
    const quoted = quote && /^\s*>\s?(.*)$/.exec(next)
    if (quoted) body += ` ${quoted[1]!}`
    else if (BLOCK_START.test(next)) break
    else body += ` ${next.trim()}`
    at += 1
  }
  if (item) {
    const level = ' '.repeat(Math.min(8, item[1]!.replaceAll('\t', '  ').length))
    const box = item[3] ? (/x/i.test(item[3]) ? '☒ ' : '☐ ') : ''
    const mark = /\d/.test(item[2]!) ? item[2]! : level === '' ? '•' : '◦'
    lines.push(
      ...wrapSpans(inlineSpans(body), {
        width,
        first: [
          { text: `${level}${mark} `, style: { fg: COLOR.steel } },
          { text: box, style: {} },
        ],
      }),
    )
  } else if (quote) {
    const bar: Line = [{ text: '▎ ', style: { fg: COLOR.steel } }]
    lines.push(...wrapSpans(inlineSpans(body, { italic: true }), { width, first: bar, rest: bar }))
  } else lines.push(...wrapSpans(inlineSpans(body), { width }))
  return at
}

function fenceLines(source: string[], start: number, fence: RegExpExecArray, width: number, lines: Line[]): number {
  let at = start + 1
  for (; at < source.length; at++) {
    const text = source[at]!
    if (text.trim().startsWith(fence[2]!) && /^\s*[`~]+\s*$/.test(text)) return at + 1
    const code = text.slice(Math.min(fence[1]!.length, text.length - text.trimStart().length)).replaceAll('\t', '  ')
    lines.push(...wrapSpans(highlightLine(code, fence[3]!), { width, hard: true, first: [{ text: '  ', style: {} }] }))
  }
  return at
}

function isTableAt(source: string[], at: number): boolean {
  return /^\s*\|.*\|\s*$/.test(source[at]!) && /^\s*\|(\s*:?-+:?\s*\|)+\s*$/.test(source[at + 1] ?? '')
}

function readTable(source: string[], start: number, width: number, lines: Line[]): number {
  let at = start + 2
  while (at < source.length && /^\s*\|/.test(source[at]!)) at += 1
  const header = cellsOf(source[start]!)
  const align = cellsOf(source[start + 1]!).map<Align>(cell =>
    /^:-+:$/.test(cell) ? 'center' : cell.endsWith(':') ? 'right' : 'left',
  )
  const rows = source
    .slice(start + 2, at)
    .filter(row => /\|\s*$/.test(row))
    .map(cellsOf)
  lines.push(...tableLines({ header, align, rows }, width).map(line => fitLine(line, width)))
  return at
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map(cell => cell.trim().replaceAll('\\|', '|'))
}
