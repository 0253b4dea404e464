import type { Frame } from '../../terminal/index.js'
import type { RowBlock } from '../grammar.js'
import type { Pack } from '../pack/pack.js'
import { isBlank, type ScreenRow } from '../screen-row.js'
import { matchesRow } from '../style-match.js'
import { isWorkingHint } from '../working-row.js'
import { confirmsOrLeaves, fragments, looksLikeHints } from './menu-head.js'
import { spanFrom } from './menu-rows.js'
import { distinctOption } from './option-group.js'
import type { MenuCandidate } from './parse-menu.js'

export interface LivenessResult {
  isLive: boolean
  proofs: string[]
  failed: string | null
}

/**
 * Does this menu take keys now, or are these the same words in a reply, a tool's output, a draft or
 * replayed history?
 *
 * Three conditions must hold: below it there is only its own footer and panels that the pack knows
 * (`nothing-below`), there is no live input box (`no-input-box`), and it is not inside a transcript
 * block (`outside-transcript`). And one of three signs must prove its selection: the glyph in the
 * pack's column (`pointer`), the hardware cursor on the selected row (`cursor`), or exactly one
 * option in its own style (`highlight`). Text can imitate each of these, but not all of them. A
 * window in the middle of the screen covers the rest: what is visible around it does not count for
 * the three conditions.
 */
export function proveLive(
  candidate: MenuCandidate,
  frame: Frame,
  rows: readonly ScreenRow[],
  pack: Pack,
  surroundings: { hasComposer: boolean; blocks: readonly RowBlock[] },
): LivenessResult {
  const { group, spec, menu } = candidate
  const proofs: string[] = []
  const fail = (failed: string): LivenessResult => ({ isLive: false, proofs, failed })
  const selectedRow = group.selected === null ? null : group.options[group.selected]!
  const isProvenOtherwise =
    selectedRow !== null &&
    (frame.cursor.y === selectedRow.row ||
      group.shownBy === 'style' ||
      distinctOption(candidate.rows, group.options) === group.selected)
  const isOverlay = candidate.isOverlay === true
  const otherRow = isOverlay ? null : otherRowBelow(candidate, rows, pack, isProvenOtherwise ? 2 : 0)
  if (otherRow !== null) return fail(`nothing-below: row ${otherRow} below it is not its own`)
  proofs.push('nothing-below')
  if (surroundings.hasComposer && !isOverlay) return fail('no-input-box: the input box is live')
  proofs.push('no-input-box')
  const inside = surroundings.blocks.find(
    block =>
      block.spec !== null &&
      !block.spec.weak &&
      // A dialog may be drawn as an error is: what is last on the screen and takes keys is neither.
      block.kind !== 'error' &&
      block.first <= group.first &&
      group.first <= block.last &&
      !isOnPanel(candidate, rows, block),
  )
  if (inside && !isOverlay) return fail(`outside-transcript: it is inside a ${inside.kind} block`)
  proofs.push('outside-transcript')
  if (group.shownBy === 'cursor') return { isLive: true, proofs: [...proofs, 'cursor'], failed: null }
  const selected = selectedRow
  if (selected?.glyphColumn != null && isLiveColumn(candidate, selected.glyphColumn, frame, pack))
    proofs.push('pointer')
  // A text field or buttons that the pack knows or that replaced the input box; round marks with
  // the keys that confirm them.
  else if (group.options.length === 0 && (spec || hasConfirmKeys(candidate, rows, pack))) proofs.push('pointer')
  else if (group.isButtons && hasConfirmKeys(candidate, rows, pack)) proofs.push('pointer')
  else if (group.isRadio && group.layout === 'horizontal' && /[?？]$/u.test(menu.question)) proofs.push('pointer')
  else if (
    group.isRadio &&
    (menu.footer.length >= 2 || menu.footer.some(({ keys }) => /\b(?:enter|return)\b/iu.test(keys)))
  )
    proofs.push('pointer')
  if (selected && frame.cursor.y === selected.row) proofs.push('cursor')
  const distinct =
    group.layout === 'vertical'
      ? distinctOption(candidate.rows, group.options)
      : group.shownBy === 'style'
        ? group.selected
        : null
  if (distinct !== null && distinct >= 0 && distinct === group.selected) proofs.push('highlight')
  if (menu.keys.choose === 'accelerator') proofs.push('pointer')
  return proofs.length > 3
    ? { isLive: true, proofs, failed: null }
    : fail('no pointer, cursor or highlight proves the selection')
}

