import type { Menu } from './menu/menu.js'
import type { MenuCandidate } from './menu/parse-menu.js'
import { firstSight, SPOKEN_STANDS_S } from './next-memory.js'
import type { Observation } from './observation.js'
import { awaitingOf } from './payloads.js'
import type { RuleMatch } from './rules.js'
import type { Scene } from './scene.js'
import { type Seen, see } from './see.js'

/** Questions that only words suggest must have stood for a moment: running text looks the same for a moment. */
export function isBelieved({ memory, frame }: Scene, candidate: MenuCandidate): boolean {
  if (!candidate.isSoft) return true
  const { asking } = memory
  return asking?.text === candidate.menu.question && frame.t - asking.since >= SPOKEN_STANDS_S - 1e-9
}

export function seeMenu(scene: Scene, found: NonNullable<Scene['layout']['menu']>): Observation {
  const { menu } = found.candidate
  const { proofs } = found.verdict
  const first = firstSight(scene, menu.print)
  const live: Menu = { ...menu, live: { proofs, since: first.since, afterInput: first.afterInput } }
  const isAnchored = found.candidate.spec !== null
  const isSure = proofs.length > 4
  const seen: Seen = {
    rule: isAnchored ? `${scene.pack.agent}/menu.${menu.kind}` : 'generic/menu',
    confidence: isAnchored ? (isSure ? 0.95 : 0.85) : isSure ? 0.7 : 0.5,
    anchored: isAnchored,
    busy: false,
    awaiting: awaitingOf(menu),
    evidence: [{ region: 'menu', rows: menu.rows, text: menu.question }],
  }
  if (menu.kind === 'auth') return see(scene, 'auth_required', { method: 'login', menu: live }, seen)
  return see(scene, 'tool_menu', { menu: live }, seen)
}

/** A dialog that has no options to choose from: a rule of the pack knows it. */
export function seeDialog(scene: Scene, match: RuleMatch): Observation {
  const seen = { match, busy: false, awaiting: match.rule.awaiting }
  if (match.rule.view === 'auth_required') return see(scene, 'auth_required', { method: 'login' }, seen)
  return see(scene, 'tool_menu', { menu: null }, seen)
}
