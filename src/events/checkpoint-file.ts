import { z } from 'zod'

const status = z.enum(['success', 'fail', 'partial_success', 'retry', 'skipped'])

/** The state of a graph run after a node, as a file from which another machine can continue. */
export const checkpointFile = z.object({
  timestamp: z.number(),
  run_id: z.string(),
  graph_hash: z.string(),
  current_node: z.string(),
  next_node: z.string().nullable(),
  completed_nodes: z.array(z.string()),
  node_outcomes: z.record(z.string(), status),
  node_retries: z.record(z.string(), z.number()),
  node_visits: z.record(z.string(), z.int()),
  failure_signatures: z.record(z.string(), z.int()),
  context: z.record(z.string(), z.unknown()),
  threads: z.record(z.string(), z.object({ agent: z.string(), session: z.string() })),
  commit: z.string().optional(),
  logs: z.array(z.string()),
})
