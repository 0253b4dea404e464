import { describeValues, isStatus, quoted, routingNeeds } from '../../../graph/index.js'
import type { GraphStep } from '../graph-step.js'

/**
 * The line that introduces the object an agent has to report. The object after it is a valid
 * answer, so that an agent can copy its form.
 */
const REPORT = 'End your answer with exactly one JSON object of this form:'

/**
 * Tells an agent how to report, if an edge after its node depends on the report: every key that a
 * condition names, with the words it may take. Empty if nothing depends on it.
 */
export function routingContract({ graph, node }: Pick<GraphStep, 'graph' | 'node'>): string {
  const { outcomes, labels, failureClasses, keys } = routingNeeds(graph, node.id)
  if (outcomes.length + labels.length + failureClasses.length + keys.size === 0) return ''
  // Success is always possible, unless the author replaced the statuses by words of their own.
  const isReplaced = outcomes.length > 1 && !outcomes.some(isStatus)
  const words = [...new Set(isReplaced ? outcomes : ['success', ...outcomes])]
  const values = [...keys].map(([key, clauses]) => ({ key, ...describeValues(clauses) }))
  const example = {
    outcome: words[0],
    ...(labels[0] !== undefined && { preferred_label: labels[0] }),
    ...(values.length > 0 && {
      context_updates: Object.fromEntries(values.map(({ key, example: value }) => [key, value])),
    }),
    notes: 'one line about the result',
  }
  return [
    'What happens next depends on your report.',
    REPORT,
    JSON.stringify(example),
    `"outcome": ${quoted(words)}${words.includes('fail') ? '' : '; "fail" if the work could not be done'}.`,
    failureClasses.length > 0 && `"failure_class", with the outcome "fail": ${quoted(failureClasses)} or "unknown".`,
    labels.length > 0 && `"preferred_label": ${quoted(labels)}.`,
    ...values.map(({ key, text }) => `"context_updates" must set ${JSON.stringify(key)}: ${text}.`),
  ]
    .filter(Boolean)
    .join('\n')
}

/** Tells an agent that ranks branches how to name the best one. */
export function rankingContract(ids: readonly string[]): string {
  return [REPORT, JSON.stringify({ best_id: ids[0] }), `"best_id": ${quoted(ids)}.`].join('\n')
}
