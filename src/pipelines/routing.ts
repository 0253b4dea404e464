import type { ImplementationState } from './state.js'

/*
 * The routes of the pipelines: pure functions of state and limits. The result is the name of the
 * next node, and every possible result is an edge of the graph.
 */

export interface RouteLimits {
  maxPlanRevisions: number
  maxTaskReviews: number
  maxReviewPasses: number
}

export const DEFAULT_LIMITS: RouteLimits = { maxPlanRevisions: 3, maxTaskReviews: 5, maxReviewPasses: 3 }

export function routeAfterPrepare(
  { external_plan, pipeline_type }: Pick<ImplementationState, 'external_plan' | 'pipeline_type'>,
  pull: { number: number | null } | null = null,
) {
  if (pipeline_type === 'pull_request') return pull?.number == null ? 'publish' : 'observe'
  return external_plan ? 'plan_validator' : 'architect'
}

/** An invalid plan goes back to the Architect up to the limit; then a person decides. */
export function routeAfterValidation(
  state: Pick<ImplementationState, 'plan_validation' | 'plan_revision_count' | 'external_plan'>,
  limits: RouteLimits,
) {
  if (state.plan_validation?.valid || state.external_plan) return 'human_approval'
  return state.plan_revision_count < limits.maxPlanRevisions ? 'architect' : 'human_approval'
}

export interface ReviewedTask {
  reviews: readonly boolean[]
  iteration: number
  maxReviews: number
}

/** All reviews must approve; an empty list is not an approval. */
export function routeAfterTaskReview({ reviews, iteration, maxReviews }: ReviewedTask) {
  if (reviews.length > 0 && reviews.every(Boolean)) return 'commit_task'
  return iteration < maxReviews ? 'developer' : 'objections'
}

export function routeAfterCommit(
  { current_task_index: index, total_tasks: total }: Pick<ImplementationState, 'current_task_index' | 'total_tasks'>,
  opensPull = false,
) {
  if (index + 1 < (total ?? 1)) return 'next_task'
  return opensPull ? 'publish' : 'finish'
}

/**
 * Findings are evaluated first. Without any, the review ends; whether it approved is its outcome.
 */
export function routeAfterReview({ items }: { items: number }) {
  return items === 0 ? 'finish' : 'evaluator'
}

export function routeAfterEvaluation({
  mode,
  toDecide,
}: {
  mode: ImplementationState['review_mode']
  /** Items that the Evaluator recommends to implement or wants clarified. */
  toDecide: number
}) {
  return mode === 'review_only' || toDecide === 0 ? 'finish' : 'items'
}

export function routeAfterItems({ approved, isPull }: { approved: number; isPull: boolean }) {
  if (approved > 0) return 'developer'
  return isPull ? 'answer' : 'finish'
}

export function routeAfterFixes({ pass, maxPasses, isPull }: { pass: number; maxPasses: number; isPull: boolean }) {
  if (isPull) return 'answer'
  return pass < maxPasses ? 'reviewer' : 'finish'
}
