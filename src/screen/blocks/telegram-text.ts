import { displayWidth } from '../../text/index.js'
import type { Block, InlineRun } from './block.js'
import { plainText } from './block.js'
import { shortResult, toolSubject } from './tool-text.js'

/** Text and its tags, outermost first: where the text is split, they close and reopen. */
export interface TaggedText {
  text: string
  tags: readonly string[]
}

/** Tables up to this width fit a phone. */
const TABLE_CELLS = 46
const INDENT = '\u00a0\u00a0'
/** Names that Telegram would turn into links to a domain. */
const FILE_NAME =
  /(?<![\w/.@-])(?:[\w-]+[./])*[\w-]+\.(?:py|rs|sh|md|js|ts|go|cc|pl|ps|so|tf|ml|mk|cs|id|in|is|io|me|app|zip|mov|dev|rb|java|tsx|jsx|mjs|cjs|json|toml|yaml|yml|txt|log|lock|html|css|c|h)(?![\w-]|\.\w)/giu

export function telegramText(block: Block): TaggedText[] {
  switch (block.kind) {
    case 'prose':
      return inline(block.runs, { paragraph: [], heading: ['b'], quote: ['blockquote'] }[block.variant])
    case 'code':
      return [preformatted(block.lines, block.language)]
    case 'diff':
      return [
        preformatted(
          block.lines.map(line => `${line.sign}${line.text}`),
          'diff',
        ),
      ]
    case 'list':
      return block.items.flatMap((item, index) => {
        const mark = item.checked === null ? (item.number === null ? '•' : `${item.number}.`) : item.checked ? '☑' : '☐'
        return [plain(`${index > 0 ? '\n' : ''}${INDENT.repeat(item.depth)}${mark} `), ...inline(item.runs, [])]
      })
    case 'table':
      return table(block)
    case 'tool_call': {
      const subject = toolSubject(block.tool)
      const name = { text: block.tool.name, tags: ['b'] }
      return subject ? [name, plain(' '), { text: subject, tags: ['code'] }] : [name]
    }
    case 'tool_result':
      return [{ text: shortResult(block.lines).join('\n'), tags: ['blockquote expandable'] }]
    case 'todo':
      return [
        plain(
          block.items.map(item => `${{ done: '☑', in_progress: '◐', open: '☐' }[item.status]} ${item.text}`).join('\n'),
        ),
      ]
    case 'error':
      return [{ text: 'Error', tags: ['b'] }, plain(` ${block.text}`)]
    default:
      return []
  }
}

function plain(text: string): TaggedText {
  return { text, tags: [] }
}

function preformatted(lines: readonly string[], language: string): TaggedText {
  const name = /^[\w+#.-]+$/u.test(language) ? language : ''
  return { text: lines.join('\n'), tags: name ? ['pre', `code class="language-${name}"`] : ['pre'] }
}

function inline(runs: readonly InlineRun[], outer: readonly string[]): TaggedText[] {
  return runs.flatMap(run => {
    const tags = [
      ...outer,
      ...(run.link && /^(?:https?|tg|mailto):/iu.test(run.link) ? [`a href="${escapeAttribute(run.link)}"`] : []),
      ...(run.bold && !outer.includes('b') ? ['b'] : []),
      ...(run.italic ? ['i'] : []),
      ...(run.strike ? ['s'] : []),
      ...(run.code ? ['code'] : []),
    ]
    return run.code || run.link ? [{ text: run.text, tags }] : withFileNames(run.text, tags)
  })
}

function withFileNames(text: string, tags: readonly string[]): TaggedText[] {
  const parts: TaggedText[] = []
  let at = 0
  for (const match of text.matchAll(FILE_NAME)) {
    if (match.index > at) parts.push({ text: text.slice(at, match.index), tags })
    parts.push({ text: match[0], tags: [...tags, 'code'] })
    at = match.index + match[0].length
  }
  if (at < text.length) parts.push({ text: text.slice(at), tags })
  return parts
}

function table(block: Extract<Block, { kind: 'table' }>): TaggedText[] {
  const rows = [block.header, ...block.body].map(row =>
    block.header.map((_, column) => plainText(row[column] ?? []).replaceAll('\n', ' ')),
  )
  const widths = block.header.map((_, column) => Math.max(...rows.map(row => displayWidth(row[column]!))))
  const width = widths.reduce((sum, own) => sum + own, 0) + 2 * Math.max(0, widths.length - 1)
  if (width <= TABLE_CELLS) {
    const rule = widths.map(own => '─'.repeat(own)).join('  ')
    const lines = rows.map(row =>
      row
        .map((text, column) => padded(text, widths[column]!, block.align[column] ?? 'left'))
        .join('  ')
        .trimEnd(),
    )
    return [{ text: [lines[0]!, rule, ...lines.slice(1)].join('\n'), tags: ['pre'] }]
  }
  return block.body.flatMap((row, index) => {
    const [first = [], ...others] = row
    const values = others.flatMap((cell, column) => {
      if (cell.length === 0) return []
      const name = plainText(block.header[column + 1] ?? [])
      return [[plain(name === '' ? '' : `${name}: `), ...inline(cell, [])]]
    })
    const tail = values.flatMap((value, at) => [plain(at === 0 ? ' — ' : '; '), ...value])
    return [plain(index > 0 ? '\n• ' : '• '), ...inline(first, ['b']), ...tail]
  })
}

function padded(text: string, width: number, align: 'left' | 'right' | 'center'): string {
  const free = Math.max(0, width - displayWidth(text))
  const left = align === 'left' ? 0 : align === 'right' ? free : Math.floor(free / 2)
  return ' '.repeat(left) + text + ' '.repeat(free - left)
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
