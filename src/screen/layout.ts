import type { Frame } from '../terminal/index.js'
import { findStructuralComposer } from './find-composer.js'
import { genericBlocks } from './generic-grammar.js'
import { chromeRows, panelRows, type RowBlock, type RowRole, splitBlocks, terminatorOf } from './grammar.js'
import { type LivenessResult, proveLive } from './menu/liveness.js'
import { confirmsOrLeaves } from './menu/menu-head.js'
import { type MenuCandidate, parseMenu } from './menu/parse-menu.js'
import type { Terminator } from './observation.js'
import type { BlockSpec, Pack } from './pack/pack.js'
import { findRegion, makeRegion, type Region } from './region.js'
import { markReader } from './row-marks.js'
import { isBlank, type ScreenRow, screenRows } from './screen-row.js'
import { withGuessedKind, withoutCommands, withoutHints, withoutQueued, withoutStatus } from './transcript-filters.js'
import { findWorkingRow, isBoxedWork, isFigures, statesWork } from './working-row.js'

/**
 * The parts of a frame: where its live part starts, what is above it, and whether there is a menu.
 */
export interface Layout {
  rows: ScreenRow[]
  regions: Map<string, Region>
  composer: Region | null
  /** The input box matches the pack's description; otherwise it was found by structure. */
  isComposerAnchored: boolean
  menu: { candidate: MenuCandidate; liveness: LivenessResult } | null
  /** Options on the screen that are not live, with the reason. */
  quoted: { candidate: MenuCandidate; liveness: LivenessResult } | null
  /** Something that has the keyboard and could not be read as a menu. */
  overlay: Region | null
  blocks: RowBlock[]
  roles: (RowRole | null)[]
  /** The newest terminator, if no block is below it. */
  terminator: (Terminator & { text: string }) | null
  /** A row whose shape alone suggests that the agent is working. */
  workingRow: number | null
}

/** Non-blank rows that may be below an input box: hints, status lines, completion lists, panels. */
const ROWS_BELOW_BOX_MAX = 14

