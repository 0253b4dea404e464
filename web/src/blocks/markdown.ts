import type { InlineRun } from '../api/types'
import type { ShownBlock } from './blocks'

type Content<B> = B extends ShownBlock ? Omit<B, 'id'> : never

/**
 * Markdown as blocks: headings, paragraphs, lists with depth and check boxes, quotes, fenced code.
 * All other Markdown stays text; nothing becomes an image, a link or an element of the page.
 */
export function markdownBlocks(text: string): ShownBlock[] {
  const blocks: ShownBlock[] = []
  const add = (block: Content<ShownBlock>) => blocks.push({ ...block, id: `m${blocks.length}` } as ShownBlock)
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  let paragraph: string[] = []
  const endParagraph = () => {
    if (paragraph.length > 0) add({ kind: 'prose', variant: 'paragraph', runs: runsOf(paragraph.join(' ')) })
    paragraph = []
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const fence = /^\s*(`{3,}|~{3,})\s*([\w+-]*)/.exec(line)
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)
    const item = itemOf(line)
    if (fence || heading || item || line.trim() === '') endParagraph()
    if (fence) {
      const code: string[] = []
      while (++at < lines.length && !lines[at]!.trim().startsWith(fence[1]!)) code.push(lines[at]!)
      add({ kind: 'code', language: fence[2] ?? '', lines: code })
    } else if (heading) add({ kind: 'prose', variant: 'heading', runs: runsOf(heading[1]!) })
    else if (item) {
      const last = blocks.at(-1)
      if (last?.kind === 'list') last.items.push(item)
      else add({ kind: 'list', items: [item] })
    } else if (line.startsWith('> ')) add({ kind: 'prose', variant: 'quote', runs: runsOf(line.slice(2)) })
    else if (line.trim() !== '') paragraph.push(line.trim())
  }
  endParagraph()
  return blocks
}

function itemOf(
  line: string,
): { depth: number; number: number | null; checked: boolean | null; runs: InlineRun[] } | null {
  const match = /^(\s*)(?:[-*+]|(\d{1,4})[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/.exec(line)
  if (!match) return null
  const [, indent, number, tick, text] = match
  return {
    depth: Math.min(5, Math.floor(indent!.length / 2)),
    number: number === undefined ? null : Number(number),
    checked: tick === undefined ? null : tick !== ' ',
    runs: runsOf(text!),
  }
}

/** Code and bold text; other Markdown stays visible. */
function runsOf(text: string): InlineRun[] {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter(part => part !== '')
    .map(part =>
      part.startsWith('`') && part.length > 2
        ? { text: part.slice(1, -1), code: true }
        : part.startsWith('**') && part.length > 4
          ? { text: part.slice(2, -2), bold: true }
          : { text: part },
    )
}
