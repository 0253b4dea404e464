import type { Claim } from '../../panes/index.js'
import type { Moment } from './timeline.js'

/** What a line of `replay` says about a moment, in this order. */
export interface ChangeFields {
  t: number
  view: string
  confidence: number
  authority: string
  rule: string
  payload: unknown
  settled: boolean
  claim: Claim['is'] | null
  busy: boolean | null
  awaiting: string | null
  composer: { empty: boolean; draft: string } | null
  facets: unknown[]
  terminator: unknown
  ambiguous: string[]
  phase: string
  status: string
  title: string
  frame: { seq: number; cause: string; torn: boolean } | null
  contradicts: { authority: string; says: string; rule: string }[]
}

export function changeFields({ state, phase, status }: Moment): ChangeFields {
  const { look, reading } = state
  const observation = look?.observation
  const isExit = reading.authority === 'exit'
  const isOwn = reading.authority === 'screen' || reading.authority === 'structure' || reading.authority === 'none'
  const composer = isExit ? null : observation?.composer
  return {
    t: seconds(isExit ? state.t : (look?.t ?? state.t)),
    view: state.view,
    confidence: isOwn ? (observation?.confidence ?? 0) : reading.confidence,
    authority: reading.authority,
    rule: reading.rule,
    payload: state.payload,
    settled: state.isSettled,
    claim: reading.claim?.is ?? null,
    busy: state.busy,
    awaiting: state.awaiting,
    composer: composer ? { empty: composer.empty, draft: composer.draft } : null,
    facets: isExit ? [] : (observation?.facets ?? []),
    terminator: isExit ? null : (observation?.terminator ?? null),
    ambiguous: isExit ? [] : (observation?.ambiguous ?? []),
    phase,
    status,
    title: look?.frame.title ?? '',
    frame: look ? { seq: look.frame.seq, cause: look.frame.cause, torn: look.frame.torn } : null,
    contradicts: reading.contradictions.map(other => ({
      authority: other.authority,
      says: other.claim.is,
      rule: other.ref,
    })),
  }
}

/** Counters that run while nothing happens. */
const UNSTABLE = new Set(['elapsedS', 'tokens', 'tail', 'rows'])

/** Equal for two moments between which nothing changed that a person would call a change. */
export function stableKey({
  view,
  settled,
  busy,
  awaiting,
  authority,
  rule,
  phase,
  status,
  payload,
}: ChangeFields): string {
  return JSON.stringify(
    [view, settled, busy, awaiting, authority, rule, phase, status, payload],
    (key, value: unknown) => (UNSTABLE.has(key) ? undefined : value),
  )
}

export function seconds(t: number): number {
  return Math.round(t * 1000) / 1000
}
