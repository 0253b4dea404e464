import { parseInline } from '../../text/index.js'
import type { BlockContent, ListItem } from './block.js'

/**
 * Parses an agent's own Markdown from its transcript into the same blocks as the text of the
 * screen. It supports what agents write (paragraphs, headings, quotes, fenced code, lists, tables);
 * everything else is a paragraph, so no word is ever lost.
 */
export function parseMarkdown(markdown: string): BlockContent[] {
  const lines = markdown
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map(line => line.replaceAll('\t', '    '))
  const blocks: BlockContent[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!
    if (line.trim() === '' || isRule(line)) {
      at++
      continue
    }
    const [block, next] = blockAt(lines, at)
    blocks.push(...block)
    at = next
  }
  return blocks
}

type Parsed = [blocks: BlockContent[], next: number]

function blockAt(lines: readonly string[], at: number): Parsed {
  const line = lines[at]!
  if (fenceOf(line)) return code(lines, at)
  const heading = /^ {0,3}#{1,6}(?:\s+(.*?))?\s*#*\s*$/u.exec(line)
  if (heading) return [[{ kind: 'prose', variant: 'heading', runs: parseInline(heading[1] ?? '') }], at + 1]
  if (isQuote(line)) return quote(lines, at)
  if (isTable(lines, at)) return table(lines, at)
  if (markOf(line)) return list(lines, at)
  if (/^ {4}\S/u.test(line)) return indentedCode(lines, at)
  return paragraph(lines, at)
}

interface Fence {
  indent: number
  ticks: string
  language: string
}

function fenceOf(line: string): Fence | null {
  const match = /^( *)(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/u.exec(line)
  return match && { indent: match[1]!.length, ticks: match[2]!, language: match[3]! }
}

/** A fence that is never closed contains all the rest: an answer may have been cut. */
function code(lines: readonly string[], at: number): Parsed {
  const { indent, ticks, language } = fenceOf(lines[at]!)!
  const body: string[] = []
  let next = at + 1
  for (; next < lines.length; next++) {
    const mark = lines[next]!.trim()
    if (mark.startsWith(ticks) && mark === ticks[0]!.repeat(mark.length)) break
    body.push(withoutIndent(lines[next]!, indent))
  }
  const isDiff = language === 'diff' || language === 'patch'
  return [[isDiff ? diff(body) : { kind: 'code', language, lines: body }], Math.min(next + 1, lines.length)]
}

function diff(lines: readonly string[]): BlockContent {
  return {
    kind: 'diff',
    lines: lines.map(line => {
      const sign = ['+', '-', '@'].find(mark => line.startsWith(mark)) as '+' | '-' | '@' | undefined
      if (sign === '@') return { sign, number: null, text: line.slice(1) }
      return { sign: sign ?? ' ', number: null, text: sign || line.startsWith(' ') ? line.slice(1) : line }
    }),
  }
}

function indentedCode(lines: readonly string[], at: number): Parsed {
  let next = at
  while (next < lines.length && (/^ {4}/u.test(lines[next]!) || lines[next]!.trim() === '')) next++
  const body = lines.slice(at, next).map(line => line.slice(4))
  while (body.at(-1)?.trim() === '') body.pop()
  return [[{ kind: 'code', language: '', lines: body }], next]
}

function isQuote(line: string): boolean {
  return /^ {0,3}>/u.test(line)
}

/** Its lines keep their breaks: quoted text has its own layout. */
function quote(lines: readonly string[], at: number): Parsed {
  let next = at
  while (next < lines.length && isQuote(lines[next]!)) next++
  const text = lines.slice(at, next).map(line => line.replace(/^ {0,3}> ?/u, ''))
  return [[{ kind: 'prose', variant: 'quote', runs: parseInline(text.join('\n').trim()) }], next]
}

interface Mark {
  indent: number
  /** The column where the text of the item starts. */
  column: number
  number: number | null
  checked: boolean | null
  text: string
}

function markOf(line: string): Mark | null {
  const match = /^( *)([-*+•]|(\d{1,9})[.)])( +|$)(.*)$/u.exec(line)
  if (!match || isRule(line)) return null
  const [, indent, mark, number, gap, text] = match as unknown as [string, string, string, string?, string?, string?]
  const box = /^\[([ xX])\]\s+(.*)$/u.exec(text ?? '')
  return {
    indent: indent.length,
    column: indent.length + mark.length + Math.max(1, (gap ?? '').length),
    number: number === undefined ? null : Number(number),
    checked: box ? box[1] !== ' ' : null,
    text: box ? box[2]! : (text ?? ''),
  }
}

/**
 * Items with their depth. An item continues over indented lines; code or a table inside one is put
 * between the items before and after it, because items contain text only.
 */
