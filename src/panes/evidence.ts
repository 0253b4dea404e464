import type { Awaiting } from '../screen/index.js'

/**
 * The sources of reports, highest first. A lower one never overrules, with one exception: hook and
 * transcript have the same rank, and the newer of the two counts.
 */
export const AUTHORITIES = [
  'exit',
  'osc7501',
  'hook',
  'transcript',
  'shell',
  'title',
  'screen',
  'structure',
  'silence',
] as const
export type Authority = (typeof AUTHORITIES)[number]

/** The claim of a report. */
export type Claim =
  | { is: 'starting' }
  | { is: 'working'; label?: string }
  | { is: 'blocked'; awaiting: Awaiting; approval?: string }
  | { is: 'done'; background?: number; exit?: number | null }
  | { is: 'failed'; reason: string; exit?: number | null }
  | { is: 'idle'; fresh?: boolean }
  | { is: 'stopped'; by: 'interrupted' | 'denied' }
  | { is: 'exited'; code: number | null; signal: string | null }

/**
 * One report about a pane from one authority. `t` and `expires` are seconds since the pane's start.
 */
export interface Evidence {
  authority: Authority
  claim: Claim
  t: number
  /** Null: until replaced. */
  expires: number | null
  /** What exactly reported it: a rule, a report, a hook. */
  ref: string
  /** If the report itself gives a confidence. */
  confidence?: number
}

export function rankOf(authority: Authority): number {
  return AUTHORITIES.indexOf(authority)
}
