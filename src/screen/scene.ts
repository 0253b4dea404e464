import { type Frame, hasSameContent, memoizeByObject, type Row } from '../terminal/index.js'
import { readBoxSign } from './box-glyph.js'
import { namedPromptWidth } from './find-composer.js'
import type { RowBlock } from './grammar.js'
import { hashTexts } from './hash-texts.js'
import { createLayout, type Layout } from './layout.js'
import type { ScreenMemory } from './memory.js'
import { isMoving, type Track, trackOf, updateTracks } from './motion.js'
import type { Pack } from './pack/pack.js'
import { rowsOf } from './region.js'
import { evaluateRules, type RuleMatch } from './rules.js'
import { isBlank, type ScreenRow } from './screen-row.js'
import { readShell, type ShellScreen } from './shell.js'
import { matchesRow } from './style-match.js'
import { followTitle, isTitleMoving } from './title-motion.js'
import { isPinned, readTurn, type TurnState } from './turn.js'
import { withTypedEcho } from './typed-echo.js'
import type { Payload, TodoItem } from './view.js'

/** Everything that is read from a frame before its view is decided. */
export interface Scene {
  frame: Frame
  memory: ScreenMemory
  pack: Pack
  layout: Layout
  matches: readonly RuleMatch[]
  tracks: ScreenMemory['tracks']
  title: ScreenMemory['title']
  working: Working | null
  /** What the glyph in the input box says, if no pack describes the box. */
  boxSign: 'busy' | 'rest' | null
  turn: TurnState
  todos: Payload['todo_list'] | null
  /** Without a pack for the program: it may be a shell. */
  shell: ShellScreen | null
}

export function readScene(frame: Frame, memory: ScreenMemory, pack: Pack): Scene {
  const { layout: drawn, matches, todos } = readFrame(frame, pack, memory.promptGlyph)
  const layout = pack.byStructure ? withTypedEcho(drawn, memory.draft) : drawn
  const tracks = nextTracks(frame, layout, memory)
  const title = followTitle(memory.title, frame)
  const boxSign = pack.byStructure ? readBoxSign(layout, memory) : null
  // What has just stopped still counts as moving for a while; the glyph says that it is over.
  const moving = boxSign === 'rest' || isGreeting(layout, memory, pack) ? [] : tracks
  const working =
    findWorking(frame, pack, layout, matches, moving) ??
    (pack.byStructure && (boxSign === 'busy' || saysWork(frame, title, pack)) ? { match: null, row: null } : null)
  const turn = readTurn(layout, memory, pack, {
    t: frame.t,
    isWorking: working !== null,
    isIdleByRule: matches.some(match => match.rule.view === 'idle_prompt'),
    isScrolled: isScrolledBack(matches),
    isSameTranscript: transcriptHash(layout) === memory.transcript?.hash,
  })
  return {
    frame,
    memory,
    pack,
    layout,
    matches,
    tracks,
    title,
    working,
    boxSign,
    turn,
    todos,
    shell: pack.agent === 'generic' && !hasNamedPrompt(layout) ? readShell(frame, layout.rows, memory.prompt) : null,
  }
}

/** The program uses its own name as its prompt, which a shell does not do. */
function hasNamedPrompt({ rows, composer }: Layout): boolean {
  return composer !== null && namedPromptWidth(rows[composer.first]!.text) > 0
}

/** The program says itself that it works: by the progress of its tab, or by a title that moves. */
function saysWork(frame: Frame, title: ScreenMemory['title'], pack: Pack): boolean {
  if (frame.progress?.state === 'busy' || frame.progress?.state === 'value') return true
  return !hasTitleRules(pack) && isTitleMoving(title, frame)
}

/** The pack says which titles mean work: others do not. */
function hasTitleRules({ rules }: Pack): boolean {
  return rules.some(({ region }) => region === 'title')
}

interface FrameReading {
  layout: Layout
  matches: readonly RuleMatch[]
  todos: Payload['todo_list'] | null
}

/** The newest frame that starts with this row, as read with this pack. */
const readings = new WeakMap<
  Row,
  { frame: Frame; pack: Pack; rules: Pack['rules']; glyph: string | null; reading: FrameReading }
>()

/** Results that depend only on rows, cursor and pack: computed once while these stay the same. */
function readFrame(frame: Frame, pack: Pack, glyph: string | null): FrameReading {
  const [first] = frame.lines
  const known = first && readings.get(first)
  const isKnown = known && known.pack === pack && known.rules === pack.rules && known.glyph === glyph
  if (isKnown && hasSameContent(known.frame, frame)) return known.reading
  const drawn = createLayout(frame, pack, glyph)
  const results = evaluateRules(frame, drawn.rows, pack, drawn.regions)
  const matches = results.flatMap(({ match }) => (match ? [match] : []))
  const layout = withoutDialog(drawn, matches)
  const reading = { layout, matches, todos: readTodos(layout.rows, pack) }
  if (first) readings.set(first, { frame, pack, rules: pack.rules, glyph, reading })
  return reading
}