/** `glyph`: the glyph of the program's bare prompt, if it has one and no pack describes it. */
export function createLayout(frame: Frame, pack: Pack, glyph: string | null = null): Layout {
  const rows = screenRows(frame, { hasScrollbar: pack.text.scrollbar || pack.byStructure })
  const regions = new Map<string, Region>()
  const set = (region: Region | null) => region && regions.set(region.name, region)
  set(makeRegion('screen', 0, rows.length - 1))
  for (const spec of pack.regions) set(findRegion(spec, rows, frame.cols, regions))

  const declared = downToCursor(regions.get('composer') ?? null, rows, pack, frame)
  const entry = findPointedEntry(rows)
  const isEntry = declared !== null && entry !== null && declared.first === entry.first
  const anchored = declared && !isEntry && isLowest(rows, declared, pack, frame.cursor) ? declared : null
  const roles = rowRoles(rows, pack, frame.cols)
  const candidate = parseMenu(frame, rows, pack, first => firstMenuRow(rows, roles, pack, first))
  const guessed = anchored
    ? null
    : findStructuralComposer(frame, rows, {
        taken: row => roles[row.index] != null,
        needsCursor: pack.regions.some(({ name }) => name === 'composer'),
        glyph,
      })
  // A guessed input box yields to options in the same place, but not to a text of several rows that
  // is being typed.
  const isTaken =
    guessed !== null &&
    candidate !== null &&
    overlaps(guessed, candidate) &&
    !isDraft(guessed, candidate) &&
    !(glyph !== null && isPromptDraft(guessed, candidate, rows, frame))
  const written = anchored || !candidate ? null : writtenList(candidate, rows, frame)
  const composer = anchored ?? written ?? (isTaken && !isBeingWritten(guessed, candidate, rows, frame) ? null : guessed)
  if (composer) set({ ...composer, name: 'composer' })
  else regions.delete('composer')

  const overlay = composer ? null : entry
  const end = composer?.first ?? overlay?.first ?? lastNonBlank(rows) + 1
  const isPrompt = anchored || !composer ? () => false : promptSign(rows, composer)
  const split = (last: number) => blocksOf(rows.slice(0, last), roles, pack, isPrompt)
  const found = candidate && {
    candidate,
    liveness: proveLive(candidate, frame, rows, pack, { hasComposer: composer !== null, blocks: split(end) }),
  }
  const menu = found?.liveness.isLive ? found : null
  const liveFirst = menu ? menu.candidate.menu.rows[0] : end
  const shown = withoutQueued(rows, split(liveFirst))
  const spoken = withoutCommands(rows, shown, pack)
  const conversation = withoutStatus(roles.slice(0, liveFirst), spoken)
  const content = withoutHints(rows, conversation, frame.cols, composer)
  const tail = menu ? null : statusTail(rows, content, composer !== null)
  const hint = menu || !pack.byStructure ? null : findWorkingRow(rows, liveFirst, composer)
  const spokenBlocks = withGuessedKind(
    rows,
    tail ? withoutHints(rows, withoutTimed(rows, tail.above), frame.cols, composer) : content,
    pack,
  )
  const blocks = hint === null ? spokenBlocks : blocksAbove(spokenBlocks, isBoxedWork(rows, hint) ? hint - 1 : hint)

  if (menu) {
    regions.delete('composer')
    set(makeRegion('menu', liveFirst, menu.candidate.menu.rows[1]))
  }
  set(makeRegion('live', liveFirst, rows.length - 1))
  set(makeRegion('transcript', 0, liveFirst - 1))
  if (composer && !menu) set(makeRegion('footer', composer.last + 1, rows.length - 1))
  const terminator =
    findTerminator(rows, roles, pack, blocks, liveFirst) ??
    (tail?.kind === 'end' ? { row: tail.row, outcome: 'done' as const, text: rows[tail.row]!.text } : null)
  const newest = blocks.at(-1)
  if (newest) set(makeRegion('newest', newest.first, newest.last))
  if (newest?.kind === 'error') set(makeRegion('error', newest.first, newest.last))
  // The output of a slash command was printed, too: it is above the status, not a part of it.
  const working = roles.slice(0, liveFirst).lastIndexOf('working')
  const printed = shown.findLast(block => !spoken.includes(block) && (working < 0 || block.last < working))
  const lastRow = Math.max(blocks.at(-1)?.last ?? -1, printed?.last ?? -1, terminator?.row ?? -1)
  set(makeRegion('status', lastRow + 1, liveFirst - 1))
  return {
    rows,
    regions,
    composer: menu ? null : composer,
    isComposerAnchored: anchored !== null && !menu,
    menu,
    quoted: found && !menu ? found : null,
    overlay: menu ? null : overlay,
    blocks,
    roles,
    terminator,
    workingRow: hint ?? (tail?.kind === 'working' ? tail.row : null),
  }
}

/** The blocks above a row; rows below the sign of work are a footer. */
function blocksAbove(blocks: readonly RowBlock[], row: number): RowBlock[] {
  return blocks.filter(block => block.first < row).map(block => ({ ...block, last: Math.min(block.last, row - 1) }))
}

/**
 * The first row below everything that was said, for a menu that follows it without a rule or a box.
 * The call that the menu asks about is in the transcript, too, but is the head of the menu. Rows
 * that the grammar reads as the end of a block may belong to the menu: a question of the pack, or a
 * blank row before them, distinguishes the two.
 */
function firstMenuRow(
  rows: readonly ScreenRow[],
  roles: readonly (RowRole | null)[],
  pack: Pack,
  optionsFirst: number,
): number {
  if (pack.byStructure) return 0
  const above = rows.slice(0, optionsFirst)
  const ended = roles.slice(0, optionsFirst).findLastIndex(role => role === 'terminator' || role === 'working')
  const block = blocksOf(above, roles, pack, () => false).findLast(({ spec }) => spec !== null && !spec.weak)
  if (!block || block.last < ended) return ended + 1
  if (block.kind === 'tool_call') return block.first
  const asked = above.findIndex(row => row.index > block.first && row.index <= block.last && isAsked(row, pack))
  if (asked >= 0) return asked
  const hasHead = above.slice(block.last + 1).some(row => !isBlank(row))
  return hasHead ? block.last + 1 : above.slice(0, block.last).findLastIndex(row => isBlank(row)) + 1
}

