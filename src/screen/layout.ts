import type { Frame, Row } from '../terminal/index.js'
import { type RowBlock, splitBlocks, terminatorOf } from './grammar.js'
import { type MenuCandidate, parseMenu } from './menu/parse-menu.js'
import { proveLive } from './menu/liveness.js'
import type { Terminator } from './observation.js'
import type { Pack } from './pack/pack.js'
import { findRegion, isBlank, lastNonBlank, type Region } from './region.js'
import { matchesRow } from './style-match.js'

/** A frame taken apart: where its live part begins, what lies above it, and whether a menu is up. */
export interface Layout {
  regions: Map<string, Region>
  composer: Region | null
  menu: { candidate: MenuCandidate; proofs: string[] } | null
  /** A group of options that is on screen but not live, with the reason. */
  quoted: { candidate: MenuCandidate; why: string } | null
  blocks: RowBlock[]
  terminator: (Terminator & { rowId: number }) | null
}

export function layOut(frame: Frame, pack: Pack): Layout {
  const rows = frame.lines
  const regions = new Map<string, Region>()
  const set = (name: string, first: number, last: number) => first <= last && regions.set(name, { name, first, last })
  set('screen', 0, rows.length - 1)
  for (const spec of pack.regions) {
    const found = findRegion(spec, frame, regions)
    if (found) regions.set(spec.name, found)
  }
  const composer = regions.get('composer') ?? null
  const candidate = parseMenu(frame, pack)
  const textEnd = abovePanels(rows, pack, composer ? composer.first - 1 : lastNonBlank(rows))
  const menuTextEnd = candidate && !composer ? abovePanels(rows, pack, candidate.menu.rows[0] - 1) : textEnd
  const blocks = splitBlocks(rows, pack, 0, menuTextEnd)
  const inBlocks = splitBlocks(rows, pack, 0, textEnd)
  const verdict = candidate ? proveLive(candidate, frame, pack, { hasComposer: composer !== null, blocks: inBlocks }) : null
  const isMenu = candidate !== null && verdict?.isLive === true
  if (isMenu) set('menu', candidate.menu.rows[0], candidate.menu.rows[1])
  const liveFirst = composer?.first ?? (isMenu ? candidate.menu.rows[0] : rows.length)
  set('live', liveFirst, rows.length - 1)
  set('transcript', 0, liveFirst - 1)
  if (composer) set('footer', composer.last + 1, rows.length - 1)
  const shown = isMenu ? blocks : inBlocks
  const ended = findTerminator(frame, pack, liveFirst)
  set('status', newestContentRow(shown, ended, frame, pack) + 1, liveFirst - 1)
  return {
    regions,
    composer,
    menu: isMenu ? { candidate, proofs: verdict.proofs } : null,
    quoted: candidate && !isMenu ? { candidate, why: verdict?.failed ?? '' } : null,
    blocks: shown,
    terminator: ended,
  }
}

/** Last row above the panels (tasks, agents) that stand between the text and the input box. */
function abovePanels(rows: readonly Row[], pack: Pack, end: number): number {
  let top = end
  for (let index = end; index >= 0; index--) {
    const row = rows[index]!
    const panel = pack.panels.find(entry => matchesRow(row, entry.first))
    const isInside = pack.panels.some(entry => entry.more?.test(row.text))
    if (panel) top = index - 1
    else if (!isInside && !isBlank(row)) break
  }
  return top
}

/** The newest terminator that has no block below it. */
function findTerminator(frame: Frame, pack: Pack, before: number): Layout['terminator'] {
  for (let index = before - 1; index >= 0; index--) {
    const row = frame.lines[index]!
    const found = terminatorOf(row, pack)
    if (found) return { row: index, outcome: found.outcome, rowId: row.id }
    if (pack.blocks.some(block => block.kind !== 'notice' && block.first.line.test(row.text))) return null
  }
  return null
}

/** Row of the last thing that was said; working rows below it are the status region. */
function newestContentRow(blocks: readonly RowBlock[], ended: Layout['terminator'], frame: Frame, pack: Pack): number {
  const working = pack.rules.filter(rule => rule.region === 'status' && rule.line)
  for (let index = blocks.length - 1; index >= 0; index--) {
    const block = blocks[index]!
    // A working row fits no block mark, so the grammar takes it for prose of its own: step over it.
    let last = block.last
    while (last >= block.first && working.some(rule => rule.line!.test(frame.lines[last]!.text))) last--
    if (last >= block.first) return Math.max(last, ended?.row ?? -1)
  }
  return ended?.row ?? -1
}
