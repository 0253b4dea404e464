import { type ErrorCode, SignalboxError } from '../errors/index.js'
import type { ApprovalDecision, ApprovalRecord } from './record.js'

/** What a person (or something on their behalf) wants to happen to a request. */
export interface DecisionRequest {
  fingerprint: string
  option: string
  text?: string
  note?: string
  seen: { displayHash: string; whole: boolean }
  actor: ApprovalDecision['actor']
  surface: ApprovalDecision['surface']
  idempotencyKey: string
}

const NOTE_MAX = 2_000
const TEXT_MAX = 16_000
/** A person may type the beginning of a fingerprint; fewer digits would be guessable. */
const FINGERPRINT_PREFIX = 12

export type Verdict = { accept: ApprovalDecision } | { repeat: ApprovalDecision } | { refuse: SignalboxError }

/** What can be said about a decision without its request: is it one, and may this person decide at all. */
export function judgeRequest({ note, text, idempotencyKey, actor }: DecisionRequest): SignalboxError | null {
  if ((note?.length ?? 0) > NOTE_MAX || (text?.length ?? 0) > TEXT_MAX) {
    return new SignalboxError('E_INPUT', `a note may have ${NOTE_MAX} characters and a text ${TEXT_MAX}`)
  }
  // Without a key of its own a second decision would pass for a repetition of the first.
  if (idempotencyKey === '') return new SignalboxError('E_INPUT', 'a decision needs an idempotency key')
  if (actor.role === 'viewer')
    return new SignalboxError('E_ROLE', `${actor.name} may look at requests, not decide them`)
  return null
}

/** The checks before a decision is written, in their order. Pure: the caller appends, at the record's version, or says why not. */
export function judgeDecision(record: ApprovalRecord, request: DecisionRequest): Verdict {
  const refuse = (code: ErrorCode, message: string, next?: string, details?: Record<string, unknown>): Verdict => ({
    refuse: new SignalboxError(code, message, { ...(next !== undefined && { next }), ...(details && { details }) }),
  })
  const malformed = judgeRequest(request)
  if (malformed) return { refuse: malformed }
  if (record.state !== 'pending') {
    const { decision } = record
    if (decision && decision.idempotencyKey === request.idempotencyKey) return { repeat: decision }
    const first = decision
      ? {
          state: record.state,
          by: decision.actor.name,
          surface: decision.surface,
          at: decision.at,
          option: decision.option,
        }
      : { state: record.state }
    const who = decision
      ? ` by ${decision.actor.name} (${decision.surface})`
      : record.outcome?.reason
        ? ` (${record.outcome.reason})`
        : ''
    return refuse('E_APPROVAL_DECIDED', `this request is ${record.state} already${who}`, 'nothing was changed', {
      first,
    })
  }
  if (!isSameFingerprint(record, request))
    return refuse('E_APPROVAL_CHANGED', 'the request is not the one you were shown', 'look at it again, then decide')
  if (record.kind === 'auth')
    return refuse('E_APPROVAL_OPTION', 'signing in is not decided here', 'attach to the session and sign in there')
  const option = record.request.options.find(candidate => candidate.key === request.option)
  if (!option)
    return refuse(
      'E_APPROVAL_OPTION',
      `this request has no option "${request.option}"`,
      `it has: ${record.request.options.map(o => o.label).join(' · ')}`,
    )
  const isAllow = option.meaning.startsWith('allow')
  if (
    isAllow &&
    record.risk.level !== 'low' &&
    !(request.seen.whole && request.seen.displayHash === record.display.hash)
  ) {
    return refuse(
      'E_APPROVAL_SEE_ALL',
      'this request must be seen whole before it is allowed',
      'open it to the end, then decide',
    )
  }
  return {
    accept: {
      option: option.key,
      ...(request.text !== undefined && { text: request.text }),
      ...(request.note !== undefined && { note: request.note }),
      tier: option.meaning,
      actor: request.actor,
      surface: request.surface,
      fingerprint: record.fingerprint,
      seen: request.seen,
      idempotencyKey: request.idempotencyKey,
    },
  }
}

/** Programs give the whole fingerprint; only a person at the command line may type its beginning. */
function isSameFingerprint(record: ApprovalRecord, { fingerprint, actor, surface }: DecisionRequest): boolean {
  if (record.fingerprint === fingerprint) return true
  const mayShorten = surface === 'cli' && actor.kind === 'person'
  return mayShorten && fingerprint.length >= FINGERPRINT_PREFIX && record.fingerprint.startsWith(fingerprint)
}
