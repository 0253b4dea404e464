import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { GateQuestion, Reply } from '../../engine/index.js'
import { newEvent } from '../../events/index.js'
import { isAutomatic, type PlanGatePayload, planQuestion } from '../gates.js'
import type { NodeContext, NodeResult } from '../node.js'
import { planFile } from '../plan/plan-path.js'
import type { StateUpdate } from '../state.js'
import { taskStarted } from './current-task.js'
import { historyUpdate } from './history-update.js'
import { checkPlan, planUpdate, validated } from './plan-validator.js'
import { hashOf, readOptional } from './text-file.js'
import { treeNow } from './working-tree.js'

/** A person approves the plan; automatically only a valid one, if the run is set to. */
export async function humanApproval(context: NodeContext): Promise<NodeResult> {
  const { reply, state, args } = context
  if (!reply) {
    const asked = await ask(context, null)
    const isAutomatic = state.auto_approve && !args.planOnly && state.plan_validation?.valid
    return isAutomatic ? { question: { ...asked.question, automatic: { option: 'approve' } } } : asked
  }
  switch (reply.option) {
    case 'approve':
      return reply.editedInput === undefined ? approveAsShown(context, reply) : approveEdited(context, reply)
    case 'edit':
      return approveEdited(context, reply)
    case 'replace':
      return replace(context, reply)
    case 'cancel':
      return cancel(context, reply)
    default:
      // "reject", or text without an option, is never an approval.
      return reject(context, reply)
  }
}

async function ask(context: NodeContext, problem: string | null): Promise<{ question: GateQuestion }> {
  return { question: planQuestion(await payloadOf(context), problem) }
}

async function payloadOf(context: NodeContext): Promise<PlanGatePayload> {
  const { state, step, directory, git } = context
  const plan = state.plan_markdown ?? ''
  const version = Number(step.context['internal.visit.human_approval'] ?? step.visit)
  const own = join(directory, `plan-${version}.md`)
  writeFileSync(own, plan)
  const before = join(directory, `plan-${version - 1}.md`)
  const hasBefore = version > 1 && readOptional(before) !== null
  const { stdout } = hasBefore
    ? await git.git.try(['diff', '--no-index', '--no-color', '--no-ext-diff', before, own])
    : { stdout: '' }
  return {
    gate: 'plan',
    goal: state.goal,
    plan_path: state.plan_path,
    plan_hash: state.plan_hash ?? hashOf(plan),
    plan_markdown: plan,
    version,
    validation: {
      valid: state.plan_validation?.valid ?? false,
      issues: [...(state.plan_validation?.issues ?? [])],
      severity: state.plan_validation?.severity ?? 'none',
    },
    tasks: state.tasks.map(({ number, title }) => ({ number, title })),
    key_files: [...state.key_files],
    is_salvaged:
      state.raw_architect_output !== null && state.raw_architect_output.trim() === plan.trim() && plan !== '',
    rejections: [...state.human_rejections],
    diff: hasBefore ? stdout.split('\n').slice(4).join('\n') : null,
  }
}

/**
 * A decision applies to the plan that was shown: if the file has changed since, it is another plan.
 */
async function approveAsShown(context: NodeContext, reply: Reply): Promise<NodeResult> {
  const { state, cwd } = context
  const now = state.plan_path === null ? null : readOptional(planFile(cwd, state.plan_path))
  if (now !== null && hashOf(now) !== state.plan_hash) {
    return {
      route: 'plan_validator',
      update: {
        ...newPlan(context, now),
        history: historyUpdate(context, reply.by, 'the plan changed after it was shown; asking again'),
      },
      events: [newEvent('plan.replaced', { before: state.plan_hash ?? '', hash: hashOf(now), by: 'file' })],
    }
  }
  return approve(context, { by: reply.by, isAutomatic: isAutomatic(reply), isEdited: false })
}

