import { RUN_WORDS } from '../../../src/text/status-word'
import type { RunNode } from '../api/types'
import { nodeBadge } from '../ui/status'

/** Keys that the engine sets, in the words of the page. */
const NAMES: Readonly<Record<string, string>> = {
  'graph.goal': 'goal',
  'graph.input': 'inputs',
  current_node: 'step',
  outcome: 'outcome of the last step',
  last_stage: 'last finished step',
  last_response: 'last answer',
  preferred_label: 'chosen way',
  _completed_nodes: 'finished steps',
  _failed_node: 'step that failed last',
  _last_error: 'last error',
  failure_class: 'kind of the last error',
  'tool.output': 'output of the last command',
  'tool.stderr': 'errors of the last command',
  'tool.exit_code': 'exit code of the last command',
  'human.gate.selected': 'answer at the last gate',
  'human.gate.label': 'answer at the last gate',
  'human.gate.text': 'comment at the last gate',
  'human.gate.by': 'answered by',
  'parallel.results': 'results of the branches',
  'parallel.fan_in.best_id': 'best branch',
  'parallel.fan_in.best_outcome': 'outcome of the best branch',
  'stack.child.status': 'status of the child run',
  'stack.child.outcome': 'outcome of the child run',
}
/** Their values are names of nodes. */
const NODES = new Set(['current_node', 'last_stage', '_completed_nodes', '_failed_node', 'parallel.fan_in.best_id'])

/** Their values are statuses, which have one word everywhere. */
const STATUSES: Readonly<Record<string, (value: string) => string>> = {
  outcome: outcomeWord,
  'parallel.fan_in.best_outcome': outcomeWord,
  'stack.child.outcome': outcomeWord,
  'stack.child.status': value => RUN_WORDS[value as keyof typeof RUN_WORDS] ?? value,
}

function outcomeWord(value: string): string {
  return nodeBadge(value as RunNode['status'])?.word ?? value
}

/** Empty values say nothing, and neither does an error of no known kind. */
export function saysSomething(key: string, value: unknown): boolean {
  return value !== '' && value !== null && !(key === 'failure_class' && value === 'unknown')
}

type Named = Pick<RunNode, 'node' | 'label'>

/** `response.plan` reads “answer of Plan”; other keys lose only their punctuation. */
export function contextLabel(key: string, nodes: readonly Named[]): string {
  const known = NAMES[key]
  if (known !== undefined) return known
  const answer = /^response\.(.+)$/.exec(key)
  if (answer) return `answer of “${labelOf(answer[1]!, nodes)}”`
  const retries = /^internal\.retry_count\.(.+)$/.exec(key)
  if (retries) return `retries of “${labelOf(retries[1]!, nodes)}”`
  return key
    .replace(/^(?:input|graph|var)\./, '')
    .replace(/[._]+/g, ' ')
    .trim()
}

/** A list of texts has one a line; what is neither text nor list stays JSON. */
export function contextValue(key: string, value: unknown, nodes: readonly Named[]): string {
  const shown = (item: unknown) =>
    NODES.has(key) ? labelOf(String(item), nodes) : (STATUSES[key]?.(String(item)) ?? String(item))
  if (Array.isArray(value) && value.every(item => typeof item !== 'object')) return value.map(shown).join('\n')
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : shown(value)
}

function labelOf(node: string, nodes: readonly Named[]): string {
  return nodes.find(candidate => candidate.node === node)?.label ?? node.replaceAll('_', ' ')
}
