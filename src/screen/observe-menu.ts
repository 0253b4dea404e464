import { makeObservation, type ObservationBasis } from './make-observation.js'
import type { Menu } from './menu/menu.js'
import type { MenuCandidate } from './menu/parse-menu.js'
import { firstSeen, QUESTION_STABLE_S } from './next-memory.js'
import type { Observation } from './observation.js'
import { awaitingOf } from './payloads.js'
import type { RuleMatch } from './rules.js'
import type { Scene } from './scene.js'

/**
 * A question that only words suggest must have been stable for a moment: running text looks the
 * same for a moment.
 */
export function isConfirmed({ memory, frame }: Scene, candidate: MenuCandidate): boolean {
  if (!candidate.isTentative) return true
  const { asking } = memory
  return asking?.text === candidate.menu.question && frame.t - asking.since >= QUESTION_STABLE_S - 1e-9
}

export function observeMenu(scene: Scene, found: NonNullable<Scene['layout']['menu']>): Observation {
  const { menu } = found.candidate
  const { proofs } = found.verdict
  const first = firstSeen(scene, menu.print)
  const live: Menu = { ...menu, live: { proofs, since: first.since, afterInput: first.afterInput } }
  const isAnchored = found.candidate.spec !== null
  const isSure = proofs.length > 4
  const seen: ObservationBasis = {
    rule: isAnchored ? `${scene.pack.agent}/menu.${menu.kind}` : 'generic/menu',
    confidence: isAnchored ? (isSure ? 0.95 : 0.85) : isSure ? 0.7 : 0.5,
    anchored: isAnchored,
    busy: false,
    awaiting: awaitingOf(menu),
    evidence: [{ region: 'menu', rows: menu.rows, text: menu.question }],
  }
  if (menu.kind === 'auth') return makeObservation(scene, 'auth_required', { method: 'login', menu: live }, seen)
  return makeObservation(scene, 'tool_menu', { menu: live }, seen)
}

/** A dialog without options, known by a rule of the pack. */
export function observeDialog(scene: Scene, match: RuleMatch): Observation {
  const seen = { match, busy: false, awaiting: match.rule.awaiting }
  if (match.rule.view === 'auth_required') return makeObservation(scene, 'auth_required', { method: 'login' }, seen)
  return makeObservation(scene, 'tool_menu', { menu: null }, seen)
}
