import { displayWidth } from '../../text/index.js'
import { type Block, type InlineRun, plainText } from './block.js'
import { shortResult, toolSubject } from './tool-text.js'
import { visibleBlocks } from './visible-blocks.js'

/** Options of the terminal rendering; without `isColour` it has no escape sequences. */
export interface AnsiStyle {
  isColour: boolean
  width: number
}

const SGR = { bold: 1, dim: 2, italic: 3, strike: 9, red: 31, green: 32, yellow: 33, cyan: 36, grey: 90 } as const

/** Blocks as lines for a terminal. Text of an agent can never control the terminal. */
export function renderAnsi(blocks: readonly Block[], style: AnsiStyle): string[] {
  const lines: string[] = []
  for (const block of visibleBlocks(blocks)) {
    const own = renderBlock(block, style)
    if (own.length === 0) continue
    if (lines.length > 0) lines.push('')
    for (const line of own) lines.push(line)
  }
  return lines
}

function renderBlock(block: Block, style: AnsiStyle): string[] {
  const paint = colourPrinter(style)
  switch (block.kind) {
    case 'prose': {
      const runs = block.variant === 'heading' ? block.runs.map(run => ({ ...run, bold: true })) : block.runs
      const lines = wrapRuns(runs, style.width - (block.variant === 'quote' ? 2 : 0)).map(line => inline(line, style))
      return block.variant === 'quote' ? lines.map(line => `${paint('grey', '▎')} ${line}`) : lines
    }
    case 'code':
      return block.lines.map(line => `  ${paint('cyan', line)}`)
    case 'list':
      return block.items.flatMap(item => {
        const mark = item.number === null ? '•' : `${item.number}.`
        const box = item.checked === null ? '' : item.checked ? '☑ ' : '☐ '
        const indent = '  '.repeat(item.depth)
        const head = `${indent}${mark} ${box}`
        const width = displayWidth(head)
        return wrapRuns(item.runs, style.width - width).map(
          (line, index) => (index === 0 ? head : ' '.repeat(width)) + inline(line, style),
        )
      })
    case 'table':
      return renderTable(block, style)
    case 'diff':
      return block.lines.map(line => {
        const gutter = paint('grey', String(line.number ?? '').padStart(5))
        const text = `${line.sign} ${line.text}`
        return `${gutter} ${line.sign === '+' ? paint('green', text) : line.sign === '-' ? paint('red', text) : text}`
      })
    case 'tool_call':
      return [`${paint('yellow', '▸')} ${paint('bold', block.tool.name)} ${toolSubject(block.tool)}`.trimEnd()]
    case 'tool_result':
      return shortResult(block.lines).map(line => `  ${paint(block.ok === false ? 'red' : 'grey', line)}`)
    case 'todo':
      return block.items.map(item => `${{ done: '☑', in_progress: '◐', open: '☐' }[item.status]} ${item.text}`)
    case 'error':
      return block.text.split('\n').map(line => paint('red', line))
    default:
      return []
  }
}

function colourPrinter({ isColour }: AnsiStyle): (name: keyof typeof SGR, text: string) => string {
  return (name, text) => (isColour && text !== '' ? `\u001b[${SGR[name]}m${text}\u001b[0m` : text)
}

function inline(runs: readonly InlineRun[], style: AnsiStyle): string {
  const paint = colourPrinter(style)
  return runs
    .map(run => {
      let { text } = run
      if (run.code) text = style.isColour ? paint('cyan', text) : `\`${text}\``
      if (run.bold) text = paint('bold', text)
      if (run.italic) text = paint('italic', text)
      if (run.strike) text = paint('strike', text)
      return text
    })
    .join('')
}

/** Wraps runs into lines at blanks and at line breaks, keeping the marks of each word. */
function wrapRuns(runs: readonly InlineRun[], width: number): InlineRun[][] {
  const lines: InlineRun[][] = [[]]
  let used = 0
  const breakLine = () => {
    lines.push([])
    used = 0
  }
  for (const run of runs) {
    for (const word of run.text.split(/(?<=[ \n])/u)) {
      const cells = displayWidth(word.trimEnd())
      if (used > 0 && used + cells > width) breakLine()
      lines.at(-1)!.push({ ...run, text: word.replace('\n', '') })
      used += displayWidth(word.replace('\n', ''))
      if (word.endsWith('\n')) breakLine()
    }
  }
  return lines
}

function renderTable(block: Extract<Block, { kind: 'table' }>, style: AnsiStyle): string[] {
  const paint = colourPrinter(style)
  const rows = [block.header, ...block.body]
  const widths = block.header.map((_, column) =>
    Math.max(...rows.map(row => displayWidth(plainText(row[column] ?? [])))),
  )
  const line = (row: readonly (readonly InlineRun[])[]) =>
    widths.map((width, column) => padded(plainText(row[column] ?? []), width, block.align[column])).join('  ')
  return [
    paint('bold', line(block.header)),
    paint('grey', widths.map(width => '─'.repeat(width)).join('  ')),
    ...block.body.map(line),
  ]
}

function padded(text: string, width: number, align: 'left' | 'right' | 'center' | undefined): string {
  const free = Math.max(0, width - displayWidth(text))
  const left = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0
  return ' '.repeat(left) + text + ' '.repeat(free - left)
}
