import type { NodeOutcome } from './graph-run.js'

const OUTPUT_MAX_CHARACTERS = 240

/** A signature for failures that a retry will not fix; null for those that may be temporary. */
export function failureSignature(
  node: string,
  outcome: Pick<NodeOutcome, 'failure_class' | 'failure_reason'>,
): string | null {
  const { failure_class: kind } = outcome
  return kind === 'deterministic' || kind === 'structural' ? failureText(node, outcome) : null
}

/**
 * Node, class and message, without paths, hexadecimals and numbers: equal failures have equal text.
 */
export function failureText(
  node: string,
  { failure_class: kind, failure_reason: reason }: Pick<NodeOutcome, 'failure_class' | 'failure_reason'>,
): string {
  const text = (reason ?? '')
    .replace(/(?:\/[\w.-]+)+/g, '‹path›')
    .replace(/\b[0-9a-f]{8,}\b/gi, '‹hex›')
    .replace(/\d+/g, '‹n›')
  return `${node} ${kind ?? 'unknown'} ${text.slice(0, OUTPUT_MAX_CHARACTERS)}`
}
