import { type Block, renderMarkdown, renderTelegram } from '../../screen/index.js'
import type { Act } from '../outgoing/outbox-item.js'
import { PART_UNITS } from '../outgoing/split.js'

const RICH_CHARACTERS = 32_000
const RICH_BLOCKS = 450
const RICH_COLUMNS = 20
const RICH_LEVELS = 16
const MOST_PARTS = 4
const BEGINNING_LINES = 10

/** How much of what an agent does is told: 0 only what it says, 1 its tools in a line each, 2 their results as well. */
export type Verbosity = 0 | 1 | 2

export function wanted(blocks: readonly Block[], verbosity: Verbosity): Block[] {
  return blocks.filter(
    ({ kind }) => (kind !== 'tool_call' || verbosity >= 1) && (kind !== 'tool_result' || verbosity >= 2),
  )
}

/** A finished answer; null when there is nothing in it that is worth a message. */
export function answerActs(
  blocks: readonly Block[],
  options: { verbosity: Verbosity; title: string /** Whose words they are, above them. */; mark?: string | null },
): Act[] {
  const said = wanted(blocks, options.verbosity)
  const shown = options.mark ? [markBlock(options.mark), ...said] : said
  const markdown = renderMarkdown(shown)
  if (renderMarkdown(said).replace(/\s/gu, '').length < 3) return []
  const parts = renderTelegram(shown, { maxUnits: PART_UNITS })
  const fitsRich = markdown.length <= RICH_CHARACTERS && shown.length <= RICH_BLOCKS && shown.every(isRichShape)
  if (parts.length <= MOST_PARTS || fitsRich) return [{ do: 'answer', parts, markdown: fitsRich ? markdown : null }]
  const beginning = renderTelegram(shown.slice(0, BEGINNING_LINES), { maxUnits: PART_UNITS / 2 })[0] ?? ''
  return [
    { do: 'answer', parts: [beginning], markdown: null },
    {
      do: 'file',
      name: `${options.title}.md`,
      text: markdown,
      caption: `The whole answer: ${markdown.length} characters`,
    },
  ]
}

/** Wider tables and deeper lists are refused as rich messages. */
function isRichShape(block: Block): boolean {
  if (block.kind === 'table') return Math.max(...[block.header, ...block.body].map(row => row.length)) <= RICH_COLUMNS
  return block.kind !== 'list' || block.items.every(({ depth }) => depth < RICH_LEVELS)
}

function markBlock(text: string): Block {
  return {
    id: 'mark',
    rows: [0, 0],
    provisional: false,
    missing: false,
    source: 'screen',
    kind: 'prose',
    variant: 'paragraph',
    runs: [{ text, bold: true }],
  }
}
