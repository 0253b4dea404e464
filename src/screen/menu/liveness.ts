import type { Frame } from '../../terminal/index.js'
import type { RowBlock } from '../grammar.js'
import type { Pack } from '../pack/pack.js'
import { isBlank, type ScreenRow } from '../screen-row.js'
import { matchesRow } from '../style-match.js'
import { confirmsOrLeaves, looksLikeHints } from './menu-head.js'
import { spanFrom } from './menu-rows.js'
import { distinctOption } from './option-group.js'
import type { MenuCandidate } from './parse-menu.js'

export interface LiveVerdict {
  isLive: boolean
  proofs: string[]
  failed: string | null
}

/**
 * Is this menu taking keys now, or is it the same words in a reply, a tool's output, a draft or replayed history?
 *
 * It is live only if nothing stands below it but its own footer and panels the pack knows (L1), there is no live input box (L2) and it is
 * not inside a transcript block (L3); and if its selection is proven at a live place: the glyph in the pack's column (L4), the hardware
 * cursor on the selected row (L5), or exactly one option in a style of its own (L6). Text can imitate each of these; not all of them.
 * A window in the middle of the screen lies over the rest: what shows around it does not count for L1–L3.
 */
export function proveLive(
  candidate: MenuCandidate,
  frame: Frame,
  rows: readonly ScreenRow[],
  pack: Pack,
  surroundings: { hasComposer: boolean; blocks: readonly RowBlock[] },
): LiveVerdict {
  const { group, spec, menu } = candidate
  const proofs: string[] = []
  const fail = (failed: string): LiveVerdict => ({ isLive: false, proofs, failed })
  const selectedRow = group.selected === null ? null : group.options[group.selected]!
  const isProvenOtherwise =
    selectedRow !== null &&
    (frame.cursor.y === selectedRow.row ||
      group.shownBy === 'style' ||
      distinctOption(candidate.rows, group.options) === group.selected)
  const isWindow = candidate.isWindow === true
  const foreign = isWindow ? null : foreignRowBelow(candidate, rows, pack, isProvenOtherwise ? 2 : 0)
  if (foreign !== null) return fail(`L1: row ${foreign} below it is not its own`)
  proofs.push('L1')
  if (surroundings.hasComposer && !isWindow) return fail('L2: the input box is live')
  proofs.push('L2')
  const inside = surroundings.blocks.find(
    block =>
      block.spec !== null &&
      !block.spec.weak &&
      block.first <= group.first &&
      group.first <= block.last &&
      !isOnPanel(candidate, rows, block),
  )
  if (inside && !isWindow) return fail(`L3: inside a ${inside.kind} block`)
  proofs.push('L3')
  if (group.shownBy === 'cursor') return { isLive: true, proofs: [...proofs, 'L5'], failed: null }
  const selected = selectedRow
  if (selected?.glyphColumn != null && isLiveColumn(candidate, selected.glyphColumn, frame, pack)) proofs.push('L4')
  // A field to write into, or buttons, that the pack knows or that took the place of the input box; round marks with the keys that confirm them.
  else if (group.options.length === 0 && (spec || hasKeyboard(candidate, rows, pack))) proofs.push('L4')
  else if (group.isButtons && hasKeyboard(candidate, rows, pack)) proofs.push('L4')
  else if (group.isRadio && menu.footer.some(({ keys }) => /\b(?:enter|return)\b/iu.test(keys))) proofs.push('L4')
  if (selected && frame.cursor.y === selected.row) proofs.push('L5')
  const loud =
    group.layout === 'vertical'
      ? distinctOption(candidate.rows, group.options)
      : group.shownBy === 'style'
        ? group.selected
        : null
  if (loud !== null && loud >= 0 && loud === group.selected) proofs.push('L6')
  if (spec?.choose === 'accelerator') proofs.push('L4')
  return proofs.length > 3 ? { isLive: true, proofs, failed: null } : fail('no selection at a live place (L4–L6)')
}