function isAsked({ text }: ScreenRow, pack: Pack): boolean {
  const line = text.trim()
  return /[?:？：]$/u.test(line) && pack.menus.some(({ question }) => question?.test(line))
}

/**
 * A draft with an empty line in an input box without a lower edge: the box reaches down to the
 * cursor.
 */
function downToCursor(
  box: Region | null,
  rows: readonly ScreenRow[],
  pack: Pack,
  { cursor, isPlainText }: Frame,
): Region | null {
  const isOpen = pack.regions.some(({ name, kind }) => name === 'composer' && kind === 'open_box')
  if (!box || !isOpen || isPlainText || !cursor.visible || cursor.y <= box.last) return box
  const between = rows.slice(box.last + 1, cursor.y + 1)
  return between.every(row => isBlank(row) || row.indent >= 2) ? { ...box, last: cursor.y } : box
}

function lastNonBlank(rows: readonly ScreenRow[]): number {
  return rows.findLastIndex(row => !isBlank(row))
}

/**
 * Only a few rows are below the box, and none has a mark: below an echo there would be an answer.
 */
function isLowest(rows: readonly ScreenRow[], box: Region, pack: Pack, cursor: Frame['cursor']): boolean {
  const below = rows.slice(box.last + 1).filter(row => !isBlank(row))
  if (below.length > ROWS_BELOW_BOX_MAX) return false
  const marksOf = markReader(pack)
  const panels = panelRows(rows, pack)
  // If a footer rule of the pack matches the last row, that row is a hint, even if it starts with a
  // bullet.
  const hints = pack.rules.filter(rule => rule.region === 'footer' && rule.line?.test(below.at(-1)?.text ?? ''))
  const hint = hints.length > 0 ? below.at(-1) : undefined
  const holdsCursor = cursor.visible && cursor.y >= box.first && cursor.y <= box.last
  return !below.some(
    row =>
      row.indent < 2 &&
      row !== hint &&
      !panels.has(row.index) &&
      (marksOf(row).startsBlocks.some(isSelfContained) || (!holdsCursor && isFrameTop(row.text))),
  )
}

/** A block whose mark needs no context. */
function isSelfContained({ kind, next }: BlockSpec): boolean {
  return kind !== 'todo' && kind !== 'tool_result' && next === null
}

/** `╭────╮`: a tool's box is below an echo; below the input box are completions. */
function isFrameTop(text: string): boolean {
  return /^\s*[╭┌]─{8,}[╮┐]?\s*$/u.test(text)
}

function rowRoles(rows: readonly ScreenRow[], pack: Pack, cols: number): (RowRole | null)[] {
  const chrome = chromeRows(rows, pack)
  const panels = panelRows(rows, pack)
  const marksOf = markReader(pack)
  return rows.map((row, index) => {
    if (isBlank(row)) return null
    if (chrome.has(index)) return 'chrome'
    const marks = marksOf(row)
    if (marks.terminator) return 'terminator'
    if (panels.has(index)) return 'panel'
    if (marks.isQueued) return 'queued'
    if (marks.isWorking) return 'working'
    if (pack.byStructure && isFigures(row.text)) return 'chrome'
    // Right-aligned: a setting or a hint.
    return row.indent >= cols / 2 ? 'chrome' : null
  })
}

function blocksOf(
  rows: readonly ScreenRow[],
  roles: readonly (RowRole | null)[],
  pack: Pack,
  isPrompt: (row: ScreenRow) => boolean,
): RowBlock[] {
  const roleOf = (row: ScreenRow) => roles[row.index] ?? null
  return pack.byStructure ? genericBlocks(rows, pack, roleOf) : splitBlocks(rows, pack, roleOf, isPrompt)
}

/** Rows that start with the glyph of the input box, when no pack describes prompts or the box. */
function promptSign(rows: readonly ScreenRow[], composer: Region): (row: ScreenRow) => boolean {
  const inside = rows
    .slice(composer.first, composer.last + 1)
    .find(row => /^\s*[^\p{L}\p{N}\s─━▄▀│┃╭╰╻╹](?:\s|\u00a0|$)/u.test(row.text))
  const sign = inside?.text.trimStart()[0]
  return row =>
    sign !== undefined && row.indent <= (inside?.indent ?? 0) + 1 && row.text.trimStart().startsWith(`${sign} `)
}

