import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { applyStylesheet, type Graph, parseDot } from '../../graph/index.js'

/** What a run of a graph is asked to do: the `input` of its run. */
export const graphInput = z.object({
  /** The workflow, with every file that its prompts named put in. */
  dot: z.string(),
  file: z.string().nullable(),
  /** SHA-256 of the DOT file as it was. */
  hash: z.string(),
  inputs: z.record(z.string(), z.string()),
  agent: z.string().nullable(),
  model: z.string().nullable(),
  permissions: z.enum(['read', 'ask', 'edits', 'all']).nullable(),
  isAutoApproved: z.boolean(),
  /** No agent, no command: answers by `node@visit`, else success. */
  dryRun: z.record(z.string(), z.looseObject({})).nullable(),
  /** Where the run works: a worktree of its own, or a directory as it is. */
  workspace: z.object({ path: z.string(), branch: z.string().nullable(), base: z.string().nullable() }),
  /** A fork or a restart goes on from here instead of the start. */
  from: z
    .object({
      node: z.string(),
      context: z.record(z.string(), z.unknown()),
      signatures: z.record(z.string(), z.int()).optional(),
    })
    .nullable(),
  limits: z.object({ nodes: z.int(), edges: z.int(), bytes: z.int() }).optional(),
})

export type GraphInput = z.infer<typeof graphInput>

/** How a node ended, as its handler says. Field names are those that agents and files use. */
export interface NodeOutcome {
  status: 'success' | 'fail' | 'partial_success' | 'retry' | 'skipped'
  /** The node's own word, where it is none of the five. */
  outcome?: string
  preferred_label?: string
  suggested_next_ids?: string[]
  next_node?: string
  edge?: string
  context_updates?: Record<string, unknown>
  notes?: string
  failure_reason?: string
  failure_class?: FailureClass
  /** The whole of what the agent said. */
  response?: string
  commit?: string
  session?: { agent: string; id: string; thread: string | null }
}

export const FAILURE_CLASSES = [
  'transient_infra',
  'timeout',
  'unknown',
  'deterministic',
  'structural',
  'budget_exhausted',
  'canceled',
] as const
export type FailureClass = (typeof FAILURE_CLASSES)[number]

/** The graph of a run, as it is walked: read again from the run itself, never from a file that may have changed. */
export function graphOf(input: GraphInput): Graph {
  const limits = input.limits && { ...input.limits, label: 4_096 }
  const { graph, problems } = parseDot(input.dot, {
    ...(input.file !== null && { file: input.file }),
    ...(limits && { limits }),
  })
  const [problem] = problems
  if (problem)
    throw new SignalboxError('E_GRAPH', `the graph of the run cannot be read: ${problem.message}`, {
      place: { file: input.file ?? 'graph', ...problem.place },
    })
  return applyStylesheet(graph)
}
