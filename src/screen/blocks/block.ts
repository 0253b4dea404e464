import type { InlineRun } from '../../text/index.js'
import type { TodoItem, ToolRef } from '../view.js'

export type { InlineRun }

/** A part of a message, to be rendered anywhere. `id` is turn + ordinal: stable. */
export type Block = BlockBase & BlockContent

interface BlockBase {
  id: string
  /** The row ids that it was read from, first and last. */
  rows: [number, number]
  /** Still growing: it reaches into the live region. */
  provisional: boolean
  /** Rows above it scrolled away before they could be read. */
  missing: boolean
  source: 'screen' | 'transcript' | 'acp'
}

export type BlockContent =
  | { kind: 'prose'; variant: 'paragraph' | 'heading' | 'quote'; runs: InlineRun[] }
  | { kind: 'code'; language: string; lines: string[] }
  | { kind: 'list'; items: ListItem[] }
  | { kind: 'table'; header: InlineRun[][]; body: InlineRun[][][]; align: ('left' | 'right' | 'center')[] }
  | { kind: 'diff'; lines: { sign: '+' | '-' | ' ' | '@'; number: number | null; text: string }[] }
  | { kind: 'tool_call'; tool: ToolRef }
  | { kind: 'tool_result'; lines: string[]; ok: boolean | null }
  | { kind: 'todo'; items: TodoItem[] }
  | { kind: 'user' | 'thought' | 'notice' | 'error'; text: string }

export interface ListItem {
  depth: number
  /** Null for a bullet. */
  number: number | null
  /** Null without a check box. */
  checked: boolean | null
  runs: InlineRun[]
}

export function plainText(runs: readonly InlineRun[]): string {
  return runs.map(run => run.text).join('')
}
