import { z } from 'zod'
import { DEFAULT_PLAN_PATH } from './plan/plan-path.js'

export const PIPELINE_ROLES = ['architect', 'developer', 'reviewer', 'evaluator'] as const
export type RoleName = (typeof PIPELINE_ROLES)[number]

/** The agent that plays a role. */
const player = z.object({
  agent: z.string(),
  model: z.string().nullable(),
  permissions: z.enum(['read', 'ask', 'edits', 'all']),
  effort: z.string().nullable(),
  /** For the agent `direct`. */
  endpoint: z.string().optional(),
  apiKeyEnv: z.string().optional(),
})
export type RoleAssignment = z.infer<typeof player>

const ACTS = ['push', 'open', 'comment', 'resolve'] as const

/** How a run treats its pull request. */
const pullPolicy = z.object({
  /**
   * Comments of people and of bots: ask which to fix, fix what must be fixed, or leave them alone.
   */
  people: z.enum(['ask', 'fix', 'ignore']).default('ask'),
  bots: z.enum(['ask', 'fix', 'ignore']).default('fix'),
  answersBots: z.boolean().default(false),
  fixesNits: z.boolean().default(false),
  maxRounds: z.int().default(5),
  pollS: z.number().default(120),
  /** Outward acts that need no decision. */
  allow: z.array(z.enum(ACTS)).default([]),
  merge: z.enum(['never', 'ask']).default('never'),
  mergeMethod: z.enum(['merge', 'squash', 'rebase']).default('squash'),
})

/**
 * A profile as the run uses it: copied when the run is created, so that later edits have no effect.
 */
export const profileCopy = z.object({
  name: z.string(),
  roles: z.object({
    architect: player,
    developer: player,
    reviewer: player,
    evaluator: player,
    /** Reviews all tasks but the last one, if another agent or model is enough for that. */
    task_reviewer: player.optional(),
  }),
  planPathPattern: z.string().default(DEFAULT_PLAN_PATH),
  commitPlan: z.boolean().default(true),
  commitPrefix: z.string().default('feat'),
  maxPlanRevisions: z.int().default(3),
  maxTaskReviews: z.int().default(5),
  maxReviewPasses: z.int().default(3),
  onUnapproved: z.enum(['ask', 'continue', 'stop']).default('ask'),
  reviewTypes: z.array(z.string()).min(1).default(['general']),
  /** Guidelines for review types that are not built in, by type. */
  guidelines: z.record(z.string(), z.string()).default({}),
  /** Command lines, as argument lists. */
  checks: z.array(z.array(z.string())).default([]),
  maxRetries: z.int().default(1),
  retryPolicy: z.string().default('standard'),
  worktreeCopy: z.array(z.string()).default([]),
  worktreeSetup: z.string().nullable().default(null),
  taskUsd: z.number().nullable().default(null),
  dayUsd: z.number().nullable().default(null),
  /** Custom prompts, by id, with the hash that each step records. */
  prompts: z.record(z.string(), z.object({ text: z.string(), hash: z.string() })).default({}),
  pull: pullPolicy.prefault({}),
})
export type ProfileCopy = z.infer<typeof profileCopy>

const issue = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  status: z.string(),
  url: z.string().optional(),
})

/** What to review. Revisions are commit ids, because names may move while the run waits. */
const reviewTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('local') }),
  z.object({ kind: z.literal('range'), from: z.string(), to: z.string(), label: z.string() }),
])
export type ReviewTarget = z.infer<typeof reviewTarget>

/** What a person found in the changes: the first review of the run, instead of a Reviewer's. */
export const finding = z.object({
  file: z.string().max(4096),
  line: z.int().positive().nullable().default(null),
  text: z.string().min(1).max(8_000),
})
export type GivenFinding = z.infer<typeof finding>

/** The pull request that a run opens or follows. */
const pullRequest = z.object({
  forge: z.enum(['github', 'gitlab']),
  /** One that exists; null: the run opens it. */
  number: z.int().nullable().default(null),
  /** Title and text, if the run does not write them from its plan and reviews. */
  title: z.string().nullable().default(null),
  body: z.string().nullable().default(null),
  base: z.string(),
  remote: z.string().default('origin'),
  isDraft: z.boolean().default(false),
  labels: z.array(z.string()).default([]),
  reviewers: z.array(z.string()).default([]),
  /** How long the run follows it: not at all, until nothing is open, until it is merged. */
  follow: z.enum(['no', 'green', 'merged']).default('no'),
})
export type PullRequestArgs = z.infer<typeof pullRequest>

/** All arguments of a pipeline run. They are stored with the run as JSON and never change. */
export const pipelineArgs = z.object({
  pipeline: z.string(),
  workflowId: z.string(),
  /** ISO 8601. */
  createdAt: z.string(),
  profile: profileCopy,
  tracker: z.string().default('noop'),
  issue: issue.nullable().default(null),
  design: z
    .object({ content: z.string(), source: z.enum(['import', 'brainstorming', 'file']) })
    .nullable()
    .default(null),
  /** A plan that a person supplied. */
  plan: z.string().nullable().default(null),
  planPath: z.string().nullable().default(null),
  repository: z.string(),
  /** Where the run works: in a worktree of its own, or directly in a directory. */
  workspace: z.object({
    mode: z.enum(['worktree', 'in_place']),
    path: z.string(),
    branch: z.string().nullable(),
    base: z.string(),
    /** Whether the run creates the branch. */
    isNewBranch: z.boolean(),
    /** The worktree exists from the start, and a worker has a copy of it: nothing else is there. */
    isPlaced: z.boolean().optional(),
    /** Files that were modified before the run started; it leaves them alone. */
    dirtyBefore: z.array(z.string()).default([]),
  }),
  autoApprove: z.boolean().default(false),
  planOnly: z.boolean().default(false),
  comment: z.boolean().default(false),
  target: reviewTarget.nullable().default(null),
  findings: z.array(finding).default([]),
  reviewMode: z.enum(['review_only', 'review_fix']).default('review_fix'),
  commitsFixes: z.boolean().default(false),
  pull: pullRequest.nullable().default(null),
})
export type PipelineArgs = z.infer<typeof pipelineArgs>

/** The name of the graph input that holds the arguments. */
export const ARGS_INPUT = 'pipeline.args'