/**
 * The cursor is after the last word in the box, and nothing but the glyph of the box suggests a
 * menu.
 */
function isBeingWritten(box: Region, { group }: MenuCandidate, rows: readonly ScreenRow[], frame: Frame): boolean {
  const { cursor } = frame
  const last = rows.slice(box.first + 1, box.last).findLast(row => !isBlank(row))
  const drawn = last?.spans.at(-1)
  const isAtEnd =
    (cursor.visible && last?.index === cursor.y && cursor.x >= last.text.length) ||
    (drawn?.inverse === true && drawn.width === 1 && drawn.text.trim() === '')
  return (
    isAtEnd &&
    group.options.every(option => option.number === null && option.checked === null) &&
    group.options.findIndex(option => option.glyphColumn !== null) === 0
  )
}

/**
 * A draft that is a list: the glyph of the box is before its first line, and the cursor is visible
 * at the end of its last one. A menu has the cursor at its selected option, or hides it.
 */
function writtenList({ group }: MenuCandidate, rows: readonly ScreenRow[], { cursor }: Frame): Region | null {
  const [first] = group.options
  const row = rows[cursor.y]
  const isLast =
    cursor.visible && cursor.y === group.last && row !== undefined && cursor.x === row.text.trimEnd().length
  const isPointed = first?.glyphColumn != null && group.options.slice(1).every(option => option.glyphColumn === null)
  return isLast && isPointed && first.row < cursor.y ? makeRegion('composer', first.row, cursor.y) : null
}

/**
 * A draft of several lines after the glyph of a framed box: there is no question in the box, and no
 * key hint below it.
 */
function isDraft(box: Region, { group, menu }: MenuCandidate): boolean {
  const [first, ...others] = group.options
  const isPlain = group.options.every(
    option => option.number === null && option.checked === null && option.detail === '',
  )
  const isWhole = group.first === box.first + 1 && group.last === box.last - 1
  const isPointed = first?.glyphColumn != null && others.every(option => option.glyphColumn === null)
  return isPlain && isWhole && isPointed && !group.isRadio && menu.footer.length === 0
}

/** A draft of several lines after a bare prompt: the cursor is behind the last word. */
function isPromptDraft(
  box: Region,
  { group, menu }: MenuCandidate,
  rows: readonly ScreenRow[],
  { cursor }: Frame,
): boolean {
  const isPlain = group.options.every(option => option.number === null && option.checked === null)
  const isAtEnd = cursor.visible && cursor.y === box.last && cursor.x >= rows[box.last]!.text.trimEnd().length
  return isPlain && isAtEnd && box.last > box.first && group.first === box.first && menu.footer.length === 0
}

function overlaps(box: Region, { group }: MenuCandidate): boolean {
  return group.first <= box.last && group.last >= box.first
}

function findTerminator(
  rows: readonly ScreenRow[],
  roles: readonly (RowRole | null)[],
  pack: Pack,
  blocks: readonly RowBlock[],
  before: number,
): Layout['terminator'] {
  const index = roles.slice(0, before).lastIndexOf('terminator')
  if (index < 0) return null
  const later = blocks.filter(
    block =>
      block.first > index &&
      block.kind !== 'notice' &&
      !(block.kind === 'prose' && block.spec === null && !pack.byStructure),
  )
  if (later.length > 0) return null
  const { outcome, match } = terminatorOf(rows[index]!, pack)!
  return { row: index, outcome, text: match[0] }
}

const POINTED = /^\s{0,2}[❯›>▸]\s+\S/u

/**
 * A list in which only the selected entry has a pointer, right above the keys that confirm or
 * cancel. With a single entry it looks like an input box or an echo; the keys below show that it
 * has the keyboard. A completion list is separated from the input box and does not count.
 */
function findPointedEntry(rows: readonly ScreenRow[]): Region | null {
  const footer = rows.findLastIndex(row => !isBlank(row))
  if (footer < 1 || !confirmsOrLeaves(rows[footer]!)) return null
  let last = footer - 1
  while (last >= 0 && isBlank(rows[last])) last--
  for (let index = last; index >= 0 && !isBlank(rows[index]); index--) {
    if (!POINTED.test(rows[index]!.text)) continue
    const isAlone = rows.slice(index + 1, last + 1).every(row => row.indent > rows[index]!.indent)
    return isAlone ? makeRegion('overlay', index, footer) : null
  }
  return null
}

