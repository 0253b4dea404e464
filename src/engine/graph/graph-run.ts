import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { type EventData, newEvent } from '../../events/index.js'
import { applyStylesheet, BUILT_IN_HANDLERS, type Graph, parseDot } from '../../graph/index.js'
import type { NewEvent } from '../../store/index.js'
import type { ChildPlan, Question } from './graph-work.js'

const status = z.enum(['success', 'fail', 'partial_success', 'retry', 'skipped'])

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
      restarts: z.record(z.string(), z.int()).optional(),
      /** What a fork knows of the nodes before it: goals stay met, limits stay counted. */
      outcomes: z.record(z.string(), status).optional(),
      visits: z.record(z.string(), z.int()).optional(),
      finished: z
        .array(z.object({ node: z.string(), visit: z.int(), status, notes: z.string().nullable() }))
        .optional(),
      threads: z.record(z.string(), z.object({ agent: z.string(), session: z.string() })).optional(),
    })
    .nullable(),
  /** A module with handlers of the user's own, and the types it has. */
  handlers: z.object({ file: z.string(), types: z.array(z.string()) }).optional(),
  /** Hashes of the files that a person let run: a child graph that is none of them is not started. */
  trusted: z.array(z.string()).optional(),
})

export type GraphInput = z.infer<typeof graphInput>

/** The input of a run that says nothing but its graph and where it works. */
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
  /** The process died; whether the work did is to be found out. */
  isDeath?: boolean
  /** Only a person can say how to go on. */
  question?: Question
  /** Facts about the work, written down together with the end of the node: once, whatever dies. */
  events?: readonly NewEvent[]
  /** The run is over here, and not at its exit: a person said so, or nothing can mend it. */
  end?: { status: 'failed' | 'rejected' | 'cancelled'; reason: string; text?: string }
  /** The graph that a child run is to be made of. */
  child?: ChildPlan
  /** Nothing moved for so long that the run is given up. */
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
export type FailureClass = (typeof FAILURE_CLASSES)[number]

/** An event holds so many bytes of it; the store takes a little more. */
const PART_BYTES = 160 * 1024

/** How many further events bring the input of a run; 0 where it is whole. */
export function partsOf(input: unknown): number {
  const { parts } = (input ?? {}) as { parts?: unknown }
  return typeof parts === 'number' ? parts : 0
}

/** The events that make a run of a graph: one, and more where what it is asked to do is too much for one. */
export function graphCreation(create: EventData<'run.created'>, at?: number): NewEvent[] {
  const text = JSON.stringify(create.input)
  if (Buffer.byteLength(text) <= PART_BYTES) return [newEvent('run.created', create, at)]
  const texts = cutText(text, PART_BYTES / 4)
  return [
    newEvent('run.created', { ...create, input: { parts: texts.length } }, at),
    ...texts.map((piece, index) => newEvent('graph.input', { part: index + 1, text: piece }, at)),
  ]
}

/** In pieces of so many characters at most: four bytes is the most that one takes, quotes and escapes aside. */
function cutText(text: string, length: number): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; from += length) pieces.push(text.slice(from, from + length))
  return pieces
}

/** What a run holds was measured when it was made: its own text is read whatever its size, with its files put in. */
const NO_LIMITS = { bytes: Infinity, nodes: Infinity, edges: Infinity, label: Infinity }

/** The graph of a run, as it is walked: read again from the run itself, never from a file that may have changed. */
export function graphOf(input: GraphInput): Graph {
  const { graph, problems } = parseDot(input.dot, {
    ...(input.file !== null && { file: input.file }),
    limits: NO_LIMITS,
  })
  const [problem] = problems
  if (problem)
    throw new SignalboxError('E_GRAPH', `the graph of the run cannot be read: ${problem.message}`, {
      place: { file: input.file ?? 'graph', ...problem.place },
    })
  return applyStylesheet(graph)
}

/** Every handler that a run has: those of the engine, and those that the user brought. */
export function handlersOf(input: GraphInput): readonly string[] {
  return input.handlers ? [...BUILT_IN_HANDLERS, ...input.handlers.types] : BUILT_IN_HANDLERS
}
