import type { PipelineArgs } from './args.js'
import { type ImplementationState, parseState, SCHEMA_VERSION } from './state.js'

export function initialState(args: PipelineArgs): ImplementationState {
  const { profile, workspace } = args
  return parseState({
    workflow_id: args.workflowId,
    pipeline_type: args.pipeline,
    profile_id: profile.name,
    created_at: args.createdAt,
    schema_version: SCHEMA_VERSION,
    issue: args.issue,
    design: args.design,
    external_plan: args.plan !== null,
    plan_path: args.planPath,
    branch: workspace.branch,
    worktree: workspace.path,
    auto_approve: args.autoApprove,
    task_review_limit: profile.maxTaskReviews,
    max_review_passes: profile.maxReviewPasses,
    review_mode: args.reviewMode,
    review_types: profile.reviewTypes,
  })
}