/** The menu has its own background, which the block does not have. */
function isOnPanel({ group, rows: menuRows }: MenuCandidate, rows: readonly ScreenRow[], block: RowBlock): boolean {
  const option = group.options.find((_, index) => index !== group.selected) ?? group.options[0]!
  const background = spanFrom(menuRows[option.row]!, option.labelColumn)?.bg ?? null
  return background !== null && rows[block.first]!.spans.every(span => span.bg !== background)
}

/**
 * The pack's column for this kind; in a box, the first cell inside. For a menu that no pack knows,
 * the pointer counts only together with key hints above it, below it or in its options; or below a
 * question with a field for another answer; or, with numbers, if the agent's input box is known and
 * has disappeared, if the cursor is hidden, or in a frame from plain text, which has nothing else.
 */
function isLiveColumn(candidate: MenuCandidate, column: number, frame: Frame, pack: Pack): boolean {
  const { spec, menu, rows, group } = candidate
  if (spec && (spec.column === null || spec.column === column)) return true
  const first = rows[group.first]
  if (first?.isBoxed) return column - first.left <= 4
  if (spec) return false
  // A window that covers the rest has the keyboard.
  if (candidate.isOverlay) return true
  const hasKeys =
    menu.footer.length > 0 ||
    menu.options.filter(option => option.accelerator).length >= 2 ||
    rows.slice(menu.rows[0], group.first).some(row => confirmsOrLeaves(row))
  // A question with an answer to type has replaced the input box: a list in a reply has neither.
  const isAsked = /[?？]$/u.test(menu.question) && menu.text !== null
  if ((hasKeys || isAsked) && column <= 3) return true
  const isNumbered = group.options.every(option => option.number !== null) && group.options[0]!.number === 1
  const isBoxKnown = pack.regions.some(region => region.name === 'composer')
  // A program that prints lines leaves the cursor behind them; one that draws a dialog hides it.
  const isDrawn = frame.isPlainText === true || (pack.byStructure && !frame.cursor.visible)
  return isNumbered && ((isBoxKnown && column <= 1) || (isDrawn && column <= 3))
}

/** The known input box is not on screen, and the last row names confirming keys. */
function hasConfirmKeys(
  { footerRows, rows: menuRows }: MenuCandidate,
  rows: readonly ScreenRow[],
  pack: Pack,
): boolean {
  const last = rows.findLastIndex((row, index) => !isBlank(row) && !menuRows[index]!.isRule)
  return (
    pack.regions.some(region => region.name === 'composer') &&
    footerRows?.[1] === last &&
    menuRows.slice(footerRows[0], last + 1).some(row => confirmsOrLeaves(row))
  )
}

/** The last row of the screen names the key that confirms the selected option. */
function endsInKeys({ footerRows, group, rows: menuRows }: MenuCandidate, rows: readonly ScreenRow[]): boolean {
  const last = rows.findLastIndex((row, index) => !isBlank(row) && !menuRows[index]!.isRule)
  return (
    group.selected !== null &&
    footerRows?.[1] === last &&
    menuRows
      .slice(footerRows[0], last + 1)
      .some(row => fragments(row).some(({ keys }) => /\b(?:enter|return)\b/iu.test(keys)))
  )
}

/** The last row of the screen, separated from the options by a blank row. */
function isLastRow(rows: readonly ScreenRow[], { group }: MenuCandidate, index: number): boolean {
  return (
    index > group.last + 1 && rows.slice(index + 1).every(isBlank) && rows.slice(group.last + 1, index).every(isBlank)
  )
}

