import { type Block, renderMarkdown } from '../../screen/index.js'

/** An event holds 256 KiB. */
const EVENT_BYTES = 200 * 1024

/** Blocks in groups that fit into one event each. A block that does not fit is divided. */
export function splitBlocks(blocks: readonly Block[], limit = EVENT_BYTES): Block[][] {
  const groups: Block[][] = [[]]
  let size = 0
  for (const block of blocks.flatMap(whole => fitting(whole, limit))) {
    const own = sizeOf(block)
    if (size > 0 && size + own > limit) {
      groups.push([])
      size = 0
    }
    groups.at(-1)!.push(block)
    size += own
  }
  return groups
}

/** A message is stored with its blocks and its Markdown. */
function sizeOf(block: Block): number {
  return Buffer.byteLength(JSON.stringify([block, renderMarkdown([block])]))
}

function fitting(block: Block, limit: number): Block[] {
  if (sizeOf(block) <= limit) return [block]
  const halves = halvesOf(block)
  return halves ? halves.flatMap(half => fitting(half, limit)) : [block]
}

/** Null for a block that cannot be divided. */
function halvesOf(block: Block): [Block, Block] | null {
  const second = `${block.id}~`
  switch (block.kind) {
    case 'code':
    case 'tool_result': {
      const [first, rest] = halves(block.lines)
      return rest.length === 0
        ? null
        : [
            { ...block, lines: first },
            { ...block, id: second, lines: rest },
          ]
    }
    case 'diff': {
      const [first, rest] = halves(block.lines)
      return rest.length === 0
        ? null
        : [
            { ...block, lines: first },
            { ...block, id: second, lines: rest },
          ]
    }
    case 'list': {
      const [first, rest] = halves(block.items)
      return rest.length === 0
        ? null
        : [
            { ...block, items: first },
            { ...block, id: second, items: rest },
          ]
    }
    case 'table': {
      const [first, rest] = halves(block.body)
      return rest.length === 0
        ? null
        : [
            { ...block, body: first },
            { ...block, id: second, body: rest },
          ]
    }
    case 'prose': {
      const [only] = block.runs
      const runs = block.runs.length === 1 && only ? halfTexts(only.text).map(text => ({ ...only, text })) : block.runs
      const [first, rest] = halves(runs)
      return rest.length === 0
        ? null
        : [
            { ...block, runs: first },
            { ...block, id: second, runs: rest },
          ]
    }
    default:
      return null
  }
}

function halves<T>(list: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(list.length / 2)
  return [list.slice(0, middle), list.slice(middle)]
}

/** Divided at a line end after the middle, else at a blank. */
function halfTexts(text: string): string[] {
  const middle = Math.floor(text.length / 2)
  const at = ['\n', ' '].map(separator => text.indexOf(separator, middle) + 1).find(index => index > 0) ?? middle
  return [text.slice(0, at), text.slice(at)].filter(part => part !== '')
}
