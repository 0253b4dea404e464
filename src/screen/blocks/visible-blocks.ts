import { visibleText } from '../../text/index.js'
import type { Block, BlockContent, InlineRun } from './block.js'

/** Shows control and hidden characters as marks. All output goes through this. */
export function visibleBlocks<T extends Block>(blocks: readonly T[]): T[] {
  return blocks.map(block => ({ ...block, ...visibleContent(block) }))
}

function line(text: string): string {
  return visibleText(text, { newlines: 'blank' })
}

function runs(list: readonly InlineRun[]): InlineRun[] {
  return list.map(run => ({
    ...run,
    text: visibleText(run.text),
    ...(run.link !== undefined && { link: line(run.link) }),
  }))
}

function visibleContent(block: BlockContent): BlockContent {
  switch (block.kind) {
    case 'prose':
      return { ...block, runs: runs(block.runs) }
    case 'code':
      return { ...block, language: line(block.language), lines: block.lines.map(line) }
    case 'tool_result':
      return { ...block, lines: block.lines.map(line) }
    case 'list':
      return { ...block, items: block.items.map(item => ({ ...item, runs: runs(item.runs) })) }
    case 'table':
      return { ...block, header: block.header.map(runs), body: block.body.map(row => row.map(runs)) }
    case 'diff':
      return { ...block, lines: block.lines.map(row => ({ ...row, text: line(row.text) })) }
    case 'tool_call': {
      const { name, summary, command, path, url } = block.tool
      const subject = {
        ...(command !== undefined && { command: line(command) }),
        ...(path !== undefined && { path: line(path) }),
        ...(url !== undefined && { url: line(url) }),
      }
      return { ...block, tool: { ...block.tool, name: line(name), summary: line(summary), ...subject } }
    }
    case 'todo':
      return { ...block, items: block.items.map(item => ({ ...item, text: line(item.text) })) }
    default:
      return { ...block, text: visibleText(block.text) }
  }
}
