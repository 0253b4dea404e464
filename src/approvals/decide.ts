import { type ErrorCode, SignalboxError } from '../errors/index.js'
import { canonicalJson, closedReason } from '../text/index.js'
import { isDenialMeaning } from './denial.js'
import { editProblem } from './edited-input.js'
import { type GrantRequest, whyNoGrant } from './grants.js'
import { allowOnceOption, whyManualOnly } from './manual-only.js'
import { DEFAULT_POLICY, type DecideRules } from './policy.js'
import { type CheckedAnswer, readAnswer } from './read-answer.js'
import type { ApprovalDecision, ApprovalRecord } from './record.js'
import { isAtLeast, type RiskLevel } from './risk/reason.js'

/**
 * A decision that a person, or something on their behalf, wants to make: an option, choices, or a
 * text.
 */
export interface ProposedDecision {
  fingerprint: string
  option?: string
  choices?: readonly string[]
  text?: string
  note?: string
  editedInput?: unknown
  /** With a denial: interrupts the turn as well, for an agent that would ask again. */
  thenInterrupt?: boolean
  /** With an allow: makes a grant for similar requests. */
  grant?: GrantRequest
  seen: { displayHash: string; whole: boolean }
  actor: ApprovalDecision['actor']
  surface: ApprovalDecision['surface']
  idempotencyKey: string
  /** How the surface authenticated the decider. */
  auth?: ApprovalDecision['auth']
  /**
   * When this person last confirmed their identity. Set by the surface that checked it, never taken
   * from a client.
   */
  confirmedAt?: number
  /**
   * The session or step in whose environment the caller runs: an agent may not decide for itself.
   */
  insideSession?: string
}

const NOTE_MAX = 2_000
const TEXT_MAX = 16_000
/**
 * The shortest beginning of a fingerprint that a person may type; fewer digits could be guessed.
 */
const FINGERPRINT_PREFIX = 12
const CONFIRMED_FOR_MS = 5 * 60_000

export type DecisionResult = { accept: ApprovalDecision } | { repeat: ApprovalDecision } | { refuse: SignalboxError }

const PLAIN_RULES: DecideRules = { now: 0, policy: DEFAULT_POLICY }

/**
 * The checks that need no record: whether the decision is well formed, and whether this person may
 * decide at all.
 */
export function checkDecision(request: ProposedDecision, rules: DecideRules = PLAIN_RULES): SignalboxError | null {
  return malformed(request) ?? mayNotDecide(request, rules, null)
}

/**
 * All checks before a decision is written, in their order. Pure: the caller appends the decision at
 * the record's version, or reports the refusal.
 */
export function judgeDecision(
  record: ApprovalRecord,
  request: ProposedDecision,
  rules: DecideRules = PLAIN_RULES,
): DecisionResult {
  const early = malformed(request) ?? mayNotDecide(request, rules, record)
  if (early) return { refuse: early }
  if (record.state !== 'pending') return judgeClosed(record, request)
  if (!isSameFingerprint(record, request))
    return refuse('E_APPROVAL_CHANGED', 'the request has changed since it was shown', 'read it again, then decide')
  const answer = readAnswer(record, request)
  if (answer instanceof SignalboxError) return { refuse: answer }
  if (request.thenInterrupt && !(answer.isDenial && record.subject.session))
    return refuse(
      'E_INPUT',
      'only a denial of a session’s request can interrupt the turn',
      'deny it, or decide without the interrupt',
    )
  if (answer.isDenial && (request.editedInput !== undefined || request.grant))
    return refuse(
      'E_INPUT',
      'a denial takes neither an edited input nor a standing approval',
      'leave them out, or allow it',
    )
  if (answer.isDenial) return { accept: decisionOf(record, request, answer) }
  if (rules.isLocked)
    return refuse(
      'E_LOCKED',
      'Signalbox is locked down: only denials are accepted',
      'stop the daemon (signalbox serve --stop), find out what happened, then start it again',
    )
  const late = mayNotAllow(record, request, rules, answer)
  return late ? { refuse: late } : { accept: decisionOf(record, request, answer) }
}

