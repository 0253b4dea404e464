import type { ApprovalDecision, ApprovalRecord } from './record.js'
import type { Risk } from './risk/reason.js'

export type Surface = ApprovalDecision['surface']
export type Actor = ApprovalDecision['actor']
type Role = Actor['role']

/** The settings `approvals.*` (docs/reference/config.md). Times in milliseconds. */
export interface ApprovalPolicy {
  decideFrom: readonly Surface[]
  /** To allow a high risk, a person must have confirmed within five minutes. */
  stepUp: boolean
  grantForMs: number
  grantMaxMs: number
  grantUses: number
  expireAfterMs: number | null
  maxPending: number
  /** Whether a process may decide that an agent could have started through another program. */
  unproven: 'ask' | 'allow'
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
  unproven: 'ask',
  keepMs: null,
}

export const GRANT_USES_MAX = 200

/** What a judgement depends on besides the record and the decision. */
export interface DecideRules {
  now: number
  policy: ApprovalPolicy
  /** A lockdown is active: only denials are accepted. */
  isLocked?: boolean
  /** A person's role on this surface, null if unknown; by default what it claims. */
  roleOf?: (actor: Actor, surface: Surface) => Role | null
  /** The risk of an edited input. */
  rateEdited?: (record: ApprovalRecord, input: unknown) => Risk
}
