import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { type EventData, newEvent } from '../../events/index.js'
import { applyStylesheet, BUILT_IN_HANDLERS, type Graph, parseDot } from '../../graph/index.js'
import type { NewEvent } from '../../store/index.js'
import type { ChildPlan, Question } from './graph-work.js'

const status = z.enum(['success', 'fail', 'partial_success', 'retry', 'skipped'])

/** The `input` of a graph run. */
export const graphInput = z.object({
  /** The DOT text, with every file that its prompts referred to included. */
  dot: z.string(),
  file: z.string().nullable(),
  /** SHA-256 of the original DOT file. */
  hash: z.string(),
  inputs: z.record(z.string(), z.string()),
  agent: z.string().nullable(),
  model: z.string().nullable(),
  permissions: z.enum(['read', 'ask', 'edits', 'all']).nullable(),
  isAutoApproved: z.boolean(),
  /** Run no agent and no command: results by `node@visit`, else success. */
  dryRun: z.record(z.string(), z.looseObject({})).nullable(),
  /** Where the run works: in a worktree of its own, or directly in a directory. */
  workspace: z.object({ path: z.string(), branch: z.string().nullable(), base: z.string().nullable() }),
  /** The node at which a fork or a restart begins, instead of the start node. */
  from: z
    .object({
      node: z.string(),
      context: z.record(z.string(), z.unknown()),
      signatures: z.record(z.string(), z.int()).optional(),
      restarts: z.record(z.string(), z.int()).optional(),
      /** What a fork knows of earlier nodes: met goals stay met, visits keep counting. */
      outcomes: z.record(z.string(), status).optional(),
      visits: z.record(z.string(), z.int()).optional(),
      finished: z
        .array(z.object({ node: z.string(), visit: z.int(), status, notes: z.string().nullable() }))
        .optional(),
      threads: z.record(z.string(), z.object({ agent: z.string(), session: z.string() })).optional(),
    })
    .nullable(),
  /** The URL of the model, and the variable with its key, for nodes of the agent `direct`. */
  endpoint: z.string().optional(),
  apiKeyEnv: z.string().optional(),
  /** A module with custom handlers and functions, and their names. */
  handlers: z
    .object({ file: z.string(), types: z.array(z.string()), functions: z.array(z.string()).optional() })
    .optional(),
  /** Hashes of the files that a person trusted: a child graph with another hash is not started. */
  trusted: z.array(z.string()).optional(),
})

export type GraphInput = z.infer<typeof graphInput>

/** The input of a run that specifies only its graph and directory. */
export function plainInput(dot: string, path: string): GraphInput {
  return {
    dot,
    file: null,
    hash: '',
    inputs: {},
    agent: null,
    model: null,
    permissions: null,
    isAutoApproved: false,
    dryRun: null,
    workspace: { path, branch: null, base: null },
    from: null,
  }
}

/** A handler's result for a node. The field names are those that agents and files use. */
export interface NodeOutcome {
  status: 'success' | 'fail' | 'partial_success' | 'retry' | 'skipped'
  /** A custom outcome word, if it is not one of the five statuses. */
  outcome?: string
  preferred_label?: string
  suggested_next_ids?: string[]
  next_node?: string
  edge?: string
  context_updates?: Record<string, unknown>
  notes?: string
  failure_reason?: string
  failure_class?: FailureClass
  /** The agent's complete final text. */
  response?: string
  commit?: string
  session?: { agent: string; id: string; thread: string | null }
  /** The process died; recovery finds out how much of the work was done. */
  isDeath?: boolean
  /** Only a person can decide how to continue. */
  question?: Question
  /**
   * Facts about the work, written in the same transaction as the end of the node, so exactly once.
   */
  events?: readonly NewEvent[]
  /**
   * Ends the run here instead of at its exit node: a person decided so, or retrying cannot help.
   */
  end?: { status: 'failed' | 'rejected' | 'cancelled'; reason: string; text?: string }
  /** The graph for a child run. */
  child?: ChildPlan
  /** The node was ended because the run made no progress for `stall_timeout`. */
  isStalled?: boolean
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
type FailureClass = (typeof FAILURE_CLASSES)[number]

/** How much input text one event holds; the store's own limit is a little higher. */
const PART_BYTES = 160 * 1024

/** How many further events carry the input of a run; 0 if `run.created` holds all of it. */
export function partsOf(input: unknown): number {
  const { parts } = (input ?? {}) as { parts?: unknown }
  return typeof parts === 'number' ? parts : 0
}

/**
 * The events that create a run of a graph: one, or several if its input is too large for one event.
 */
export function graphCreation(create: EventData<'run.created'>, at?: number): NewEvent[] {
  const text = JSON.stringify(create.input)
  if (Buffer.byteLength(text) <= PART_BYTES) return [newEvent('run.created', create, at)]
  const texts = cutText(text, PART_BYTES / 4)
  return [
    newEvent('run.created', { ...create, input: { parts: texts.length } }, at),
    ...texts.map((piece, index) => newEvent('graph.input', { part: index + 1, text: piece }, at)),
  ]
}

/** Pieces of at most this many characters; a character has at most four bytes. */
function cutText(text: string, length: number): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; from += length) pieces.push(text.slice(from, from + length))
  return pieces
}

/** The limits applied at creation: the run's own text is parsed whatever its size. */
const NO_LIMITS = { bytes: Infinity, nodes: Infinity, edges: Infinity, label: Infinity }

/** The graph of a run, parsed from the run's own text, never from a file that may have changed. */
export function graphOf(input: GraphInput): Graph {
  const { graph, problems } = parseDot(input.dot, {
    ...(input.file !== null && { file: input.file }),
    limits: NO_LIMITS,
  })
  const [problem] = problems
  if (problem)
    throw new SignalboxError('E_GRAPH', `cannot parse the graph of the run: ${problem.message}`, {
      place: { file: input.file ?? 'graph', ...problem.position },
    })
  return applyStylesheet(graph)
}

/** All handlers available to a run: the engine's and its custom ones. */
export function handlersOf(input: GraphInput): readonly string[] {
  return input.handlers ? [...BUILT_IN_HANDLERS, ...input.handlers.types] : BUILT_IN_HANDLERS
}
