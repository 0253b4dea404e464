import { AttributeReader, GRAPH_ATTRIBUTES, type Graph, type GraphNode, NODE_ATTRIBUTES } from '../../graph/index.js'
import type { NodeOutcome } from './graph-run.js'

export interface RetryPolicy {
  /** Including the first attempt. */
  attempts: number
  initialMs: number
  factor: number
}

const PRESETS: Readonly<Record<string, RetryPolicy>> = {
  none: { attempts: 1, initialMs: 0, factor: 1 },
  standard: { attempts: 5, initialMs: 200, factor: 2 },
  linear: { attempts: 3, initialMs: 500, factor: 1 },
  patient: { attempts: 3, initialMs: 2_000, factor: 3 },
  aggressive: { attempts: 5, initialMs: 500, factor: 2 },
}

const DELAY_MAX_MS = 60_000

/** How often a node is attempted, and how long it waits in between. */
export function retryPolicyOf(graph: Graph, node: GraphNode): RetryPolicy {
  const read = new AttributeReader(node.attributes, NODE_ATTRIBUTES)
  const retries = read.number('max_retries')
  const preset = PRESETS[read.text('retry_policy') ?? '']
  const inherited = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES).number('default_max_retries') ?? 0
  const base = preset ?? { attempts: inherited + 1, initialMs: 200, factor: 2 }
  return retries === null ? base : { ...base, attempts: retries + 1 }
}

/** The delay before the n-th retry, without jitter. */
export function retryDelayMs({ initialMs, factor }: RetryPolicy, retry: number): number {
  return Math.min(initialMs * factor ** (retry - 1), DELAY_MAX_MS)
}

/** Whether a retry can help: the handler asked for one, or the failure may be temporary. */
export function isRetryable(outcome: NodeOutcome): boolean {
  if (outcome.status === 'retry') return true
  if (outcome.status !== 'fail') return false
  return ['transient_infra', 'timeout', 'unknown', undefined].includes(outcome.failure_class)
}
