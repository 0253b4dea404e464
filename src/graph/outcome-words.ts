/** The outcomes of a node. */
export const STATUSES = ['success', 'fail', 'partial_success', 'retry', 'skipped'] as const
export type Status = (typeof STATUSES)[number]

/** Words that other engines use for the same outcomes. */
const SYNONYMS: Readonly<Record<string, Status>> = {
  succeeded: 'success',
  failed: 'fail',
  failure: 'fail',
  partially_succeeded: 'partial_success',
}

/**
 * An outcome as this engine spells it, so that `outcome=failed` in a graph and "failed" in an
 * agent's report mean the status `fail`. Any other word is an outcome of the author's own.
 */
export function outcomeWord(word: string): string {
  return Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word]! : word
}

export function isStatus(word: string): word is Status {
  return (STATUSES as readonly string[]).includes(word)
}
