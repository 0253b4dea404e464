import { newEvent } from '../../events/index.js'
import type { NodeContext, NodeResult } from '../node.js'
import { planFile } from '../plan/plan-path.js'
import { withSidecar } from '../plan/plan-sidecar.js'
import { type PlanReport, validatePlan } from '../plan/validate-plan.js'
import { routeAfterValidation } from '../routing.js'
import type { PipelineTask, StateUpdate } from '../state.js'
import { historyUpdate } from './history-update.js'
import { readOptional } from './text-file.js'

/** Checks the plan by rules; an invalid one goes back to the Architect, up to a limit. */
export async function planValidator(context: NodeContext): Promise<NodeResult> {
  const { state, args, call } = context
  const { report, notice } = checkPlan(context, state.plan_markdown ?? '')
  if (notice !== null) call.notice('warning', notice)
  const update = planUpdate(report)
  const { maxPlanRevisions, maxTaskReviews, maxReviewPasses } = args.profile
  const limits = { maxPlanRevisions, maxTaskReviews, maxReviewPasses }
  const route = routeAfterValidation({ ...state, plan_validation: update.plan_validation ?? null }, limits)
  return {
    route,
    update: {
      ...update,
      ...(route === 'architect' && { plan_revision_count: state.plan_revision_count + 1 }),
      history: historyUpdate(
        context,
        'plan_validator',
        report.isValid
          ? `the plan is valid: ${report.taskCount} tasks`
          : `the plan is not valid: ${report.issues.join(', ')}`,
      ),
    },
    events: [validated(state.plan_hash ?? '', report)],
  }
}

export function checkPlan(context: NodeContext, text: string): { report: PlanReport; notice: string | null } {
  const { state, cwd } = context
  const file = state.plan_path === null ? null : planFile(cwd, state.plan_path)
  const beside = file?.endsWith('.md') ? readOptional(file.replace(/\.md$/, '.json')) : null
  return withSidecar(validatePlan(text), beside)
}

export function planUpdate(report: PlanReport): StateUpdate {
  return {
    plan_validation: { valid: report.isValid, issues: report.issues, severity: report.severity },
    goal: report.goal,
    key_files: report.keyFiles,
    tasks: tasksOf(report),
    total_tasks: report.taskCount,
  }
}

/** A plan without tasks that a person approves anyway is one task. */
function tasksOf(report: PlanReport): PipelineTask[] {
  const open = { status: 'open' as const, iterations: 0, objections: [] }
  if (report.titles.length === 0) return [{ number: '1', title: report.goal, ...open }]
  return report.titles.map((title, index) => ({ number: report.numbers[index]!, title, ...open }))
}

export function validated(hash: string, report: PlanReport) {
  return newEvent('plan.validated', {
    hash,
    isValid: report.isValid,
    issues: [...report.issues],
    severity: report.severity,
    tasks: report.titles.length,
  })
}
