import type { ApprovalDecision, ApprovalRecord } from './record.js'
import type { Risk } from './risk/reason.js'

export type Surface = ApprovalDecision['surface']
export type Actor = ApprovalDecision['actor']
export type Role = Actor['role']

/**
 * The user's settings for decisions (`approvals.*` in docs/reference/config.md). Times in
 * milliseconds.
 */
export interface ApprovalPolicy {
  decideFrom: readonly Surface[]
  /**
   * To allow a high risk, the person must have confirmed their identity within the last five
   * minutes.
   */
  stepUp: boolean
  grantForMs: number
  grantMaxMs: number
  grantUses: number
  expireAfterMs: number | null
  maxPending: number
  /** How long closed requests are listed; null: forever. */
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

/** What a judgement depends on besides the record and the decision. */
export interface DecideRules {
  now: number
  policy: ApprovalPolicy
  /** A lockdown is in force: only denials are taken. */
  isLocked?: boolean
  /**
   * The role of a person who decides from this surface; null for an unknown person. By default the
   * role that the surface claims.
   */
  roleOf?: (actor: Actor, surface: Surface) => Role | null
  /** The risk of an edited input. */
  rateEdited?: (record: ApprovalRecord, input: unknown) => Risk
}
