import type { RequestState } from '../text/index.js'
import { isDenialMeaning } from './denial.js'

/*
 * What became of a request, in one word on every surface (`REQUEST_WORDS` of text/). The dashboard
 * imports this file, too: it imports nothing but pure code.
 */

interface StatedRequest {
  kind: string
  state: 'pending' | 'decided' | 'applied' | 'stale' | 'expired' | 'cancelled'
  decision?: { tier: string } | undefined
  outcome?: { observed?: { result?: 'allowed' | 'denied' | undefined } | undefined } | undefined
}

export function requestState(request: StatedRequest): RequestState {
  const { state, kind, decision, outcome } = request
  const isPermission = kind === 'permission'
  const isDenied = isDeniedRequest(request)
  switch (state) {
    case 'pending':
      return 'pending'
    case 'decided':
      return isDenied ? 'denying' : isPermission ? 'allowing' : 'answering'
    case 'applied':
      if (isDenied) return !decision && kind === 'question' ? 'declined' : 'denied'
      // Of a dialog in the terminal, sometimes only the end is known.
      return isPermission && (decision || outcome?.observed?.result === 'allowed') ? 'allowed' : 'answered'
    case 'stale':
      return decision ? 'notApplied' : 'closed'
    default:
      return state
  }
}

/** By the decision, or by what a person answered in the agent's own dialog. */
export function isDeniedRequest({ decision, outcome }: Pick<StatedRequest, 'decision' | 'outcome'>): boolean {
  return decision ? isDenialMeaning(decision.tier) : outcome?.observed?.result === 'denied'
}

/** What a history can be filtered by. */
export const DECISIONS = ['allowed', 'denied', 'answered', 'not-applied', 'undecided'] as const

export type Decision = (typeof DECISIONS)[number]

const DECISION_OF: Readonly<Record<RequestState, Decision | null>> = {
  pending: null,
  allowing: 'allowed',
  allowed: 'allowed',
  denying: 'denied',
  denied: 'denied',
  declined: 'denied',
  answering: 'answered',
  answered: 'answered',
  notApplied: 'not-applied',
  closed: 'undecided',
  expired: 'undecided',
  cancelled: 'undecided',
}

/** Null while the request waits. */
export function decisionOf(state: RequestState): Decision | null {
  return DECISION_OF[state]
}
