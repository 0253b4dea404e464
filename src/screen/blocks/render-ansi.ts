import type { Block, InlineRun } from './block.js'

/** Colours of the terminal rendering; `plain` leaves every mark out. */
export interface AnsiStyle {
  isColour: boolean
  width: number
}

const SGR = { bold: 1, dim: 2, italic: 3, strike: 9, red: 31, green: 32, yellow: 33, cyan: 36, grey: 90 } as const

/** Blocks as lines for a terminal. Text from agents arrives here already free of control characters (`text/visible`). */
export function renderAnsi(blocks: readonly Block[], style: AnsiStyle): string[] {
  const lines: string[] = []
  for (const block of blocks) {
    const own = renderBlock(block, style)
    if (own.length === 0) continue
    if (lines.length > 0) lines.push('')
    lines.push(...own)
  }
  return lines
}

function renderBlock(block: Block, style: AnsiStyle): string[] {
  const paint = painter(style)
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
        return wrapRuns(item.runs, style.width - head.length).map((line, index) => (index === 0 ? head : ' '.repeat(head.length)) + inline(line, style))
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
      return [`${paint('yellow', '▸')} ${paint('bold', block.tool.name)} ${block.tool.command ?? block.tool.path ?? block.tool.url ?? ''}`.trimEnd()]
    case 'tool_result': {
      const shown = block.lines.slice(0, 12)
      const more = block.lines.length - shown.length
      const all = more > 0 ? [...shown, `… +${more} lines`] : shown
      return all.map(line => `  ${paint(block.ok === false ? 'red' : 'grey', line)}`)
    }
    case 'todo':
      return block.items.map(item => `${{ done: '☑', in_progress: '◐', open: '☐' }[item.status]} ${item.text}`)
    case 'error':
      return block.text.split('\n').map(line => paint('red', line))
    default:
      return []
  }
}

function painter({ isColour }: AnsiStyle): (name: keyof typeof SGR, text: string) => string {
  return (name, text) => (isColour && text !== '' ? `\u001b[${SGR[name]}m${text}\u001b[0m` : text)
}

function inline(runs: readonly InlineRun[], style: AnsiStyle): string {
  const paint = painter(style)
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

/** Breaks runs into lines at blanks, keeping each word's marks. */
function wrapRuns(runs: readonly InlineRun[], width: number): InlineRun[][] {
  const lines: InlineRun[][] = [[]]
  let used = 0
  for (const run of runs) {
    for (const word of run.text.split(/(?<= )/)) {
      const length = word.trimEnd().length
      if (used > 0 && used + length > width) {
        lines.push([])
        used = 0
      }
      lines.at(-1)!.push({ ...run, text: word })
      used += word.length
    }
  }
  return lines
}

function renderTable(block: Extract<Block, { kind: 'table' }>, style: AnsiStyle): string[] {
  const paint = painter(style)
  const text = (cell: readonly InlineRun[]) => cell.map(run => run.text).join('')
  const rows = [block.header, ...block.body]
  const widths = block.header.map((_, column) => Math.max(...rows.map(row => text(row[column] ?? []).length)))
  const line = (row: readonly (readonly InlineRun[])[]) => widths.map((width, column) => text(row[column] ?? []).padEnd(width)).join('  ')
  return [paint('bold', line(block.header)), paint('grey', widths.map(width => '─'.repeat(width)).join('  ')), ...block.body.map(line)]
}
