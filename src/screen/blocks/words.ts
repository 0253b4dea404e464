import { type BlockContent, plainText } from './block.js'

export function blockWords(block: BlockContent): string[] {
  return blockPlainText(block)
    .split(/\s+/u)
    .filter(word => word !== '')
}

export function blockPlainText(block: BlockContent): string {
  switch (block.kind) {
    case 'prose':
      return plainText(block.runs)
    case 'code':
    case 'tool_result':
      return block.lines.join('\n')
    case 'list':
      return block.items.map(item => plainText(item.runs)).join('\n')
    case 'table':
      return [block.header, ...block.body].map(row => row.map(plainText).join(' ')).join('\n')
    case 'diff':
      return block.lines.map(line => `${line.sign}${line.text}`).join('\n')
    case 'tool_call':
      return block.tool.summary
    case 'todo':
      return block.items.map(item => item.text).join('\n')
    default:
      return block.text
  }
}
