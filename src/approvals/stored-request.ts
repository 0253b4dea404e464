import { canonicalJson, type Redactor } from '../text/index.js'
import { displayOf } from './display.js'
import { sha256 } from './fingerprint.js'
import type { ApprovalPolicy } from './policy.js'
import type { ApprovalRequest } from './record.js'

/** An event holds 256 KiB; of a longer input only its size and hash are stored. */
const INPUT_MAX = 96 * 1024

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
    // The labels of an agent's menu are compared with its screen; those of a gate only name a key.
    options: request.options.map(option => ({
      ...option,
      ...(option.from === 'signalbox' && { label: redactor.redact(option.label) }),
      ...(option.detail !== undefined && { detail: redactor.redact(option.detail) }),
    })),
  }
  const source = { ...asked.source }
  const isGate = source.channel === 'run'
  const title = isGate ? redactor.redact(asked.display.title) : asked.display.title
  const hasSecrets =
    canonicalJson([redacted.input, redacted.text, redacted.questions, title]) !==
    canonicalJson([request.input ?? null, request.text, request.questions, asked.display.title])
  const shown = isGate
    ? { tool: '', input: null, text: redacted.text, questions: [], title }
    : { ...redacted, mismatch: source.mismatch, title: redacted.questions[0]?.text ?? '' }
  const display = hasSecrets ? displayOf(shown) : asked.display
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
  // The gate of a run waits as long as its run.
  if (expireAfterMs === null || source.channel === 'run') return undefined
  if (kind !== 'permission' && kind !== 'question') return undefined
  return { at: now + expireAfterMs, owner: 'config', onExpiry: source.can?.includes('deny') ? 'deny' : 'nothing' }
}

function bounded(input: unknown): unknown {
  const text = JSON.stringify(input) ?? 'null'
  if (text.length <= INPUT_MAX) return input
  return { tooLong: true, bytes: Buffer.byteLength(text), sha256: sha256(canonicalJson(input)) }
}
