import { type Block, renderMarkdown, renderTelegram } from '../../screen/index.js'
import type { OutboxAction } from '../outgoing/outbox-item.js'
import { PART_UNITS } from '../outgoing/split.js'

const RICH_CHARACTERS = 32_000
const RICH_BLOCKS = 450
const RICH_COLUMNS = 20
const RICH_LEVELS = 16
const PARTS_MAX = 4
const PREVIEW_BLOCKS = 10

/** What a chat sees: 0 the agent's text, 1 also a line per tool, 2 also results. */
export type Verbosity = 0 | 1 | 2

export function blocksByVerbosity(blocks: readonly Block[], verbosity: Verbosity): Block[] {
  return blocks.filter(
    ({ kind }) => (kind !== 'tool_call' || verbosity >= 1) && (kind !== 'tool_result' || verbosity >= 2),
  )
}

/** The messages of a finished answer; none when it has less than three characters. */
export function answerActions(
  blocks: readonly Block[],
  options: { verbosity: Verbosity; title: string /** A first line that names the session. */; mark?: string | null },
): OutboxAction[] {
  const content = blocksByVerbosity(blocks, options.verbosity)
  const shown = options.mark ? [markBlock(options.mark), ...content] : content
  const markdown = renderMarkdown(shown)
  if (renderMarkdown(content).replace(/\s/gu, '').length < 3) return []
  const parts = renderTelegram(shown, { maxUnits: PART_UNITS })
  const fitsRich = markdown.length <= RICH_CHARACTERS && shown.length <= RICH_BLOCKS && shown.every(isRichShape)
  if (parts.length <= PARTS_MAX || fitsRich) return [{ do: 'answer', parts, markdown: fitsRich ? markdown : null }]
  const preview = renderTelegram(shown.slice(0, PREVIEW_BLOCKS), { maxUnits: PART_UNITS / 2 })[0] ?? ''
  return [
    { do: 'answer', parts: [preview], markdown: null },
    {
      do: 'file',
      name: `${options.title}.md`,
      text: markdown,
      caption: `The complete answer: ${markdown.length} characters`,
    },
  ]
}

/** Telegram refuses wider tables and deeper lists in rich messages. */
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
