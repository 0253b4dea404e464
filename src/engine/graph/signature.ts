import type { NodeOutcome } from './graph-run.js'

const SAID_MAX = 240

/** Failures that a further try will not mend count by what they say; null for those that chance may mend. */
export function signatureOf(
  node: string,
  outcome: Pick<NodeOutcome, 'failure_class' | 'failure_reason'>,
): string | null {
  const { failure_class: kind } = outcome
  return kind === 'deterministic' || kind === 'structural' ? failureText(node, outcome) : null
}

/** Node, class and message, with paths, hexadecimals and numbers left out: the same failure reads the same. */
export function failureText(
  node: string,
  { failure_class: kind, failure_reason: reason }: Pick<NodeOutcome, 'failure_class' | 'failure_reason'>,
): string {
  const said = (reason ?? '')
    .replace(/(?:\/[\w.-]+)+/g, '‹path›')
    .replace(/\b[0-9a-f]{8,}\b/gi, '‹hex›')
    .replace(/\d+/g, '‹n›')
  return `${node} ${kind ?? 'unknown'} ${said.slice(0, SAID_MAX)}`
}
