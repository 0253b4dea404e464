import { namedPromptWidth } from './find-composer.js'
import type { RowBlock } from './grammar.js'
import type { Layout } from './layout.js'
import type { ScreenRow } from './screen-row.js'

/*
 * If no pack describes prompts in the transcript, a prompt is found by its own text: the text that
 * was in the input box appears above it. Every agent repeats it, with its own glyph, background or
 * heading.
 */
const PROMPT_MIN_CHARACTERS = 3
/** Agents shorten long prompts, but not their beginning. */
const COMMON_START_MIN = 8

const known = new WeakMap<Layout, { draft: string; layout: Layout }>()

/** The layout with the rows that repeat the typed text as a block of the user. */
export function withTypedEcho(layout: Layout, draft: string | null): Layout {
  // A slash command is not a prompt.
  if (draft === null || draft.length < PROMPT_MIN_CHARACTERS || draft.startsWith('/')) return layout
  const before = known.get(layout)
  if (before?.draft === draft) return before.layout
  const blocks = splitAtEcho(layout, draft)
  const marked = blocks === layout.blocks ? layout : { ...layout, blocks }
  known.set(layout, { draft, layout: marked })
  return marked
}

function splitAtEcho({ rows, blocks, composer }: Layout, draft: string): RowBlock[] {
  for (let at = blocks.length - 1; at >= 0; at--) {
    const block = blocks[at]!
    for (let first = block.last; first >= block.first; first--) {
      const last = endOfEcho(rows, first, block.last, draft)
      if (last === null) continue
      const isMarked = block.kind === 'user' && block.first === first && block.last === last
      if (isMarked && !blocks.slice(at + 1).some(later => later.kind === 'user')) return blocks
      const part = (kind: RowBlock['kind'], from: number, to: number): RowBlock[] =>
        rows.slice(from, to + 1).some(row => /[^\s\u2500-\u257f]/u.test(plain(row)))
          ? [{ ...block, kind, first: from, last: to }]
          : []
      const kind = block.kind === 'user' ? 'prose' : block.kind
      return [
        ...blocks.slice(0, at),
        ...part(kind, block.first, first - 1),
        { ...block, kind: 'user', first, last, isRunning: false },
        ...part(kind, last + 1, block.last),
        // Nothing else was typed since: a block below that looks like a prompt is part of the
        // answer.
        ...blocks.slice(at + 1).map(later => (later.kind === 'user' ? { ...later, kind: 'prose' as const } : later)),
      ]
    }
  }
  // While the next prompt is being typed, the draft is not the last prompt.
  return composer === null
    ? blocks.map(block => (isOther(rows, block, draft) ? { ...block, kind: 'prose' } : block))
    : blocks
}

/**
 * The typed text has left the screen: a text that starts differently and only looks like a prompt
 * is part of the answer.
 */
function isOther(rows: readonly ScreenRow[], { kind, spec, first, last }: RowBlock, draft: string): boolean {
  if (kind !== 'user' || spec !== null) return false
  const start = rows
    .slice(first, last + 1)
    .map(row => squeeze(plain(row)))
    .find(text => text !== '')
  return start !== undefined && start.slice(0, COMMON_START_MIN) !== squeeze(draft).slice(0, COMMON_START_MIN)
}

/** The last row of the text, if it starts in this row and its rows follow each other. */
function endOfEcho(rows: readonly ScreenRow[], first: number, limit: number, draft: string): number | null {
  let rest = squeeze(draft)
  for (let index = first; index <= limit; index++) {
    const text = squeeze(plain(rows[index]!))
    if (text === '' && index > first) continue
    if (text === '' || !rest.startsWith(text)) {
      // A time or a status may follow the words in the same row.
      return rest.length >= PROMPT_MIN_CHARACTERS && text.startsWith(rest) && isShortText(text.slice(rest.length))
        ? index
        : null
    }
    rest = rest.slice(text.length)
    if (rest === '') return index
  }
  return null
}

function isShortText(text: string): boolean {
  return text.length <= 12
}

/** Without glyph, gutter and edges. */
function plain({ text }: ScreenRow): string {
  return text
    .slice(namedPromptWidth(text))
    .replace(/^[\s│┃▌▎▐║]*(?:[^\p{L}\p{N}\s"'`([{/@#!]\s+)?/u, '')
    .replace(/[│┃║]\s*$/u, '')
    .trim()
}

function squeeze(text: string): string {
  return text.replace(/\s+/gu, '')
}