/** The menu lies on a ground of its own: its rows have a background that the block's have not. */
function isOnPanel({ group, rows: menuRows }: MenuCandidate, rows: readonly ScreenRow[], block: RowBlock): boolean {
  const option = group.options.find((_, index) => index !== group.selected) ?? group.options[0]!
  const ground = spanFrom(menuRows[option.row]!, option.labelColumn)?.bg ?? null
  return ground !== null && rows[block.first]!.spans.every(span => span.bg !== ground)
}

/**
 * The pack's column for this kind; in a box, the first cell inside. A menu that no pack knows proves itself by its pointer only together
 * with key hints, above it, below it or in its options; or, with numbers, where the agent's input box is known and has gone; or in a picture in text, which has nothing else.
 */
function isLiveColumn(candidate: MenuCandidate, column: number, frame: Frame, pack: Pack): boolean {
  const { spec, menu, rows, group } = candidate
  if (spec && (spec.column === null || spec.column === column)) return true
  const first = rows[group.first]
  if (first?.isBoxed) return column - first.left <= 4
  if (spec) return false
  const hasKeys =
    menu.footer.length > 0 ||
    menu.options.filter(option => option.accelerator).length >= 2 ||
    rows.slice(menu.rows[0], group.first).some(row => confirmsOrLeaves(row))
  if (hasKeys && column <= 3) return true
  const isNumbered = group.options.every(option => option.number !== null) && group.options[0]!.number === 1
  const isBoxKnown = pack.regions.some(region => region.name === 'composer')
  return isNumbered && ((isBoxKnown && column <= 1) || (frame.isPlainText === true && column <= 3))
}

/** The agent's input box is known and is not there; the last words on the screen are keys that confirm or leave. */
function hasKeyboard({ footerRows, rows: menuRows }: MenuCandidate, rows: readonly ScreenRow[], pack: Pack): boolean {
  const last = rows.findLastIndex((row, index) => !isBlank(row) && !menuRows[index]!.isRule)
  return (
    pack.regions.some(region => region.name === 'composer') &&
    footerRows?.[1] === last &&
    menuRows.slice(footerRows[0], last + 1).some(row => confirmsOrLeaves(row))
  )
}

/** The last row of the screen, apart from the options by a blank row. */
function isLastRow(rows: readonly ScreenRow[], { group }: MenuCandidate, index: number): boolean {
  return (
    index > group.last + 1 && rows.slice(index + 1).every(isBlank) && rows.slice(group.last + 1, index).every(isBlank)
  )
}

/** What the menu is about begins with a sign, at the left: below it others with the same sign wait to be asked about. */
function queuedRequests({ menu, rows, group }: MenuCandidate): { indent: number; sign: string; more: RegExp } | null {
  const head = rows[menu.rows[0]]
  const sign = /^\s*([^\p{L}\p{N}\s"'`([{/\\─━│┃╭╰┌└] )\S/u.exec(head?.text ?? '')?.[1]
  if (!head || sign === undefined || head.index >= group.first) return null
  return { indent: head.indent, sign, more: new RegExp(`^\\s{${head.indent + 1},}\\S`, 'u') }
}

/** `hints`: how many rows below may be key hints in words that nobody knows, where the selection is proven by cursor or style. */
function foreignRowBelow(
  candidate: MenuCandidate,
  rows: readonly ScreenRow[],
  pack: Pack,
  hints: number,
): number | null {
  let hintsLeft = hints
  let more: RegExp | null = null
  // What is said between the options and the keys that confirm or leave is about them.
  const explainedTo = hasKeyboard(candidate, rows, pack) ? candidate.footerRows![0] : -1
  let isInBox = candidate.rows[candidate.group.last]!.isBoxed
  const waiting = queuedRequests(candidate)
  for (let index = candidate.group.last + 1; index < rows.length; index++) {
    const row = rows[index]!
    const own = candidate.rows[index]!
    const isFooter =
      candidate.footerRows !== null && index >= candidate.footerRows[0] && index <= candidate.footerRows[1]
    // Words inside the menu's own box are its own.
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
