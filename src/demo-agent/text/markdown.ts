import { inlineSpans } from './inline.js'
import { BOLD, COLOR, FAINT, type Line, lineText, type Style } from './style.js'
import { fitLine, lineWidth, wrapSpans } from './wrap.js'

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
 * blank line outside a fence. Returns 0 when there is no such place.
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

const SCRIPT_WORDS =
  'async await break case catch class const continue default delete do else enum export extends finally for from function if implements import in instanceof interface let new of return static super switch this throw try type typeof var void while yield'
const WORDS: Record<string, string> = {
  js: SCRIPT_WORDS,
  py: 'and as assert async await break class continue def del elif else except finally for from global if import in is lambda not or pass raise return try while with yield',
  sh: 'case do done elif else esac export fi for function if in local return then while cd echo git npm node',
  rs: 'as async await break const continue crate else enum fn for if impl in let loop match mod move mut pub ref return self struct trait type use where while',
  go: 'break case chan const continue default defer else for func go if import interface map package range return select struct switch type var',
}
const ALIASES: Record<string, string> = {
  javascript: 'js',
  mjs: 'js',
  jsx: 'js',
  ts: 'js',
  tsx: 'js',
  typescript: 'js',
  json: 'json',
  python: 'py',
  bash: 'sh',
  shell: 'sh',
  zsh: 'sh',
  rust: 'rs',
  golang: 'go',
}
const COMMENT: Style = { fg: COLOR.steel, italic: true }
const STRING: Style = { fg: COLOR.green }
const NUMBER: Style = { fg: COLOR.amber }
const KEYWORD: Style = { fg: COLOR.violet }
const CALL: Style = { fg: COLOR.blue }

/** Colours one line of code; an unknown language gets the colour of inline code. */
function highlightLine(code: string, language: string): Line {
  const name = ALIASES[language.toLowerCase()] ?? language.toLowerCase()
  if (name === 'diff') return [{ text: code, style: diffStyle(code) }]
  if (!(name in WORDS) && name !== 'json') return [{ text: code, style: { fg: COLOR.sand } }]
  const words = new Set((WORDS[name] ?? 'true false null').split(' '))
  const comment = name === 'py' || name === 'sh' ? '#.*' : '\\/\\/.*|\\/\\*.*?\\*\\/'
  const pattern = new RegExp(
    `(${comment})|("(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\`)|\\b(\\d[\\d_.]*)\\b|([A-Za-z_$][\\w$]*)(?=(\\()?)`,
    'g',
  )
  const line: Line = []
  let last = 0
  for (const match of code.matchAll(pattern)) {
    const style = styleOf(match, words)
    if (!style) continue
    if (match.index > last) line.push({ text: code.slice(last, match.index), style: {} })
    line.push({ text: match[0], style })
    last = match.index + match[0].length
  }
  if (last < code.length || line.length === 0) line.push({ text: code.slice(last), style: {} })
  return line
}

function styleOf(match: RegExpMatchArray, words: Set<string>): Style | null {
  if (match[1]) return COMMENT
  if (match[2]) return STRING
  if (match[3]) return NUMBER
  if (match[4] && words.has(match[4])) return KEYWORD
  return match[5] ? CALL : null
}

function diffStyle(code: string): Style {
  if (code.startsWith('+')) return { fg: COLOR.green }
  if (code.startsWith('-')) return { fg: COLOR.red }
  return code.startsWith('@@') ? { fg: COLOR.blue } : {}
}

type Align = 'left' | 'right' | 'center'

interface Table {
  header: string[]
  align: Align[]
  rows: string[][]
}

/** A table with box drawing and wrapped cells; without room, `header: value` rows. */
function tableLines(table: Table, width: number): Line[] {
  const columns = table.header.length
  const natural = table.header.map((head, column) =>
    Math.max(...[head, ...table.rows.map(row => row[column] ?? '')].map(cell => cellWidth(cell))),
  )
  const room = width - (3 * columns + 1)
  if (room < columns * 3) return flatLines(table, width)
  const widths = shrink(natural, room)
  const edge = (left: string, middle: string, right: string): Line => [
    { text: left + widths.map(size => '─'.repeat(size + 2)).join(middle) + right, style: FAINT },
  ]
  const lines: Line[] = [edge('┌', '┬', '┐'), ...rowLines(table.header, widths, table.align, true), edge('├', '┼', '┤')]
  for (const row of table.rows) lines.push(...rowLines(row, widths, table.align, false))
  lines.push(edge('└', '┴', '┘'))
  return lines
}

function rowLines(cells: string[], widths: number[], align: Align[], isHeader: boolean): Line[] {
  const wrapped = widths.map((width, column) =>
    wrapSpans(inlineSpans(cells[column] ?? '', isHeader ? BOLD : {}), { width }),
  )
  const height = Math.max(...wrapped.map(lines => lines.length))
  return Array.from({ length: height }, (_, index) => {
    const line: Line = [{ text: '│', style: FAINT }]
    wrapped.forEach((lines, column) => {
      const cell = lines[index] ?? []
      const spare = widths[column]! - lineWidth(cell)
      const before = align[column] === 'right' ? spare : align[column] === 'center' ? spare >> 1 : 0
      line.push({ text: ' '.repeat(before + 1), style: {} }, ...cell)
      line.push({ text: ' '.repeat(spare - before + 1), style: {} }, { text: '│', style: FAINT })
    })
    return line
  })
}

function flatLines(table: Table, width: number): Line[] {
  return table.rows.flatMap(row =>
    table.header.flatMap((head, column) =>
      wrapSpans([{ text: `${head}: `, style: BOLD }, ...inlineSpans(row[column] ?? '')], { width }),
    ),
  )
}

function cellWidth(cell: string): number {
  return lineWidth(inlineSpans(cell))
}

/** Narrows the widest column until the row fits. */
function shrink(natural: number[], room: number): number[] {
  const widths = natural.map(width => Math.max(1, width))
  let total = widths.reduce((sum, width) => sum + width, 0)
  while (total > room) {
    widths[widths.indexOf(Math.max(...widths))]! -= 1
    total -= 1
  }
  return widths
}