/**
 * A dialog that only a rule of the pack knows is not part of the conversation: its rows are those
 * around the matched one, up to a blank row.
 */
function withoutDialog(layout: Layout, matches: readonly RuleMatch[]): Layout {
  if (layout.composer || layout.menu) return layout
  const asking = matches.filter(({ rule }) => rule.awaiting !== null && rule.view !== null)
  if (asking.length === 0) return layout
  const isDialog = ({ first, last }: RowBlock) =>
    asking.some(({ rows: [at] }) => {
      const [from, to] = [Math.min(first, at), Math.max(last, at)]
      return layout.rows.slice(from, to + 1).every(row => !isBlank(row))
    })
  return { ...layout, blocks: layout.blocks.filter(block => !isDialog(block)) }
}

/** The match with the highest priority; of equal ones the later. */
export function bestMatch({ matches }: Scene, wanted: (match: RuleMatch) => boolean): RuleMatch | null {
  return matches
    .filter(wanted)
    .reduce<RuleMatch | null>((best, match) => (best && best.rule.priority > match.rule.priority ? best : match), null)
}

export interface NewestBlock {
  kind: RowBlock['kind']
  isRunning: boolean
  /** Null when it is not on the screen, only remembered. */
  block: RowBlock | null
}

/** The newest block; from memory when none is on the screen or the transcript is scrolled back. */
export function newestBlock({ layout, memory, pack, matches }: Scene): NewestBlock | null {
  const block = layout.blocks.findLast(
    candidate => !(candidate.kind === 'notice' && candidate.spec !== null) || candidate === layout.blocks.at(-1),
  )
  const isPinnedEcho = block?.kind === 'user' && isPinned(layout, block, memory)
  if (block && !isScrolledBack(matches) && !isPinnedEcho) {
    // Rows without a mark at the top of the screen continue a block that started above it.
    const isCutOff = block.spec === null && layout.blocks[0] === block && !pack.byStructure
    return { kind: isCutOff && memory.newest ? memory.newest.kind : block.kind, isRunning: block.isRunning, block }
  }
  if (isPinnedEcho && memory.newest?.kind === 'user') return { kind: 'prose', isRunning: false, block: null }
  return memory.newest ? { ...memory.newest, block: null } : null
}

/** A hash of the newest block's text; its mark may blink and does not count. */
export const transcriptHash = memoizeByObject(({ blocks, rows }: Layout): string | null => {
  const newest = blocks.at(-1)
  return newest
    ? hashTexts([newest.kind, ...rows.slice(newest.first, newest.last + 1).map(row => row.text.slice(2))])
    : null
})

export function panelHash({ todos }: Scene): string | null {
  return todos ? JSON.stringify(todos.items) : null
}

/** When this value last changed, as far as the memory knows. */
export function changedAt(
  before: { hash: string; changedAt: number } | null,
  hash: string | null,
  t: number,
): { hash: string; changedAt: number } | null {
  if (hash === null) return null
  return before?.hash === hash ? before : { hash, changedAt: t }
}

function isScrolledBack(matches: readonly RuleMatch[]): boolean {
  return matches.some(match => match.rule.facet === 'scrolled')
}

const MARKS: Record<string, TodoItem['status']> = {
  '☐': 'open',
  '◻': 'open',
  '□': 'open',
  '◐': 'in_progress',
  '◼': 'in_progress',
  '▣': 'in_progress',
  '☒': 'done',
  '✔': 'done',
  '✓': 'done',
  '☑': 'done',
  '■': 'done',
}

/** The task panel, if the pack declares one and it is on the screen. */
function readTodos(rows: readonly ScreenRow[], pack: Pack): Payload['todo_list'] | null {
  const panel = pack.panels.find(entry => entry.name === 'tasks')
  if (!panel) return null
  const start = rows.findLastIndex(
    (row, index) =>
      matchesRow(row, panel.first) &&
      !(index > 0 && panel.more?.test(rows[index]!.text) && matchesRow(rows[index - 1]!, panel.first)),
  )
  if (start < 0) return null
  const items: TodoItem[] = []
  for (let index = start; index < rows.length; index++) {
    const { text } = rows[index]!
    if (index > start && !(panel.more?.test(text) ?? false)) break
    const match = /([☐◻□◐◼▣☒✔✓☑■])\s+(\S.*)$/u.exec(text)
    if (match) items.push({ status: MARKS[match[1]!]!, text: match[2]!.trim() })
  }
  const count = (status: TodoItem['status']) => items.filter(item => item.status === status).length
  return { total: items.length, done: count('done'), inProgress: count('in_progress'), open: count('open'), items }
}

