import { claimOf } from './claims.js'
import { AUTHORITIES, type Authority, type Claim, type Evidence } from './evidence.js'
import type { PaneStep } from './pane.js'
import type { Reading } from './reading.js'

export interface JudgedEvidence {
  authority: Authority
  says: Claim
  /** The report itself: `osc7501/blocked`, `claude/working.spinner`. */
  rule: string
  t: number
  age: number
  expires: number | null
  verdict: 'won' | 'agrees' | 'contradicts' | 'expired'
}

/**
 * The newest report of each authority, including those that no longer count: what `explain` shows.
 */
export class EvidenceLog {
  readonly #newest = new Map<Authority, Evidence>()

  addSteps(steps: readonly PaneStep[]): void {
    for (const step of steps) {
      if (step.type === 'evidence' && (this.#newest.get(step.evidence.authority)?.t ?? 0) <= step.evidence.t)
        this.#newest.set(step.evidence.authority, step.evidence)
      if (step.type !== 'look' || !step.look.isSettled) continue
      const { observation, t } = step.look
      const claim = claimOf(observation)
      const authority = observation.anchored ? 'screen' : 'structure'
      if (claim) this.#newest.set(authority, { authority, claim, t, expires: null, ref: observation.rule })
    }
  }

  exited(exit: { code: number | null; signal: string | null }, t: number): void {
    this.#newest.set('exit', { authority: 'exit', claim: { is: 'exited', ...exit }, t, expires: null, ref: 'exit' })
  }

  /** From the highest down. Others were withdrawn, replaced or have lapsed. */
  judge(reading: Reading, t: number): JudgedEvidence[] {
    return AUTHORITIES.flatMap(authority => {
      const evidence = this.#newest.get(authority)
      if (!evidence) return []
      const { claim, expires, ref } = evidence
      return [
        {
          authority,
          says: claim,
          rule: ref,
          t: evidence.t,
          age: Math.max(0, t - evidence.t),
          expires,
          verdict: verdictOf(evidence, reading, t),
        },
      ]
    })
  }
}

function verdictOf(evidence: Evidence, reading: Reading, t: number): JudgedEvidence['verdict'] {
  if (evidence.expires !== null && t >= evidence.expires) return 'expired'
  if (evidence.authority === reading.authority) return 'won'
  if (reading.contradictions.some(other => other.authority === evidence.authority)) return 'contradicts'
  return evidence.claim.is === reading.claim?.is ? 'agrees' : 'expired'
}
