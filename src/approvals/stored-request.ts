import { canonicalJson, type Redactor } from '../text/index.js'
import { displayOf } from './display.js'
import { sha256 } from './fingerprint.js'
import type { ApprovalPolicy } from './policy.js'
import type { ApprovalRequest } from './record.js'

/** An event holds 256 KiB; of a longer input only its size and hash are stored. */
const MAX_INPUT = 96 * 1024

/**
 * The request as the log keeps it: without secrets, of bounded size, with a deadline where the
 * settings require one. Both fingerprints stay those of the original request. When secrets were
 * removed, the display is rendered again, so that its hash is that of what people see.
 */
export function toStoredRequest(
  asked: ApprovalRequest,
  { redactor, now, policy }: { redactor: Redactor; now: number; policy: ApprovalPolicy },
): ApprovalRequest {
  const { request } = asked
  const redacted = {
    ...request,
    input: redactor.redactValue(request.input ?? null),
    text: request.text === null ? null : redactor.redact(request.text),
    questions: request.questions.map(question => ({ ...question, text: redactor.redact(question.text) })),
  }
  const hasSecrets =
    canonicalJson([redacted.input, redacted.text, redacted.questions]) !==
    canonicalJson([request.input ?? null, request.text, request.questions])
  const source = { ...asked.source }
  const display = hasSecrets
    ? displayOf({ ...redacted, mismatch: source.mismatch, title: redacted.questions[0]?.text ?? '' })
    : asked.display
  const deadline = asked.deadline ?? deadlineOf(asked, now, policy)
  return {
    ...asked,
    source,
    request: { ...redacted, input: bounded(redacted.input) },
    display,
    ...(deadline && { deadline }),
  }
}

function deadlineOf(
  { kind, source }: ApprovalRequest,
  now: number,
  { expireAfterMs }: ApprovalPolicy,
): ApprovalRequest['deadline'] {
  if (expireAfterMs === null || (kind !== 'permission' && kind !== 'question')) return undefined
  return { at: now + expireAfterMs, owner: 'config', onExpiry: source.can?.includes('deny') ? 'deny' : 'nothing' }
}

function bounded(input: unknown): unknown {
  const text = JSON.stringify(input) ?? 'null'
  if (text.length <= MAX_INPUT) return input
  return { tooLong: true, bytes: Buffer.byteLength(text), sha256: sha256(canonicalJson(input)) }
}