/** Whether there is a prompt or an answer. Notices appear without either. */
export function hasConversation({ blocks }: Layout, memory: ScreenMemory): boolean {
  return memory.echo !== null || blocks.some(block => block.spec !== null && block.kind !== 'notice')
}

/**
 * The input box waits for the first prompt, of an agent whose prompts the pack knows: what moves
 * without a rule is a part of the greeting, such as an animated logo.
 */
function isGreeting(layout: Layout, memory: ScreenMemory, pack: Pack): boolean {
  const knowsPrompts = pack.blocks.some(({ kind }) => kind === 'user')
  return knowsPrompts && layout.isComposerAnchored && !hasConversation(layout, memory)
}

/** Why the agent counts as working, if anything shows it. */
interface Working {
  /** A pack rule; null when only motion shows it. */
  match: RuleMatch | null
  row: ScreenRow | null
}

function findWorking(
  frame: Frame,
  pack: Pack,
  layout: Layout,
  matches: readonly RuleMatch[],
  tracks: readonly Track[],
): Working | null {
  const ruled = matches
    .filter(match => match.rule.busy === true && match.rule.view !== null)
    .reduce<RuleMatch | null>((best, match) => (best && best.rule.priority > match.rule.priority ? best : match), null)
  if (ruled) return { match: ruled, row: layout.rows[ruled.rows[0]] ?? null }
  const moving = candidateRows(layout).find(row => {
    const track = trackOf(tracks, row)
    return track !== null && isMoving(track, frame.t)
  })
  if (moving) return { match: null, row: moving }
  const edge = layout.composer && !layout.isComposerAnchored ? layout.rows[layout.composer.first] : undefined
  if (edge && TURNING_EDGE.test(edge.text)) return { match: null, row: edge }
  const turning = pack.byStructure ? turningBlock(layout) : null
  if (turning) return { match: null, row: turning }
  return layout.workingRow === null ? null : { match: null, row: layout.rows[layout.workingRow]! }
}

/**
 * A block of this turn whose mark is a braille pattern: those are drawn only to turn, so the block
 * grows or its tool runs, whatever is drawn below it.
 */
function turningBlock({ blocks, rows, composer }: Layout): ScreenRow | null {
  // A program that prints lines does not draw above its prompt.
  if (!composer || composer.first === composer.last) return null
  const asked = blocks.findLastIndex(block => block.kind === 'user')
  const turn = blocks.slice(asked + 1)
  // Indented below another mark, it is quoted in an answer.
  const edge = Math.min(...turn.map(({ first }) => rows[first]!.indent))
  const block = turn.find(
    ({ first }, at) =>
      rows[first]!.indent === edge &&
      /^\s{0,3}[\u2801-\u28ff](?:\s|$)/u.test(rows[first]!.text) &&
      // Further text follows a quotation.
      turn.slice(at + 1).every(({ kind }) => kind !== 'prose'),
  )
  return block ? rows[block.first]! : null
}

/** `── ⠧ Working ────`: work that is shown in the upper edge of the input box. */
const TURNING_EDGE = /^\s*[─━╭┌]+\s*[\u2801-\u28ff] \p{L}.*[─━]{3}/u

function nextTracks(frame: Frame, layout: Layout, memory: ScreenMemory): Track[] {
  return updateTracks(memory.tracks, candidateRows(layout), frame.t)
}

/**
 * Rows in which a sign of work may appear: between the newest block and the box, right above the
 * box, in its upper edge, in the footer, or as the mark of the newest block.
 */
const candidateRows = memoizeByObject(({ rows, regions, composer, blocks, terminator }: Layout): ScreenRow[] => {
  const newest = blocks.at(-1)
  const above = composer ? rows.slice(0, composer.first).filter(row => !isBlank(row)) : []
  const found = [
    ...(newest ? [rows[newest.first]!] : []),
    ...rowsOf(rows, regions.get('status')),
    // Indented below a prompt or an answer, a sign of work looks like a part of it.
    ...above.slice(-1).filter(row => row.index !== terminator?.row),
    ...(composer ? [rows[composer.first]!] : []),
    ...rowsOf(rows, regions.get('footer')),
  ].filter(row => row !== undefined && !isBlank(row))
  return [...new Set(found)]
})