function malformed({ note, text, idempotencyKey, option, choices }: ProposedDecision): SignalboxError | null {
  const input = (message: string) => new SignalboxError('E_INPUT', message)
  if ((note?.length ?? 0) > NOTE_MAX || (text?.length ?? 0) > TEXT_MAX)
    return input(`a note may have at most ${NOTE_MAX} characters, a text ${TEXT_MAX}`)
  if (/\p{Cs}/u.test(`${note ?? ''}${text ?? ''}`)) return input('a note or text contains a lone surrogate')
  // Without a key, a second decision would count as a repetition of the first.
  if (idempotencyKey === '') return input('a decision needs an idempotency key')
  if (option === undefined && choices === undefined && text === undefined)
    return input('a decision needs an option, choices or a text')
  return null
}

function mayNotDecide(
  { actor, surface, insideSession }: ProposedDecision,
  { policy, roleOf }: DecideRules,
  record: ApprovalRecord | null,
): SignalboxError | null {
  const no = (message: string, next: string) => new SignalboxError('E_ROLE', message, { next })
  if (insideSession !== undefined)
    return no(
      `an agent cannot decide for itself: this shell belongs to ${insideSession}`,
      'decide from a terminal of your own',
    )
  const isPerson = actor.kind === 'person'
  const role = isPerson && roleOf ? roleOf(actor, surface) : actor.role
  if (role === null) return no(`${actor.name} is not known here`, 'ask the owner')
  if (role === 'viewer') return no(`${actor.name} has read access only`, 'ask an approver or the owner')
  if (isPerson && !policy.decideFrom.includes(surface))
    return no(
      `decisions from ${surface} are not allowed (approvals.decide_from)`,
      `decide from ${policy.decideFrom.join(' or ')}`,
    )
  // The profile of a run may allow the run's own acts in advance.
  const isOwnAct = record?.kind === 'permission' && record.source.channel === 'run' && record.neverAuto === undefined
  if (actor.kind === 'auto' && record && !['gate', 'plan', 'review'].includes(record.kind) && !isOwnAct)
    return no(`a ${record.kind} cannot be approved automatically`, 'a person has to decide it')
  return null
}

function judgeClosed(record: ApprovalRecord, request: ProposedDecision): DecisionResult {
  const { decision } = record
  if (decision && decision.idempotencyKey === request.idempotencyKey) return { repeat: decision }
  const { observed } = record.outcome ?? {}
  const by = decision ?? observed
  const first = {
    state: record.state,
    ...(by && { by: by.actor.name, surface: by.surface, option: by.option }),
    ...(decision && { at: decision.at }),
  }
  const { followedBy, reason } = record.outcome ?? {}
  if (followedBy !== undefined)
    return refuse(
      'E_APPROVAL_CHANGED',
      `this request was superseded by ${followedBy}`,
      `decide ${followedBy}: it describes the same request in more detail`,
      {
        first,
        followedBy,
      },
    )
  const ended = record.state === 'expired' ? 'has expired' : `is closed: ${closedReason(reason)}`
  const message = by
    ? `this request was already ${resultOf(record)} by ${by.actor.name} (${by.surface})`
    : `this request ${ended}`
  return refuse('E_APPROVAL_DECIDED', message, 'nothing was changed', { first })
}

function resultOf({ decision, outcome }: ApprovalRecord): string {
  if (!decision) return outcome?.observed?.result ?? 'answered'
  if (isDenialMeaning(decision.tier)) return 'denied'
  return decision.tier.startsWith('allow') ? 'allowed' : 'answered'
}

/** Only a person at the command line may give the beginning of a fingerprint. */
function isSameFingerprint(record: ApprovalRecord, { fingerprint, actor, surface }: ProposedDecision): boolean {
  if (record.fingerprint === fingerprint) return true
  const mayShorten = surface === 'cli' && actor.kind === 'person'
  return mayShorten && fingerprint.length >= FINGERPRINT_PREFIX && record.fingerprint.startsWith(fingerprint)
}