/*
 * The last row above the input box, when no rule matches it: agents put one row there that starts
 * with a symbol and says what is happening or how it ended. An ellipsis means that work continues,
 * and so does an incomplete count (`attempt 2/10`) next to a duration, or a duration with a key
 * next to it in brackets. A duration alone says how long it took. Rows attached below it belong to
 * it.
 */
const SYMBOL = '^\\s{0,3}[^\\p{L}\\p{N}\\s"\'`([{]{1,8}\\s*'
const DURATION = '(?:\\d+[hm] ?){0,2}\\d+(?:\\.\\d+)?s\\b'
const TIMED = new RegExp(
  `${SYMBOL}\\p{L}.{0,80}?\\(${DURATION}|^\\s{0,3}\\p{Lu}[^()]{0,80} \\(${DURATION} [•·∙|,] [^()]{3,40}\\)?$`,
  'u',
)
/** A key next to the time: a tool call never has one. */
const HINTED = new RegExp(`\\(${DURATION} [•·∙|,] [^()]{3,60}\\)?$`, 'u')
const ELLIPSIS = new RegExp(`${SYMBOL}\\p{L}[^.…]{0,80}(?:…|\\.\\.\\.)`, 'u')
const COUNTED = new RegExp(`${SYMBOL}[\\p{L}\\p{N}](?=.*\\b${DURATION}).*\\b(?<done>\\d{1,2})/(?<of>\\d{1,2})\\b`, 'u')
/** `∵ Thinking… 3s`. */
const TIMED_NAME = new RegExp(`${SYMBOL}\\p{L}[^.…]{0,40}(?:…|\\.\\.\\.)\\s*\\(?${DURATION}\\)?\\s*$`, 'u')
const TURNING = /^\s{0,3}[\u2801-\u28ff]\s+\p{L}/u
const ENDED = new RegExp(`^\\s{0,5}[^\\p{L}\\p{N}\\s"'\`([{]\\s+\\p{L}[^…]{0,100}?\\b${DURATION}[^…]{0,40}$`, 'u')

interface StatusTail {
  kind: 'working' | 'end'
  row: number
  above: RowBlock[]
}

/** A status row is short; a growing answer whose mark is animated is longer. */
function isShort(text: string): boolean {
  return /…|\.{3}|\(/u.test(text) || text.trim().split(/\s+/u).length <= 4
}

/** Drops a thought with a running timer above the status row: it repeats the status. */
function withoutTimed(rows: readonly ScreenRow[], blocks: readonly RowBlock[]): RowBlock[] {
  const last = blocks.at(-1)
  const isTimed =
    last?.kind === 'prose' && last.spec === null && last.first === last.last && TIMED_NAME.test(rows[last.first]!.text)
  return isTimed ? blocks.slice(0, -1) : [...blocks]
}

function statusTail(rows: readonly ScreenRow[], blocks: readonly RowBlock[], hasComposer: boolean): StatusTail | null {
  const at = blocks.findLastIndex(block => !(block.kind === 'tool_result' && block.spec === null))
  const block = blocks[at]
  if (!block || block.spec !== null || block.first !== block.last) return null
  const { text } = rows[block.first]!
  const tail = (kind: StatusTail['kind']): StatusTail => ({ kind, row: block.first, above: blocks.slice(0, at) })
  const isLast = at === blocks.length - 1
  // Programs draw Braille patterns only as spinners.
  if (isLast && hasComposer && TURNING.test(text) && isShort(text)) return tail('working')
  // Right below the prompt: an answer would have replaced it.
  if (isLast && statesWork(text) && blocks[at - 1]?.kind === 'user') return tail('working')
  if (TIMED.test(text) && (isLast || block.kind === 'prose' || HINTED.test(text))) return tail('working')
  if (!isLast || block.kind !== 'prose') return null
  const count = COUNTED.exec(text)?.groups
  if (ELLIPSIS.test(text) || (count && Number(count.done) < Number(count.of))) return tail('working')
  return blocks.length > 1 && ENDED.test(text) ? tail('end') : null
}