function list(lines: readonly string[], at: number): Parsed {
  const blocks: BlockContent[] = []
  let items: (Omit<ListItem, 'runs'> & { lines: string[] })[] = []
  const columns: number[] = []
  const flush = () => {
    if (items.length > 0)
      blocks.push({
        kind: 'list',
        items: items.map(({ lines: text, ...item }) => ({ ...item, runs: parseInline(joinSoft(text)) })),
      })
    items = []
  }
  let next = at
  while (next < lines.length) {
    const line = lines[next]!
    const mark = markOf(line)
    const indent = line.length - line.trimStart().length
    if (mark) {
      while (columns.length > 0 && mark.indent < columns.at(-1)!) columns.pop()
      items.push({ depth: columns.length, number: mark.number, checked: mark.checked, lines: [mark.text] })
      columns.push(mark.column)
      next++
    } else if (line.trim() === '') {
      const after = lines.slice(next).findIndex(other => other.trim() !== '')
      const following = after < 0 ? undefined : lines[next + after]!
      const goesOn = following !== undefined && (markOf(following) !== null || /^ {2,}\S/u.test(following))
      if (!goesOn || (markOf(following) && !isSameList(markOf(following)!, items.at(-1)))) break
      next += after
    } else if (indent >= 2 && fenceOf(line)) {
      flush()
      const [inner, end] = code(lines, next)
      blocks.push(...inner)
      next = end
    } else if (indent >= 2 && isTable(lines, next)) {
      flush()
      const [inner, end] = table(lines, next)
      blocks.push(...inner)
      next = end
    } else if (startsBlock(lines, next) || (indent < 2 && lines[next - 1]!.trim() === '')) break
    else if (items.length === 0) {
      // Text after code inside an item.
      blocks.push({ kind: 'prose', variant: 'paragraph', runs: parseInline(line.trim()) })
      next++
    } else {
      items.at(-1)!.lines.push(line.trim())
      next++
    }
  }
  flush()
  return [blocks, next]
}

/** Bullets after numbers at the same depth are another list. */
function isSameList(mark: Mark, last: { number: number | null; depth: number } | undefined): boolean {
  return mark.indent >= 2 || last === undefined || (mark.number === null) === (last.number === null) || last.depth > 0
}

function isTable(lines: readonly string[], at: number): boolean {
  const rule = lines[at + 1]
  if (rule === undefined || !lines[at]!.includes('|')) return false
  if (!/^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/u.test(rule) || !rule.includes('-')) return false
  return cellsOf(lines[at]!).length === cellsOf(rule).length
}

function table(lines: readonly string[], at: number): Parsed {
  const header = cellsOf(lines[at]!)
  const align = cellsOf(lines[at + 1]!).map(cell =>
    /^:-*:$/u.test(cell) ? ('center' as const) : cell.endsWith(':') ? ('right' as const) : ('left' as const),
  )
  let next = at + 2
  while (next < lines.length && lines[next]!.trim() !== '' && lines[next]!.includes('|')) next++
  const body = lines.slice(at + 2, next).map(line => {
    const cells = cellsOf(line)
    // A row with more cells than the header keeps their words, in its last cell.
    const rest = cells.splice(header.length - 1).join(' | ')
    return header.map((_, column) => parseInline(cells[column] ?? (column === header.length - 1 ? rest : '')))
  })
  return [[{ kind: 'table', header: header.map(parseInline), body, align }], next]
}

/** A bar in a code span or after a backslash does not separate cells. */
function cellsOf(line: string): string[] {
  const text = line.trim().replace(/^\|/u, '')
  const cells = ['']
  let ticks = ''
  for (const [piece] of text.matchAll(/\\.|`+|[^\\`|]+|[\\|]/gu)) {
    if (piece === '|' && ticks === '') cells.push('')
    else {
      if (piece.startsWith('`')) {
        if (ticks === piece) ticks = ''
        else if (ticks === '' && text.split(piece).length > 2) ticks = piece
      }
      cells[cells.length - 1] += piece === '\\|' ? '|' : piece
    }
  }
  if (cells.length > 1 && cells.at(-1)!.trim() === '') cells.pop()
  return cells.map(cell => cell.trim())
}

function paragraph(lines: readonly string[], at: number): Parsed {
  let next = at + 1
  while (next < lines.length && lines[next]!.trim() !== '' && !startsBlock(lines, next)) {
    if (/^ {0,3}(?:=+|-+)\s*$/u.test(lines[next]!)) {
      const runs = parseInline(joinSoft(lines.slice(at, next)))
      return [[{ kind: 'prose', variant: 'heading', runs }], next + 1]
    }
    next++
  }
  return [[{ kind: 'prose', variant: 'paragraph', runs: parseInline(joinSoft(lines.slice(at, next))) }], next]
}

/** What ends a paragraph without a blank line; of numbers only 1: years start lines. */
function startsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at]!
  const mark = markOf(line)
  if (mark && mark.text !== '' && (mark.number === null || mark.number === 1)) return true
  const isRuled = isRule(line) && !/^ {0,3}-+\s*$/u.test(line)
  return fenceOf(line) !== null || isQuote(line) || /^ {0,3}#{1,6}\s/u.test(line) || isTable(lines, at) || isRuled
}

function isRule(line: string): boolean {
  return /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/u.test(line)
}

/** A break in a paragraph is a blank, unless two blanks or a backslash ask for one. */
function joinSoft(lines: readonly string[]): string {
  return lines.reduce((text, line, index) => {
    if (index === 0) return line.trimStart()
    const isHard = /(?: {2,}|\\)$/u.test(lines[index - 1]!)
    return `${text.replace(/(?:\s+|\\)$/u, '')}${isHard ? '\n' : ' '}${line.trimStart()}`
  }, '')
}

function withoutIndent(line: string, indent: number): string {
  const own = line.length - line.trimStart().length
  return line.slice(Math.min(own, indent))
}