/** The checks for everything that is not a denial: grants, automatic deciders, risk, edits. */
function mayNotAllow(
  record: ApprovalRecord,
  request: ProposedDecision,
  { now, policy, rateEdited }: DecideRules,
  answer: CheckedAnswer,
): SignalboxError | null {
  const { grant, editedInput, seen, actor, confirmedAt } = request
  if (grant) {
    const why =
      editedInput !== undefined
        ? 'an edited input can only be allowed once'
        : answer.option !== allowOnceOption(record)?.key
          ? 'a standing approval needs the option that allows once'
          : whyNoGrant(record, grant, policy)
    if (why)
      return new SignalboxError('E_APPROVAL_OPTION', `no standing approval can be made: ${why}`, {
        next: 'allow it once, without a standing approval',
      })
  }
  if (actor.kind !== 'person' && answer.isAllow) {
    const why =
      actor.kind === 'grant' ? whyManualOnly(record) : record.risk.level === 'high' ? 'its risk is high' : null
    if (why) return new SignalboxError('E_APPROVAL_OPTION', `only a person can decide this: ${why}`)
  }
  if (record.terminalOnly !== undefined && !record.source.can?.includes('hold'))
    return new SignalboxError('E_APPROVAL_SEE_ALL', `only the terminal can allow this: ${record.terminalOnly}`, {
      next: 'attach to the session and answer there; a denial is accepted here',
    })
  const hasEdited = editedInput !== undefined
  const problem = hasEdited ? editProblem(record, editedInput, answer.isAllow) : null
  const edited = hasEdited && !problem ? rateEdited?.(record, editedInput) : undefined
  const risk = higherRisk(record.risk.level, edited?.level ?? 'low')
  if ((answer.isAllow || hasEdited) && isAtLeast(risk, 'elevated')) {
    const hasSeen = seen.whole && seen.displayHash === record.display.hash
    if (record.display.isCut)
      return new SignalboxError('E_APPROVAL_SEE_ALL', 'the request is too long to be shown completely', {
        next: 'attach to the session and answer there',
      })
    if (!hasSeen && actor.kind === 'person')
      return new SignalboxError('E_APPROVAL_SEE_ALL', 'this request must be shown completely before it is allowed', {
        next: 'open the whole request, then decide',
      })
    const isConfirmed = confirmedAt !== undefined && now - confirmedAt <= CONFIRMED_FOR_MS && confirmedAt <= now
    if (risk === 'high' && policy.stepUp && !isConfirmed)
      return new SignalboxError('E_STEP_UP', 'a request of high risk needs a second confirmation', {
        next: 'confirm your identity in the dashboard or at a terminal, then decide',
      })
  }
  if (problem) return new SignalboxError('E_APPROVAL_EDIT', problem, { next: 'allow it unchanged, or deny it' })
  return null
}

function decisionOf(
  record: ApprovalRecord,
  request: ProposedDecision,
  { option, choices, meaning: tier }: CheckedAnswer,
): ApprovalDecision {
  return {
    option,
    ...(choices && { choices: [...choices] }),
    ...(request.text !== undefined && { text: request.text }),
    ...(request.note !== undefined && { note: request.note }),
    ...(request.editedInput !== undefined && {
      editedInput: JSON.parse(canonicalJson(request.editedInput)) as unknown,
    }),
    ...(request.thenInterrupt && { thenInterrupt: true }),
    tier,
    actor: request.actor,
    surface: request.surface,
    fingerprint: record.fingerprint,
    seen: request.seen,
    idempotencyKey: request.idempotencyKey,
    ...(request.auth && { auth: request.auth }),
  }
}

function higherRisk(a: RiskLevel, b: RiskLevel): RiskLevel {
  return isAtLeast(a, b) ? a : b
}

function refuse(code: ErrorCode, message: string, next: string, details?: Record<string, unknown>): DecisionResult {
  return { refuse: new SignalboxError(code, message, { next, ...(details && { details }) }) }
}
