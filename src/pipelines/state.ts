import { z } from 'zod'
import { PULL_VERDICTS } from '../events/index.js'
import { evaluationObject, reviewObject } from './review-object.js'

/** Raise it when older stored states can no longer be parsed. */
export const SCHEMA_VERSION = 1

const historyEntry = z.object({ timestamp: z.iso.datetime(), agent: z.string(), message: z.string() })
export type HistoryEntry = z.infer<typeof historyEntry>

const OUTCOMES = ['approved', 'objections', 'objections_accepted', 'rejected', 'cancelled', 'failed'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Fields that every pipeline state has. Field names are data: stored runs contain them. */
export const basePipelineState = z.object({
  workflow_id: z.string(),
  pipeline_type: z.string(),
  profile_id: z.string(),
  created_at: z.iso.datetime(),
  schema_version: z.int().default(SCHEMA_VERSION),
  status: z.enum(['pending', 'running', 'paused', 'completed', 'failed']).default('pending'),
  outcome: z.enum(OUTCOMES).nullable().default(null),
  history: z.array(historyEntry).default([]),
  pending_user_input: z.boolean().default(false),
  user_message: z.string().nullable().default(null),
  driver_session_id: z.string().nullable().default(null),
  final_response: z.string().nullable().default(null),
  error: z.string().nullable().default(null),
})
export type BasePipelineState = z.infer<typeof basePipelineState>

const issue = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  status: z.string(),
  url: z.string().optional(),
})
export type Issue = z.infer<typeof issue>

const design = z.object({ content: z.string(), source: z.enum(['import', 'brainstorming', 'file']) })

const planValidation = z.object({
  valid: z.boolean(),
  issues: z.array(z.string()),
  severity: z.enum(['none', 'major', 'critical']),
})

const pipelineTask = z.object({
  number: z.string(),
  title: z.string().nullable(),
  status: z.enum(['open', 'running', 'approved', 'objections']),
  commit: z.string().nullable().optional(),
  iterations: z.int(),
  objections: z.array(z.string()),
  /** The person who accepted the objections. */
  accepted_by: z.string().optional(),
})
export type PipelineTask = z.infer<typeof pipelineTask>

const typedReview = reviewObject.extend({ type: z.string() })
export type TypedReview = z.infer<typeof typedReview>

/** Something in a pull request that needs an answer: a failed check, a thread, a comment. */
const pullItem = z.object({
  number: z.int().positive(),
  /** Names it in answers, so that it is answered once: what it is, and its newest comment. */
  key: z.string(),
  kind: z.enum(['check', 'thread', 'comment']),
  thread: z.string().nullable(),
  author: z.string(),
  is_bot: z.boolean(),
  file: z.string(),
  line: z.int().nullable(),
  body: z.string(),
  verdict: z.enum(PULL_VERDICTS).nullable(),
  reason: z.string(),
  reply: z.string(),
})
export type PullItem = z.infer<typeof pullItem>

const pullState = z.object({
  forge: z.enum(['github', 'gitlab']),
  number: z.int(),
  url: z.string(),
  title: z.string(),
  state: z.enum(['open', 'merged', 'closed']),
  base: z.string(),
  branch: z.string(),
  /** A URL if the branch is in another repository. */
  push_url: z.string().nullable(),
  /** The head that this run has seen or pushed: another one was pushed by someone else. */
  head: z.string(),
  checks: z.array(z.object({ name: z.string(), state: z.enum(['pending', 'passed', 'failed']) })),
  /** How often the same head was checked while its checks still ran. */
  waited: z.int(),
  round_limit: z.int(),
  items: z.array(pullItem),
  /** Keys of items that this run has dealt with. */
  settled: z.array(z.string()),
  /** Heads that a person did not want to merge. */
  unmerged: z.array(z.string()),
})
export type PullState = z.infer<typeof pullState>

