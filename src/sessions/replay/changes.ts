import type { Claim } from '../../panes/index.js'
import type { Moment } from './timeline.js'

/** The fields of a line of `replay`, in this order. */
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

/** Fields that change by themselves. */
const UNSTABLE = new Set(['elapsedS', 'tokens', 'tail', 'rows'])

/** Equal for two moments between which a person would see no change. */
function stableKey({ view, settled, busy, awaiting, authority, rule, phase, status, payload }: ChangeFields): string {
  return JSON.stringify(
    [view, settled, busy, awaiting, authority, rule, phase, status, payload],
    (key, value: unknown) => (UNSTABLE.has(key) ? undefined : value),
  )
}

const HISTORY_MAX = 20

/** Tells changes from repetitions, and keeps the last changes. */
export class ChangeHistory {
  readonly #changes: ChangeFields[] = []
  #last = ''
  #count = 0

  /** True if something differs from the change before. */
  addFields(fields: ChangeFields): boolean {
    const key = stableKey(fields)
    if (key === this.#last) return false
    this.#last = key
    this.#count++
    this.#changes.push(fields)
    if (this.#changes.length > HISTORY_MAX) this.#changes.shift()
    return true
  }

  /** The last changes, oldest first. */
  get changes(): readonly ChangeFields[] {
    return this.#changes
  }

  /** The number of all changes so far. */
  get count(): number {
    return this.#count
  }
}

export function seconds(t: number): number {
  return Math.round(t * 1000) / 1000
}