async function approveEdited(context: NodeContext, reply: Reply): Promise<NodeResult> {
  const text = planOf(reply)
  if (text === null) return ask(context, 'The answer contained no plan; include the edited plan.')
  const { state } = context
  writePlan(context, text)
  const replaced = newEvent('plan.replaced', { before: state.plan_hash ?? '', hash: hashOf(text), by: reply.by })
  const { report } = checkPlan(context, text)
  if (!report.isValid)
    return {
      route: 'plan_validator',
      update: {
        ...newPlan(context, text),
        history: historyUpdate(context, reply.by, 'edited the plan, which is now invalid'),
      },
      events: [replaced],
    }
  const edited = { ...planUpdate(report), plan_markdown: text, plan_hash: hashOf(text) }
  return approve(
    context,
    { by: reply.by, isAutomatic: false, isEdited: true },
    { update: edited, events: [replaced, validated(hashOf(text), report)] },
  )
}

async function replace(context: NodeContext, reply: Reply): Promise<NodeResult> {
  const text = planOf(reply)
  if (text === null) return ask(context, 'The answer contained no plan; include the new plan.')
  writePlan(context, text)
  return {
    route: 'plan_validator',
    update: { ...newPlan(context, text), history: historyUpdate(context, reply.by, 'replaced the plan') },
    events: [newEvent('plan.replaced', { before: context.state.plan_hash ?? '', hash: hashOf(text), by: reply.by })],
  }
}

/** A person's own plan goes back to them, whatever the check finds. */
function newPlan({ args }: NodeContext, text: string): StateUpdate {
  return { plan_markdown: text, plan_hash: hashOf(text), plan_revision_count: args.profile.maxPlanRevisions }
}

async function approve(
  context: NodeContext,
  { by, isAutomatic, isEdited }: { by: string; isAutomatic: boolean; isEdited: boolean },
  edited: { update: StateUpdate; events: ReturnType<typeof newEvent>[] } = { update: {}, events: [] },
): Promise<NodeResult> {
  const { state } = context
  const tasks = (edited.update.tasks ?? state.tasks).map((task, index) =>
    index === 0 ? { ...task, status: 'running' as const } : task,
  )
  const hash = edited.update.plan_hash ?? state.plan_hash ?? ''
  return {
    route: 'developer',
    update: {
      ...edited.update,
      tasks,
      human_approved: true,
      human_feedback: null,
      current_task_index: 0,
      task_review_iteration: 0,
      driver_session_id: null,
      task_base: await treeNow(context),
      history: historyUpdate(context, by, isEdited ? 'approved the plan with edits' : 'approved the plan'),
    },
    events: [...edited.events, newEvent('plan.approved', { hash, by, isEdited, isAutomatic }), taskStarted(tasks, 0)],
  }
}

async function reject(context: NodeContext, reply: Reply): Promise<NodeResult> {
  const { state } = context
  const feedback = (reply.text ?? reply.note ?? '').trim()
  if (feedback === '') return ask(context, 'A rejection needs feedback: what should be different?')
  return {
    route: 'architect',
    update: {
      human_approved: false,
      human_feedback: feedback,
      human_rejections: [...state.human_rejections, feedback],
      plan_revision_count: 0,
      plan_validation: null,
      external_plan: false,
      history: historyUpdate(context, reply.by, `rejected the plan: ${feedback}`),
    },
    events: [newEvent('plan.rejected', { hash: state.plan_hash ?? '', by: reply.by, feedback })],
  }
}

function cancel(context: NodeContext, reply: Reply): NodeResult {
  return {
    update: {
      human_approved: false,
      outcome: 'cancelled',
      history: historyUpdate(context, reply.by, 'cancelled the run at the plan'),
    },
    end: { status: 'cancelled', reason: 'declined', text: `${reply.by} declined the plan` },
  }
}

function planOf({ editedInput, text }: Reply): string | null {
  const edited = (editedInput as { plan_markdown?: unknown } | undefined)?.plan_markdown
  const found = typeof edited === 'string' ? edited : text
  return found === undefined || found.trim() === '' ? null : found
}

function writePlan({ state, cwd }: NodeContext, text: string): void {
  if (state.plan_path === null) return
  const file = planFile(cwd, state.plan_path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