/** The pipelines share one schema; `pipeline_type` distinguishes them. */
export const implementationState = basePipelineState.extend({
  pipeline_type: z.enum(['implementation', 'review', 'pull_request']),

  issue: issue.nullable().default(null),
  design: design.nullable().default(null),
  goal: z.string().nullable().default(null),
  base_commit: z.string().nullable().default(null),
  plan_markdown: z.string().nullable().default(null),
  raw_architect_output: z.string().nullable().default(null),
  plan_path: z.string().nullable().default(null),
  key_files: z.array(z.string()).default([]),
  external_plan: z.boolean().default(false),
  plan_hash: z.string().nullable().default(null),
  plan_revision_count: z.int().default(0),
  plan_validation: planValidation.nullable().default(null),
  tasks: z.array(pipelineTask).default([]),
  branch: z.string().nullable().default(null),
  worktree: z.string().nullable().default(null),

  human_approved: z.boolean().nullable().default(null),
  human_feedback: z.string().nullable().default(null),
  human_rejections: z.array(z.string()).default([]),

  last_review: typedReview.nullable().default(null),
  /** A file of the run: diffs are too large for a state. */
  code_changes_for_review: z.string().nullable().default(null),
  review_iteration: z.int().default(0),
  last_reviews: z.array(typedReview).default([]),

  total_tasks: z.int().nullable().default(null),
  current_task_index: z.int().default(0),
  task_review_iteration: z.int().default(0),
  /** Reviews of one task before a person is asked; "more" raises it. */
  task_review_limit: z.int().nullable().default(null),
  /** The tree when the task started: the Reviewer sees what changed since. */
  task_base: z.string().nullable().default(null),

  structured_review: typedReview.nullable().default(null),
  evaluation_result: evaluationObject.nullable().default(null),
  approved_items: z.array(z.int()).default([]),
  auto_approve: z.boolean().default(false),
  review_pass: z.int().default(0),
  max_review_passes: z.int().default(3),
  review_mode: z.enum(['review_only', 'review_fix']).default('review_fix'),
  review_types: z.array(z.string()).default(['general']),
  settled_items: z.array(z.string()).default([]),
  /** Serious items that this run will not fix, although they were not refuted. */
  open_objections: z.array(z.string()).default([]),

  /** The pull request of the branch, once it is open. */
  pull: pullState.nullable().default(null),
})
export type ImplementationState = z.infer<typeof implementationState>

/** Whether the Developer works on a task of the plan, not on items of a review or pull request. */
export function isOnTask({ pipeline_type: type, pull }: Pick<ImplementationState, 'pipeline_type' | 'pull'>): boolean {
  return type === 'implementation' && pull === null
}

const IMMUTABLE = ['workflow_id', 'pipeline_type', 'profile_id', 'created_at', 'schema_version'] as const

/** What a node changes. Entries of `history` are appended; everything else is replaced. */
export type StateUpdate = Partial<Omit<ImplementationState, (typeof IMMUTABLE)[number] | 'status'>>

export type Reduced =
  | { state: ImplementationState; changed: readonly (keyof ImplementationState)[] }
  | { problem: string }

/** Merges field by field, then parses the whole. An invalid update changes nothing. */
export function reduceState(state: ImplementationState, update: StateUpdate): Reduced {
  const forbidden = IMMUTABLE.find(field => field in update)
  if (forbidden !== undefined) return { problem: `"${forbidden}" cannot be changed` }
  const { history = [], ...rest } = update
  const merged = { ...state, ...rest, history: [...state.history, ...history] }
  const parsed = implementationState.safeParse(merged)
  if (!parsed.success) return { problem: describe(parsed.error) }
  const unknown = Object.keys(rest).find(field => !(field in parsed.data))
  if (unknown !== undefined) return { problem: `unknown field "${unknown}"` }
  const changed = (Object.keys(rest) as (keyof ImplementationState)[]).filter(
    field => JSON.stringify(parsed.data[field]) !== JSON.stringify(state[field]),
  )
  return { state: freeze(parsed.data), changed }
}

/** Parses a stored state. @throws Error that names every invalid field. */
export function parseState(value: unknown): ImplementationState {
  const parsed = implementationState.safeParse(value)
  if (!parsed.success) throw new TypeError(describe(parsed.error))
  return freeze(parsed.data)
}

function describe(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.') || 'state'}: ${message}`).join('; ')
}

/** Freezes deeply, so that a state cannot change after it was passed on. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) freeze(part)
  return Object.freeze(value)
}
