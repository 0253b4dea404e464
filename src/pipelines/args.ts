import { z } from 'zod'
import { DEFAULT_PLAN_PATH } from './plan/plan-path.js'

export const ROLES = ['architect', 'developer', 'reviewer', 'evaluator'] as const
export type RoleName = (typeof ROLES)[number]

/** Who plays a role. */
const player = z.object({
  agent: z.string(),
  model: z.string().nullable(),
  permissions: z.enum(['read', 'ask', 'edits', 'all']),
  effort: z.string().nullable(),
  /** For the agent `direct`. */
  endpoint: z.string().optional(),
  apiKeyEnv: z.string().optional(),
})
export type Player = z.infer<typeof player>

/** A profile as a run has it: copied when the run is made, so that later edits change nothing. */
export const profileCopy = z.object({
  name: z.string(),
  roles: z.object({ architect: player, developer: player, reviewer: player, evaluator: player }),
  planPathPattern: z.string().default(DEFAULT_PLAN_PATH),
  commitPlan: z.boolean().default(true),
  commitPrefix: z.string().default('feat'),
  maxPlanRevisions: z.int().default(3),
  maxTaskReviews: z.int().default(5),
  maxReviewPasses: z.int().default(3),
  onUnapproved: z.enum(['ask', 'continue', 'stop']).default('ask'),
  reviewTypes: z.array(z.string()).min(1).default(['general']),
  /** Guidelines of the types of review that are not built in, by type. */
  guidelines: z.record(z.string(), z.string()).default({}),
  /** Command lines, as words. */
  checks: z.array(z.array(z.string())).default([]),
  maxRetries: z.int().default(1),
  retryPolicy: z.string().default('standard'),
  worktreeCopy: z.array(z.string()).default([]),
  worktreeSetup: z.string().nullable().default(null),
  taskUsd: z.number().nullable().default(null),
  dayUsd: z.number().nullable().default(null),
  /** Prompts that the person wrote, by id; with the hash that each step records. */
  prompts: z.record(z.string(), z.object({ text: z.string(), hash: z.string() })).default({}),
})
export type ProfileCopy = z.infer<typeof profileCopy>

const issue = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  status: z.string(),
  url: z.string().optional(),
})

/** What is reviewed. Revisions are commits: names may move while the run waits. */
export const reviewTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('local') }),
  z.object({ kind: z.literal('range'), from: z.string(), to: z.string(), label: z.string() }),
])
export type ReviewTarget = z.infer<typeof reviewTarget>

/** Everything that a run of a pipeline is told at its beginning. It is kept with the run as JSON and never changes. */
export const pipelineArgs = z.object({
  pipeline: z.string(),
  workflowId: z.string(),
  /** ISO time. */
  createdAt: z.string(),
  profile: profileCopy,
  tracker: z.string().default('noop'),
  issue: issue.nullable().default(null),
  design: z
    .object({ content: z.string(), source: z.enum(['import', 'brainstorming', 'file']) })
    .nullable()
    .default(null),
  /** A plan that a person brought. */
  plan: z.string().nullable().default(null),
  planPath: z.string().nullable().default(null),
  repository: z.string(),
  /** Where the run works: a worktree of its own, or a directory as it is. */
  place: z.object({
    mode: z.enum(['worktree', 'in_place']),
    path: z.string(),
    branch: z.string().nullable(),
    base: z.string(),
    /** Whose worktree it is to git, where it is another than the run's own. */
    isNewBranch: z.boolean(),
    /** Files that were changed before the run began, and stay as they are. */
    dirtyBefore: z.array(z.string()).default([]),
  }),
  autoApprove: z.boolean().default(false),
  planOnly: z.boolean().default(false),
  comment: z.boolean().default(false),
  target: reviewTarget.nullable().default(null),
  reviewMode: z.enum(['review_only', 'review_fix']).default('review_fix'),
  /** Whether fixes of a review are committed. */
  commitsFixes: z.boolean().default(false),
})
export type PipelineArgs = z.infer<typeof pipelineArgs>

/** The input of the graph's run that holds the arguments. */
export const ARGS_INPUT = 'pipeline.args'