/** Below the menu, subjects with the same symbol at the left wait for their turn. */
function queuedRequests({ menu, rows, group }: MenuCandidate): { indent: number; sign: string; more: RegExp } | null {
  const head = rows[menu.rows[0]]
  const sign = /^\s*([^\p{L}\p{N}\s"'`([{/\\─━│┃╭╰┌└] )\S/u.exec(head?.text ?? '')?.[1]
  if (!head || sign === undefined || head.index >= group.first) return null
  return { indent: head.indent, sign, more: new RegExp(`^\\s{${head.indent + 1},}\\S`, 'u') }
}

const TASK = /^\s{1,5}(?:\d+ tasks? \(|(?:⎿\s*)?[◻◼☐☒☑✔✓□■▪] \S)/u
const WAITING = /^\s{0,3}[\u2801-\u28ff] \p{L}/u
/** `⠏ Waiting for user confirmation...`: the program itself says that a person is asked. */
const AWAITS = /^\s{0,3}[\u2801-\u28ff] waiting for (?:user|your|confirmation|approval|permission|input|an answer)\b/iu
/** A status bar at the bottom of the screen has at most this many rows. */
const STATUS_ROWS = 3
/** With its keys in them. */
const FOOTER_ROWS = 5

/**
 * Rows that agents draw below a live dialog: their list of tasks, a spinner in the last row, and a
 * status bar. None of it follows the dialog without a blank row.
 */
function isStatus(candidate: MenuCandidate, rows: readonly ScreenRow[], index: number): boolean {
  const { group, footerRows } = candidate
  const end = footerRows?.[1] ?? group.last
  if (isBelowEdge(candidate, rows, index)) return true
  const isApart = rows.slice(end + 1, index).some(isBlank)
  if (!isApart) return false
  const { text } = rows[index]!
  const isLast = rows.slice(index + 1).every(isBlank)
  if (TASK.test(text) || (isLast && footerRows !== null && WAITING.test(text))) return true
  const bar = rows.length - STATUS_ROWS
  const isKeyed = group.options.some(option => /^\[[a-z]\] /iu.test(option.label))
  const hasPointer = group.options.some(option => option.glyphColumn !== null)
  return index >= bar && (isKeyed || hasPointer) && !isBlank(rows.at(-1)) && rows.slice(end + 1, bar).every(isBlank)
}

/**
 * The status rows of a program below a dialog that has a lower edge: a box, or two lines across the
 * screen.
 */
function isBelowEdge(
  { group, menu, rows: menuRows }: MenuCandidate,
  rows: readonly ScreenRow[],
  index: number,
): boolean {
  const edge = menuRows.findIndex((row, at) => at > group.last && row.isRule)
  const isFramed = menuRows[group.last]!.isBoxed || menuRows[menu.rows[0]]?.isRule === true
  if (!isFramed || edge < 0 || index < edge) return false
  const below = rows.slice(edge + 1).filter(row => !isBlank(row) && !menuRows[row.index]!.isRule)
  // Keys that confirm and cancel below the edge are those of the dialog, whatever is next to them.
  if (below.length <= FOOTER_ROWS && below.some(row => confirmsOrLeaves(row))) return true
  return (
    below.length <= STATUS_ROWS && below.every(row => isBar(row) || AWAITS.test(row.text) || fragments(row).length > 0)
  )
}

/** At the right, or in parts: not a sentence, and not a sign of work. */
function isBar({ text, indent }: ScreenRow): boolean {
  const isParted = /\S\s{2,}\S|\S [·•|] \S/u.test(text) || indent >= 40
  return isParted && !isWorkingHint(text) && !/^\s{0,3}[\u2801-\u28ff]/u.test(text)
}

/** `hints`: rows below that may be hints, if cursor or style proves the selection. */
function otherRowBelow(candidate: MenuCandidate, rows: readonly ScreenRow[], pack: Pack, hints: number): number | null {
  let hintsLeft = hints
  let more: RegExp | null = null
  // Text between the options and the keys that confirm or cancel explains the options, or says what
  // went wrong with the last choice.
  const isExplained = hasConfirmKeys(candidate, rows, pack) || endsInKeys(candidate, rows)
  const explainedTo = isExplained ? candidate.footerRows![0] : -1
  let isInBox = candidate.rows[candidate.group.last]!.isBoxed
  const waiting = queuedRequests(candidate)
  for (let index = candidate.group.last + 1; index < rows.length; index++) {
    const row = rows[index]!
    const own = candidate.rows[index]!
    const isFooter =
      candidate.footerRows !== null && index >= candidate.footerRows[0] && index <= candidate.footerRows[1]
    // Text inside the menu's own box belongs to it.
    if (own.isRule) isInBox = false
    if (
      isBlank(row) ||
      own.isBlank ||
      own.isRule ||
      isFooter ||
      (isInBox && own.isBoxed) ||
      (index < explainedTo && row.indent > 0 && !pack.blocks.some(block => matchesRow(row, block.first))) ||
      /^\s*(?:▼|↓ \d+ more)/u.test(own.text)
    )
      continue
    if (isStatus(candidate, rows, index)) continue
    const panel = pack.panels.find(entry => matchesRow(row, entry.first))
    if (panel) more = panel.more
    else if (waiting && row.indent === waiting.indent && row.text.trimStart().startsWith(waiting.sign))
      more = waiting.more
    else if (more?.test(row.text) || pack.chrome.some(entry => matchesRow(row, entry.first))) continue
    else if (hintsLeft > 0 && (looksLikeHints(own) || isLastRow(rows, candidate, index))) hintsLeft--
    else return index
  }
  return null
}
