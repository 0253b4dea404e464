import type { Block, InlineRun } from './block.js'

/** Longest tool output that is shown whole. */
const RESULT_LINES = 12

export function renderMarkdown(blocks: readonly Block[]): string {
  return blocks
    .map(renderBlock)
    .filter(text => text !== '')
    .join('\n\n')
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'prose':
      if (block.variant === 'heading') return `## ${inline(block.runs)}`
      if (block.variant === 'quote') return `> ${inline(block.runs)}`
      return inline(block.runs)
    case 'code':
      return fence(block.lines, block.language)
    case 'list':
      return block.items
        .map(item => {
          const mark = item.number === null ? '-' : `${item.number}.`
          const box = item.checked === null ? '' : item.checked ? '[x] ' : '[ ] '
          return `${'  '.repeat(item.depth)}${mark} ${box}${inline(item.runs)}`
        })
        .join('\n')
    case 'table':
      return [
        tableRow(block.header.map(inline)),
        tableRow(block.align.map(align => ({ left: '---', right: '--:', center: ':-:' })[align])),
        ...block.body.map(row => tableRow(row.map(inline))),
      ].join('\n')
    case 'diff':
      return fence(
        block.lines.map(line => `${line.sign}${line.text}`),
        'diff',
      )
    case 'tool_call': {
      const subject = block.tool.command ?? block.tool.path ?? block.tool.url ?? block.tool.summary.slice(block.tool.name.length).trim()
      return subject ? `**${block.tool.name}** ${codeSpan(subject)}` : `**${block.tool.name}**`
    }
    case 'tool_result': {
      const shown = block.lines.slice(0, RESULT_LINES)
      const more = block.lines.length - shown.length
      return fence(more > 0 ? [...shown, `… +${more} lines`] : shown, '')
    }
    case 'todo':
      return block.items.map(item => `- [${item.status === 'done' ? 'x' : ' '}] ${item.text}`).join('\n')
    case 'error':
      return `**Error** ${escapeText(block.text)}`
    default:
      return ''
  }
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function fence(lines: readonly string[], language: string): string {
  const longest = Math.max(2, ...lines.map(line => /^\s*(`{3,})/.exec(line)?.[1]?.length ?? 0))
  const ticks = '`'.repeat(longest + 1)
  return [ticks + language, ...lines, ticks].join('\n')
}

function codeSpan(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(match => match[0].length))
  const ticks = '`'.repeat(longest + 1)
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${ticks}${pad}${text}${pad}${ticks}`
}

function inline(runs: readonly InlineRun[]): string {
  return runs.map(renderRun).join('')
}

function renderRun(run: InlineRun): string {
  if (run.code) return codeSpan(run.text)
  const [, before, middle, after] = /^(\s*)(.*?)(\s*)$/su.exec(run.text)!
  if (middle === '') return run.text
  let text = escapeText(middle!)
  if (run.strike) text = `~~${text}~~`
  if (run.italic) text = `*${text}*`
  if (run.bold) text = `**${text}**`
  if (run.link) text = `[${text}](${run.link})`
  return `${before}${text}${after}`
}

/** Escapes only where a character would act: a pair of stars or ticks, a leading mark, a tag, a link. */
function escapeText(text: string): string {
  return text
    .replace(/([\\`])/g, '\\$1')
    .replace(/(\*|_)(?=\S)(?=[^\n]*\1)/g, (mark, _: string, at: number) => (mark === '_' && /\w/.test(text[at - 1] ?? '') ? mark : `\\${mark}`))
    .replace(/^(#{1,6} |> |[-+] |\d+\. )/, match => `\\${match}`)
    .replace(/<(?=[a-z/!])/gi, '\\<')
}

