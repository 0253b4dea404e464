import type { PaneState } from '../panes/index.js'
import type { TerminalView } from '../screen/index.js'
import { entryKey, type LearnedEntry } from './entries.js'
import type { JudgedMoment } from './judge.js'
import { type RowShape, shapesOf } from './row-shape.js'

/** Rows above the live part that may explain a view: the newest ones. */
const ROWS = 14
/** Hints that agents print between the conversation and the input box. */
const CHROME_ROWS = 3

const WORK: ReadonlySet<TerminalView> = new Set([
  'thinking',
  'user_message',
  'response_content',
  'tool_running',
  'tool_result',
])

/** Entries that might correct a moment that is read wrong, the most general first. */
export function candidatesFor({ moment, state }: JudgedMoment): LearnedEntry[] {
  const { look } = state
  if (!look) return []
  const found = new Map<string, LearnedEntry>()
  const add = (entry: LearnedEntry) => void (found.has(entryKey(entry)) || found.set(entryKey(entry), entry))
  const rows = rowsOf(state)
  const spoken = rows.filter(row => row.index < look.outline.liveFirst).slice(-ROWS)
  const live = rows.filter(row => row.index >= look.outline.liveFirst)
  for (const view of moment.views) {
    for (const { text } of spoken.toReversed())
      for (const shape of shapesOf(text)) for (const entry of marksFor(view, state, shape)) add(entry)
    for (const { text } of spoken.slice(-CHROME_ROWS))
      for (const { first, glyphs, isMark } of shapesOf(text))
        if (isMark || glyphs.length === 0) add({ list: 'chrome', line: first })
    for (const { text } of [...live, ...spoken.slice(-4)])
      for (const shape of shapesOf(text))
        for (const entry of rulesFor(view, { needsYou: moment.needsYou === true, text }, shape)) add(entry)
  }
  return [...found.values()]
}

/** The rows below the newest prompt, as rules read them. */
function rowsOf({ look }: PaneState): { index: number; text: string }[] {
  const { frame, outline } = look!
  const prompt = outline.blocks.findLast(block => block.kind === 'user')
  return frame.lines
    .map((row, index) => ({ index, text: outline.texts[index] ?? row.text }))
    .filter(({ index, text }) => index > (prompt?.last ?? -1) && text.trim() !== '')
}

/** Blocks and ends of turns that such a row could be, if this view is the right one. */
function marksFor(view: TerminalView, state: PaneState, shape: RowShape): LearnedEntry[] {
  const { first, more, strip, isMark } = shape
  const block = (kind: Extract<LearnedEntry, { list: 'blocks' }>['kind'], running?: string): LearnedEntry => ({
    list: 'blocks',
    kind,
    first,
    more,
    strip,
    ...(running !== undefined && { running }),
  })
  switch (view) {
    case 'tool_running':
      return [block('tool_call', '.')]
    case 'tool_result':
      return [block('tool_result')]
    case 'response_content':
      return isMark ? [block('prose')] : []
    case 'thinking':
      return [block('thought')]
    case 'error':
      return [block('error')]
    case 'idle_prompt':
      if (state.view === 'error') return [block('notice'), { list: 'terminators', line: first, outcome: 'interrupted' }]
      return WORK.has(state.view) ? [{ list: 'terminators', line: first, outcome: 'done' }] : []
    default:
      return []
  }
}

/** A row that asks, or that names the key with which to answer. */
const ASKS = /[?？]\s*$|\b(?:enter|return|esc|escape)\b.{0,3}\b(?:to )?\p{L}{3,}/iu

/** Rules that such a row could need, if this view is right. */
function rulesFor(
  view: TerminalView,
  { needsYou, text }: { needsYou: boolean; text: string },
  { first, isMark }: RowShape,
): LearnedEntry[] {
  // A mark alone is in too many rows of a whole screen.
  if (isMark) return []
  const rule = (fields: Partial<Extract<LearnedEntry, { list: 'rule' }>>): LearnedEntry => ({
    list: 'rule',
    id: '',
    region: 'screen',
    line: first,
    priority: 600,
    ...fields,
  })
  switch (view) {
    case 'thinking':
    case 'parallel_agents':
      return [rule({ view, region: 'status', busy: true }), rule({ view, region: 'footer', busy: true })]
    case 'idle_prompt':
      return [rule({ view, region: 'footer', busy: false, composer: 'live' })]
    case 'error':
      return [rule({ view, region: 'newest', busy: false })]
    case 'startup':
      return [rule({ view, composer: 'absent' })]
    case 'tool_menu':
      return needsYou && ASKS.test(text) ? [rule({ view, busy: false, awaiting: 'question', composer: 'absent' })] : []
    case 'auth_required':
      return [rule({ view, busy: false, awaiting: 'auth' })]
    case 'unknown':
      return ASKS.test(text) ? [rule({ skip: 'overlay' })] : []
    default:
      return []
  }
}

/**
 * A mark at the start of the title that is there while the agent works and never while it is idle.
 * One rule for the title also says that no other change of the title means work.
 */
export function titleRule(judged: readonly { moments: readonly JudgedMoment[] }[]): LearnedEntry | null {
  const working = new Set<string>()
  const idle = new Set<string>()
  for (const { moment, state } of judged.flatMap(({ moments }) => moments)) {
    const title = (state.look?.frame.title ?? '').replace(/[\ufe0e\ufe0f]/gu, '')
    const mark = /^([^\p{L}\p{N}\s"'([{<])\s/u.exec(title)?.[1] ?? ''
    const views = [...moment.views]
    if (views.every(view => WORK.has(view))) working.add(mark)
    else if (views.every(view => !WORK.has(view))) idle.add(mark)
  }
  const marks = [...working].filter(mark => mark !== '' && !idle.has(mark))
  if (marks.length === 0 || idle.size === 0) return null
  const line = `^[${marks.map(mark => mark.replace(/[\\\]^-]/u, '\\$&')).join('')}]`
  return { list: 'rule', id: '', region: 'title', line, priority: 500, view: 'thinking', busy: true }
}
