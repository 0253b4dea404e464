import type { Block, InlineRun } from './block.js'
import { escapeMarkdown } from './escape-markdown.js'
import { shortResult, toolSubject } from './tool-text.js'
import { visibleBlocks } from './visible-blocks.js'

export function renderMarkdown(blocks: readonly Block[]): string {
  return visibleBlocks(blocks)
    .map(renderBlock)
    .filter(text => text !== '')
    .join('\n\n')
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'prose': {
      const text = inline(block.runs, { isStart: block.variant !== 'heading' })
      if (block.variant === 'heading') return `## ${text.replaceAll('\n', ' ')}`
      return block.variant === 'quote' ? prefixed(text, '> ') : text
    }
    case 'code':
      return fence(block.lines, block.language)
    case 'list': {
      // Nested items are below the text of their parent item, not below its mark.
      const widths: number[] = []
      return block.items
        .map(item => {
          const mark = item.number === null ? '-' : `${item.number}.`
          const box = item.checked === null ? '' : item.checked ? '[x] ' : '[ ] '
          while (widths.length < item.depth) widths.push(2)
          widths.length = item.depth
          const indent = ' '.repeat(widths.reduce((sum, width) => sum + width, 0))
          widths.push(mark.length + 1)
          const text = inline(item.runs, { isStart: true }).replaceAll(
            '\n',
            `\n${indent}${' '.repeat(mark.length + 1)}`,
          )
          return `${indent}${mark} ${box}${text}`
        })
        .join('\n')
    }
    case 'table':
      return [
        tableRow(block.header.map(cell)),
        tableRow(block.align.map(align => ({ left: '---', right: '--:', center: ':-:' })[align])),
        ...block.body.map(row => tableRow(row.map(cell))),
      ].join('\n')
    case 'diff':
      return fence(
        block.lines.map(line => `${line.sign}${line.text}`),
        'diff',
      )
    case 'tool_call': {
      const subject = toolSubject(block.tool)
      return subject
        ? `**${escapeMarkdown(block.tool.name, false)}** ${codeSpan(subject)}`
        : `**${escapeMarkdown(block.tool.name, false)}**`
    }
    case 'tool_result':
      return fence(shortResult(block.lines), '')
    case 'todo':
      return block.items
        .map(item => `- [${item.status === 'done' ? 'x' : ' '}] ${escapeMarkdown(item.text, false)}`)
        .join('\n')
    case 'error':
      return `**Error** ${escapeMarkdown(block.text, false)}`
    default:
      return ''
  }
}

function prefixed(text: string, mark: string): string {
  return text
    .split('\n')
    .map(line => `${mark}${line}`.trimEnd())
    .join('\n')
}

function cell(runs: readonly InlineRun[]): string {
  return inline(runs, { isStart: false }).replaceAll('\n', ' ').replaceAll('|', '\\|')
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function fence(lines: readonly string[], language: string): string {
  const longest = Math.max(2, ...lines.map(line => /^\s*(`{3,})/u.exec(line)?.[1]?.length ?? 0))
  const ticks = '`'.repeat(longest + 1)
  return [ticks + language, ...lines, ticks].join('\n')
}

function codeSpan(text: string): string {
  let longest = 0
  for (const [ticks] of text.matchAll(/`+/gu)) longest = Math.max(longest, ticks.length)
  const ticks = '`'.repeat(longest + 1)
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${ticks}${pad}${text}${pad}${ticks}`
}

function inline(runs: readonly InlineRun[], { isStart }: { isStart: boolean }): string {
  let text = ''
  for (const run of runs) text += renderRun(run, isStart && (text === '' || text.endsWith('\n')))
  return text
}

function renderRun(run: InlineRun, isStart: boolean): string {
  const middle = run.text.trim()
  if (middle === '') return run.text
  const start = run.text.length - run.text.trimStart().length
  const [before, after] = [run.text.slice(0, start), run.text.slice(start + middle.length)]
  if (run.code) return `${before}${codeSpan(middle)}${after}`
  let text = escapeMarkdown(middle, isStart && !run.bold && !run.italic && !run.strike && !run.link)
  if (run.strike) text = `~~${text}~~`
  if (run.italic) text = `*${text}*`
  if (run.bold) text = `**${text}**`
  // An address alone is already a link.
  if (run.link && run.link !== middle) text = `[${text}](${run.link.replace(/[()\s]/gu, encodeURIComponent)})`
  return `${before}${text}${after}`
}
