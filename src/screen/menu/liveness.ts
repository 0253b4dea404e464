import type { Frame } from '../../terminal/index.js'
import type { RowBlock } from '../grammar.js'
import type { Pack } from '../pack/pack.js'
import { isBlank } from '../region.js'
import { matchesRow } from '../style-match.js'
import { menuRows } from './menu-rows.js'
import type { MenuCandidate } from './parse-menu.js'

/**
 * Is this menu taking keys now, or is it the same words in a reply, a tool's output, a draft or replayed history?
 *
 * It is live only if nothing stands below it but its own footer and panels the pack knows (L1), there is no live input box (L2) and it is
 * not inside a transcript block (L3); and if its selection is proven at a live place: the glyph in the pack's column (L4), the hardware
 * cursor on the selected row (L5), or exactly one option in a style of its own (L6). Text can imitate each of these; not all of them.
 */
export function proveLive(
  candidate: MenuCandidate,
  frame: Frame,
  pack: Pack,
  surroundings: { hasComposer: boolean; blocks: readonly RowBlock[] },
): { isLive: boolean; proofs: string[]; failed: string | null } {
  const { group, spec } = candidate
  const proofs: string[] = []
  if (!onlyAllowedBelow(candidate, frame, pack)) return { isLive: false, proofs, failed: 'L1: other rows below it' }
  proofs.push('L1')
  if (surroundings.hasComposer) return { isLive: false, proofs, failed: 'L2: the input box is live' }
  proofs.push('L2')
  const inside = surroundings.blocks.find(block => block.spec !== null && block.first <= group.first && group.first <= block.last)
  if (inside) return { isLive: false, proofs, failed: `L3: inside a ${inside.kind} block` }
  proofs.push('L3')
  const selected = group.selected === null ? null : group.options[group.selected]!
  if (selected?.glyphColumn != null && (spec?.column == null || spec.column === selected.glyphColumn)) proofs.push('L4')
  if (selected && frame.cursor.y === selected.row) proofs.push('L5')
  if (group.shownBy === 'style' || (selected && standsOutByStyle(candidate, frame))) proofs.push('L6')
  const isShown = proofs.length > 3
  return { isLive: isShown, proofs, failed: isShown ? null : 'no selection at a live place (L4–L6)' }
}

function onlyAllowedBelow(candidate: MenuCandidate, frame: Frame, pack: Pack): boolean {
  const cleaned = menuRows(frame)
  let inPanel: RegExp | null = null
  for (let index = candidate.group.last + 1; index < frame.lines.length; index++) {
    const row = frame.lines[index]!
    const isFooter = candidate.footerRows !== null && index >= candidate.footerRows[0] && index <= candidate.footerRows[1]
    if (isBlank(row) || cleaned[index]!.isBlank || cleaned[index]!.isRule || isFooter) continue
    const panel = pack.panels.find(entry => matchesRow(row, entry.first))
    if (panel) {
      inPanel = panel.more
      continue
    }
    if (inPanel?.test(row.text)) continue
    return false
  }
  return true
}

function standsOutByStyle(candidate: MenuCandidate, frame: Frame): boolean {
  const { options, selected } = candidate.group
  if (selected === null) return false
  const keys = options.map(option => {
    const span = frame.lines[option.row]!.spans.find(item => item.x + item.width > option.labelColumn && item.text.trim() !== '')
    return span ? `${span.fg}/${span.bg}/${span.bold}/${span.inverse}` : ''
  })
  return keys.filter(key => key === keys[selected]).length === 1 && new Set(keys).size === 2
}
