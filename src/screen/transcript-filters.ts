import { bodyStyle } from './blocks/row-style.js'
import { hasAlarmGutter, isAlarm, isCommandOnly } from './generic-grammar.js'
import type { RowBlock, RowRole } from './grammar.js'
import type { Pack } from './pack/pack.js'
import type { Region } from './region.js'
import type { ScreenRow } from './screen-row.js'
import { isQuiet } from './style-match.js'

/*
 * Not everything above the input box was said in the conversation. These functions remove what was
 * not, and classify the rest where no mark of the pack does.
 */

/** A prompt that waits in the agent's queue was not said yet; the row below it may say so. */
export function withoutQueued(rows: readonly ScreenRow[], blocks: readonly RowBlock[]): RowBlock[] {
  return blocks.filter(
    ({ spec, first, last }) => !spec?.queued || !rows.slice(first, last + 2).some(row => spec.queued!.test(row.text)),
  )
}

/** Slash commands and their results are neither prompts nor answers. */
export function withoutCommands(rows: readonly ScreenRow[], blocks: readonly RowBlock[], pack: Pack): RowBlock[] {
  let isCommand = false
  return blocks.filter(block => {
    if (block.kind === 'user')
      isCommand = pack.commands?.test(rows[block.first]!.text.slice(block.spec?.strip ?? 0)) ?? false
    else if (block.kind !== 'tool_result' && block.spec !== null) isCommand = false
    return !isCommand
  })
}

/** Rows attached below the working row belong to it; a block with a mark does not. */
export function withoutStatus(roles: readonly (RowRole | null)[], blocks: readonly RowBlock[]): RowBlock[] {
  const working = roles.lastIndexOf('working')
  const isHanging = (block: RowBlock) => block.kind === 'tool_result' || (block.kind === 'prose' && block.spec === null)
  if (working < 0 || !blocks.every(block => block.first < working || isHanging(block))) return [...blocks]
  return blocks.filter(block => block.first < working)
}

/** The newest block where no mark of the pack fits: a running command, or an error. */
export function withGuessedKind(rows: readonly ScreenRow[], blocks: readonly RowBlock[], pack: Pack): RowBlock[] {
  const newest = blocks.at(-1)
  if (newest === undefined || newest.spec !== null) return [...blocks]
  if (newest.kind === 'tool_result' && isCommandOnly(rows.slice(newest.first, newest.last + 1)))
    return [...blocks.slice(0, -1), { ...newest, isRunning: true }]
  // A warning before the first prompt is about something else.
  const isAnswered =
    blocks.some(block => block.kind === 'user') && (pack.byStructure || blocks.every(block => block.spec === null))
  // A remark in a quiet style may be between the prompt and the report.
  const asked = blocks
    .slice(0, -1)
    .findLast(({ kind, first, last }) => kind !== 'prose' || !rows.slice(first, last + 1).every(isQuiet))
  const isReport =
    pack.byStructure && asked?.kind === 'user' && (reportsError(rows[newest.first]!) || saysFailed(rows, newest))
  const isFailed = pack.byStructure && asked?.kind === 'user' && hasAlarmGutter(rows, newest, asked)
  const isError = isFailed || (newest.kind === 'prose' && isAnswered && (isAlarm(rows, newest) || isReport))
  return isError ? [...blocks.slice(0, -1), { ...newest, kind: 'error' }] : [...blocks]
}

/** A failed request in words, in place of an answer: a sign of failure, or a status code. */
const FAILED = /^\s{0,5}[⚠✖✗✘❌✕×]\s+(?:\(?[45]\d\d\b|\S.{0,60}?\b(?:error|failed|failure)\b)/iu
const STATUS = /^\s{0,3}(?:[^\p{L}\p{N}\s]{1,2}\s+)?.{0,60}?\berror: \(?[45]\d\d\b/iu
/** A longer text is an answer that is about errors. */
const REPORT_ROWS = 5

function saysFailed(rows: readonly ScreenRow[], { first, last }: RowBlock): boolean {
  if (last - first >= REPORT_ROWS) return false
  return rows.slice(first, last + 1).some(({ text }) => FAILED.test(text) || STATUS.test(text))
}

/** `Error: 401 …` in place of an answer, in a style that no answer has. */
function reportsError(row: ScreenRow): boolean {
  const isStyled = row.spans.every(span => span.text.trim() === '' || span.dim || span.fg !== null)
  return isStyled && /^\s{0,3}(?:[^\p{L}\p{N}\s]{1,2}\s+)?(?:api |request |stream )?error\b.{0,20}:/iu.test(row.text)
}

/** Dim rows right above the input box and right-aligned rows are hints, not text. */
export function withoutHints(
  rows: readonly ScreenRow[],
  blocks: readonly RowBlock[],
  cols: number,
  composer: Region | null,
): RowBlock[] {
  const kept = blocks.filter(
    block =>
      !(
        block.spec === null &&
        block.kind === 'prose' &&
        rows.slice(block.first, block.last + 1).every(row => row.indent >= cols / 2)
      ),
  )
  const last = kept.at(-1)
  const others = () => kept.slice(0, -1).flatMap(block => rows.slice(block.first, block.last + 1))
  const isLastHint =
    last !== undefined &&
    kept.length > 1 &&
    last.kind === 'prose' &&
    last.first === last.last &&
    !reportsError(rows[last.first]!) &&
    ((last.spec === null &&
      (isHint(rows[last.first]!, others) ||
        isLine(rows[last.first]!) ||
        isPartlyDrawn(rows[last.first]!) ||
        isModeRow(rows, last.first, composer))) ||
      repeatsBox(rows, last.first, composer))
  return isLastHint ? kept.slice(0, -1) : kept
}

/** Model and mode are in the input box as well: they are not part of the answer. */
function repeatsBox(rows: readonly ScreenRow[], index: number, composer: Region | null): boolean {
  const words = rows[index]!.text.replace(/^\s*[^\p{L}\p{N}\s]\s+/u, '').trim()
  if (!composer || !/\S [·∙•|] \S/u.test(words)) return false
  const named = words.split(/[\s·∙•|]+/u)
  // The box may say more: `Build auto · Model Provider`.
  return rows.slice(composer.first, composer.last + 1).some(row => {
    const inBox = row.text.split(/[\s·∙•|]+/u)
    return named.every(word => inBox.includes(word))
  })
}

/** Between a line across the screen and the input box: a mode, not an answer. */
function isModeRow(rows: readonly ScreenRow[], index: number, composer: Region | null): boolean {
  const above = rows[index - 1]
  return composer?.first === index + 1 && above !== undefined && isLine(above)
}

/** A line across the screen ends what is above it. */
function isLine({ text }: ScreenRow): boolean {
  return /^\s*[─━═╌╍┄┅┈┉]{20,}\s*$/u.test(text)
}

/** One or two characters: a row that is being drawn. */
function isPartlyDrawn({ text }: ScreenRow): boolean {
  return text.trim().length <= 2
}

/** In a quiet style that the other rows do not have: some themes draw all text in grey. */
function isHint(row: ScreenRow, others: () => readonly ScreenRow[]): boolean {
  if (row.indent < 0 || !isQuiet(row) || /^\s*[^\p{L}\p{N}\s]\s/u.test(row.text)) return false
  const grey = row.spans.filter(span => span.text.trim() !== '' && !span.dim)
  if (grey.length === 0) return true
  const { fg } = bodyStyle(others())
  return grey.every(span => span.fg !== fg)
}
