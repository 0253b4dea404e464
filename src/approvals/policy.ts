import type { ApprovalDecision, ApprovalRecord } from './record.js'
import type { Risk } from './risk/reason.js'

export type Surface = ApprovalDecision['surface']
export type Actor = ApprovalDecision['actor']
export type Role = Actor['role']

/** What the person's settings say about decisions (docs/reference/config.md, `approvals.*`). Times in milliseconds. */
export interface ApprovalPolicy {
  decideFrom: readonly Surface[]
  /** A high risk needs a confirmation of the last five minutes. */
  stepUp: boolean
  grantForMs: number
  grantMaxMs: number
  grantUses: number
  expireAfterMs: number | null
  maxPending: number
  /** Closed requests are listed for so long; null: for good. */
  keepMs: number | null
}

export const DEFAULT_POLICY: ApprovalPolicy = {
  decideFrom: ['cli', 'web', 'telegram', 'api'],
  stepUp: false,
  grantForMs: 30 * 60_000,
  grantMaxMs: 8 * 3_600_000,
  grantUses: 20,
  expireAfterMs: null,
  maxPending: 500,
  keepMs: null,
}

export const MAX_GRANT_USES = 200

/** Everything beyond the record and the request that a judgement may depend on. */
export interface DecideRules {
  now: number
  policy: ApprovalPolicy
  /** A lockdown is in force: only denials are taken. */
  isLocked?: boolean
  /** The role of a person who decides from this surface; null for an unknown person. Without it the surface's word counts. */
  roleOf?: (actor: Actor, surface: Surface) => Role | null
  /** The risk of an input that a person has edited. */
  rateEdited?: (record: ApprovalRecord, input: unknown) => Risk
}
