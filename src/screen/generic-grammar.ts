import type { Color } from '../terminal/index.js'
import { beginningOf, continuesSpec } from './block-marks.js'
import type { RowBlock, RowRole } from './grammar.js'
import type { BlockSpec, Pack, ScreenBlockKind } from './pack/pack.js'
import { isBlank, type ScreenRow } from './screen-row.js'
import { isFaint, isWarning } from './style-match.js'

/*
 * Blocks of an agent that no pack describes. Agents agree on more than their looks suggest: a block
 * starts with a mark (a symbol and a blank) at the left edge and continues indented; text of the
 * user has the mark of the input box or its own background; output of a tool is attached below its
 * call after a corner or a gutter. Without any of these, paragraphs are prose. A pack that is based
 * on structure adds marks: a row with one of them starts that block, and the rest stays as it is.
 */
const MARK = /^(?<indent>\s{0,2})(?<glyph>[^\p{L}\p{N}\s"'`([{<\\/@#$.,;:─━│┃╭╮╰╯┌┐└┘▄▀█▌▐-])\s+(?=\S)/u
const CORNER = /^\s{1,4}[⎿└╰├│┆┊┃↳]\s/u
const PROMPT = /^\s{0,2}[❯›>▷»➜▶]\s+\S/u
const BARE_GUTTER = /^\s{0,3}[┃▌▎]\s*$/u
const GUTTER = /^\s{0,3}[┃▌▎]/u
const LINE = /^\s*[─━═▄▀▔▁]{8,}\s*$/u
const CALL = /^\s{0,3}\S?\s*(?:[A-Z][\w]{1,20}\(|\$ |[a-z_]{3,30}\()/u
const COMMAND = /^\s{0,5}\$ \S/u
/** `⚒ execute_bash`, `⚒ Ran 1 command`: the name of a tool, or what it did, in few words. */
const NAMED =
  /^\s{0,5}[^\p{L}\p{N}\s"'`]{1,2}\s+(?:[a-z]+(?:_[a-z]+)+\s*$|(?:Ran|Running|Read|Reading|Made|Edited|Editing|Wrote|Writing|Searched|Listed|Created|Updated|Deleted|Fetched|Called|Calling|Executed|Explored)\b(?:\s+[^\s.!?]\S*){0,6}\s*$)/u

/** `▸ shell` above `command: npm test`: a tool and its arguments. */
const TITLE = /^\s{0,5}[^\p{L}\p{N}\s"'`]\s+[\p{L}_][\w.:-]{1,40}(?: [\w.:-]{1,30})?\s*$/u
const ARGUMENT = /^\s{3,8}[a-z][\w-]{1,30}: \S/u
/** `◇  Question` above `│  Answer`: a dialog that was answered. */
const ANSWERED = /^[◇◆■▲]\s{2}\S/u
const ANSWER = /^[│└](?:\s|$)/u

/** `● Ran a command · $ npm test · 4 more lines`. */
const REPORTED =
  /^\s{0,5}[^\p{L}\p{N}\s"'`]{1,2}\s+(?:Ran|Running|Read|Reading|Edited|Editing|Wrote|Writing|Searched|Searching|Used|Using|Called|Calling)\b.{0,80}? · \S/u
/** `⠇ thinking…` above what the model thinks. */
const THOUGHT = /^\s{0,3}(?:[┃│▌▎]\s+)?\S{1,2}\s+(?:thinking|reasoning)(?:…|\.{3})/iu
const FRAME_TOP = /^\s{0,3}[╭┌╔][─━═]{3,}[^┬╦]*[╮┐╗]\s*$/u
const FRAME_ROW = /^\s{0,3}[│┃║├╠╰└╚]/u
const FRAME_END = /^\s{0,3}[╰└╚]/u
/** `✓ Shell npm test`: a mark that says how a tool fares, and the name of the tool. */
const STATED = /^\s{0,4}[✓✔✗✘⊷⊶◌⚙⏳]\s{1,2}\p{Lu}[\p{L}_]{1,20}(?:\s{1,2}\S.*)?$/u

/** `stdout (code: 0, duration: 4.1s)`: what a tool printed, below how it ended. */
const EXITED = /^\s{0,6}[\w. ]{1,40} \((?:exit )?code:? -?\d+\b[^()]*\)\s*$/u

/** The kind of block that a row without a mark of the pack starts. */
export function unmarkedKind(
  row: ScreenRow,
  next: ScreenRow | undefined,
  isPrompt: (row: ScreenRow) => boolean,
): ScreenBlockKind {
  if (isPrompt(row)) return 'user'
  if (CORNER.test(row.text)) return 'tool_result'
  return MARK.test(row.text) && isCall(row, next) ? 'tool_call' : 'prose'
}

/**
 * `$ npm test` after a corner is the command of the call; its output replaces it or follows below.
 */
export function isCommandOnly(rows: readonly ScreenRow[]): boolean {
  return /^\s{1,4}[⎿└╰├↳]\s+\$ \S/u.test(rows[0]?.text ?? '') && rows.slice(1).every(row => row.indent > 5)
}

/** A row with a mark or a corner before its text: it starts a block by itself. */
export function hasMark(row: ScreenRow): boolean {
  return MARK.test(row.text) || CORNER.test(row.text)
}

export function genericBlocks(
  rows: readonly ScreenRow[],
  pack: Pack,
  roleOf: (row: ScreenRow) => RowRole | null,
): RowBlock[] {
  const blocks: RowBlock[] = []
  const page = pageColour(rows)
  let current: RowBlock | null = null
  let indent = 0
  let blanks = 0
  /** The last row of the frame that is being read. */
  let frameEnd = -1
  const begin = (kind: ScreenBlockKind, index: number, at: number, spec: BlockSpec | null = null) => {
    current = { kind, spec, first: index, last: index, isRunning: false }
    indent = at
    blocks.push(current)
  }
  /** A row that the pack describes: the start of a block, or the continuation of one. */
  const takeDescribed = (row: ScreenRow, index: number): boolean => {
    const spec =
      pack.blocks.length === 0 ? null : beginningOf(rows, index, pack, { block: current, isApart: blanks > 0 })
    if (spec) begin(spec.kind, index, row.indent, spec)
    else if (!current?.spec) return false
    else if (continuesSpec(current.spec, row, { blanks, gaps: blanks })) current.last = index
    else {
      current = null
      return false
    }
    if (current!.spec!.running?.test(row.text)) current!.isRunning = true
    return true
  }
  rows.forEach((row, index) => {
    // A gutter without text is the edge of a band.
    if (isBlank(row) || BARE_GUTTER.test(row.text)) {
      blanks++
      return
    }
    const role = roleOf(row)
    if (role) {
      if (role === 'terminator') current = null
      return
    }
    if (isAnsweredDialog(rows, index)) return
    if (takeDescribed(row, index)) {
      blanks = 0
      return
    }
    if (FRAME_TOP.test(row.text)) {
      frameEnd = endOfFrame(rows, index)
      if (frameEnd >= 0) begin(framedKind(rows.slice(index + 1, frameEnd)), index, row.indent)
    }
    if (index <= frameEnd) {
      current!.last = index
      if (index === frameEnd) current = null
      blanks = 0
      return
    }
    // A line across the screen separates: it belongs to nothing.
    if (LINE.test(row.text)) {
      current = null
      return
    }
    const isBand = hasBackground(row, page)
    const isOneBand =
      (isBand && current !== null && isInBand(rows, current.last, index, page)) ||
      (current !== null && isInGutter(rows, current.first, index))
    if (isOneBand && current !== null) {
      // A band is one text; what a tool printed follows its head.
      if (current.kind === 'tool_call' && blanks > 0) begin('tool_result', index, row.indent)
      else current.last = index
    } else if (isBand) begin(isToolHead(row) ? 'tool_call' : 'user', index, row.indent)
    else if (
      COMMAND.test(row.text) ||
      NAMED.test(row.text) ||
      REPORTED.test(row.text) ||
      isStated(rows, index) ||
      isOrder(row)
    )
      begin('tool_call', index, row.indent)
    else if (EXITED.test(row.text)) begin('tool_result', index, row.indent)
    else if (isQuotedCode(row, blocks.at(-1), blanks > 0)) begin('prose', index, row.indent)
    else if (PROMPT.test(row.text) || hasMark(row))
      begin(
        unmarkedKind(row, rows[index + 1], () => PROMPT.test(row.text)),
        index,
        row.indent,
      )
    else if (current && blanks > 0 && GUTTER.test(rows[current.first]!.text) && !GUTTER.test(row.text))
      begin('prose', index, row.indent)
    else if (current && blanks <= 1 && row.indent > indent) current.last = index
    else if (current && blanks === 0) current.last = index
    else begin('prose', index, row.indent)
    blanks = 0
  })
  return mergeResults(blocks.map(block => (isThought(rows, block) ? { ...block, kind: 'thought' } : block)))
}

function isThought(rows: readonly ScreenRow[], { kind, spec, first, last }: RowBlock): boolean {
  const isOther = kind !== 'prose' && kind !== 'tool_call' && kind !== 'tool_result'
  return !isOther && spec === null && last > first && THOUGHT.test(rows[first]!.text)
}

/** A gutter apart from any tool: code in an answer. */
function isQuotedCode(row: ScreenRow, above: RowBlock | undefined, isApart: boolean): boolean {
  return isApart && above?.kind === 'prose' && above.spec === null && /^\s{1,4}[│┆┊]\s/u.test(row.text)
}

/** The lower edge of a frame, if all rows down to it have its side. */
function endOfFrame(rows: readonly ScreenRow[], top: number): number {
  for (let index = top + 1; index < rows.length && FRAME_ROW.test(rows[index]!.text); index++)
    if (FRAME_END.test(rows[index]!.text)) return index
  return -1
}

/** Agents frame prompts after a glyph, and tools after a mark with their name. */
function framedKind(body: readonly ScreenRow[]): ScreenBlockKind {
  const texts = body.map(row => row.text.replace(/^\s*[│┃║]|[│┃║]\s*$/gu, '').trim()).filter(text => text !== '')
  const [first] = texts
  if (first === undefined) return 'prose'
  if (/^[❯›>»▷➜▶]\s+\S/u.test(first)) return 'user'
  // Output may be above the command that prints it.
  if (texts.some(text => /^\$ \S/u.test(text))) return 'tool_call'
  const isBanner = /\bwelcome\b|\bv?\d+\.\d+\.\d+/iu.test(first)
  return /^(?:[^\p{L}\p{N}\s"'`([{]{1,2}\s+){1,2}[\p{L}_$]/u.test(first) && !isBanner ? 'tool_call' : 'prose'
}

/**
 * `◆ Run the tests`, `→ 1 answered`: what a tool does or did, in a quieter style than what the
 * agent says.
 */
const ORDER =
  /^\s{0,5}(?:[^\p{L}\p{N}\s"'`•*·✓✔✗✘☐☒☑◻◼□■▪-]\s+(?:Run|Read|Edit|Write|Search|List|Create|Update|Delete|Fetch|Call|Execute|Find|Open|Ask)\b|[→←⚙]\s+[\p{L}\p{N}])\s?\S/u

function isOrder(row: ScreenRow): boolean {
  if (!ORDER.test(row.text)) return false
  const [verb, ...rest] = row.spans.filter(
    span => span.x > row.indent && span.x < row.text.length && span.text.trim() !== '',
  )
  const isNamed = verb?.bold === true && rest.length > 0 && rest.every(span => !span.bold)
  return isNamed || [verb, ...rest].every(span => span === undefined || isFaint(span, row))
}

/** With nothing or its output below: entries of a list follow each other. */
function isStated(rows: readonly ScreenRow[], index: number): boolean {
  const row = rows[index]!
  const next = rows[index + 1]
  return STATED.test(row.text) && (isBlank(next) || next!.indent > row.indent)
}

/** The dialog was neither said nor done by a tool: what is above and below it belongs together. */
function isAnsweredDialog(rows: readonly ScreenRow[], index: number): boolean {
  let first = index
  while (first > 0 && ANSWER.test(rows[first]!.text)) first--
  return ANSWERED.test(rows[first]!.text) && ANSWER.test(rows[first + 1]?.text ?? '')
}

function isCall(row: ScreenRow, next: ScreenRow | undefined): boolean {
  if (CALL.test(row.text) || NAMED.test(row.text)) return true
  if (next === undefined || isBlank(next)) return false
  return CORNER.test(next.text) || (TITLE.test(row.text) && ARGUMENT.test(next.text) && next.indent > row.indent)
}

/** A whole block in a warning colour that nothing else said has: not an answer. */
export function isAlarm(rows: readonly ScreenRow[], { first, last }: RowBlock): boolean {
  return rows
    .slice(first, last + 1)
    .every(row => isBlank(row) || row.spans.every(span => span.text.trim() === '' || isWarning(span.fg)))
}

/**
 * A text after a gutter in a warning colour that the prompt's gutter does not have: the request
 * failed.
 */
export function hasAlarmGutter(rows: readonly ScreenRow[], { first, last }: RowBlock, prompt: RowBlock): boolean {
  const gutterOf = (row: ScreenRow) => (GUTTER.test(row.text) ? row.spans.find(span => span.text.trim() !== '') : null)
  const colours = rows.slice(first, last + 1).map(row => gutterOf(row)?.fg ?? null)
  const other = gutterOf(rows[prompt.first]!)?.fg ?? null
  return colours.every(colour => isWarning(colour) && colour !== other)
}

/** The background of most rows: some programs paint the whole screen. */
function pageColour(rows: readonly ScreenRow[]): Color {
  const counts = new Map<Color, number>()
  for (const row of rows) {
    const edge = row.spans[0]?.bg ?? null
    counts.set(edge, (counts.get(edge) ?? 0) + 1)
  }
  return [...counts].reduce<[Color, number]>((best, found) => (found[1] > best[1] ? found : best), [null, 0])[0]
}

/** All its text is on a background that the page does not have. */
function hasBackground(row: ScreenRow, page: Color): boolean {
  const words = row.spans.filter(span => /[^\s│┃▌▎]/u.test(span.text))
  const first = words[0]
  return first !== undefined && first.bg !== null && first.bg !== page && words.every(span => span.bg === first.bg)
}

/** The background of most of a row's cells. */
function bandColour(row: ScreenRow): Color {
  return row.spans.reduce<{ width: number; bg: Color }>((widest, span) => (span.width > widest.width ? span : widest), {
    width: 0,
    bg: null,
  }).bg
}

/** Every row between these belongs to the same band as they do. */
function isInBand(rows: readonly ScreenRow[], from: number, to: number, page: Color): boolean {
  const colour = bandColour(rows[to]!)
  return rows.slice(from, to + 1).every(row => bandColour(row) === colour && colour !== page)
}

/** Every row between these has the same gutter: parts of it may have a background of their own. */
function isInGutter(rows: readonly ScreenRow[], from: number, to: number): boolean {
  const { indent, text } = rows[from]!
  const sign = text[indent]
  return GUTTER.test(text) && rows.slice(from, to + 1).every(row => row.indent === indent && row.text[indent] === sign)
}

/** The name of a tool call is bold, or follows a dollar or number sign or an animated mark. */
function isToolHead(row: ScreenRow): boolean {
  const words = row.spans.find(span => /[^\s│┃▌▎]/u.test(span.text))
  return words?.bold === true || /^[\s│┃▌▎]*(?:[$#→←✱⚙◈◇✓✔✗✘×?]|[\u2800-\u28ff])\s+\S/u.test(row.text)
}

/** Rows after one gutter are one result. */
function mergeResults(blocks: readonly RowBlock[]): RowBlock[] {
  const merged: RowBlock[] = []
  for (const block of blocks) {
    const above = merged.at(-1)
    if (
      above?.kind === block.kind &&
      (block.kind === 'tool_result' || block.kind === 'user') &&
      block.spec === null &&
      block.first === above.last + 1
    )
      above.last = block.last
    else merged.push({ ...block })
  }
  return merged
}
