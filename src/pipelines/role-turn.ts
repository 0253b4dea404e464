import { type HeadlessEnd, kindOfTool } from '../agents/index.js'
import { type AgentTurn, failedTurn, type StepCall, type Usage } from '../engine/index.js'
import { newEvent } from '../events/index.js'
import { canonicalJson } from '../text/index.js'
import type { RoleAssignment, RoleName } from './args.js'
import type { NodeContext, NodeResult } from './node.js'
import type { RolePrompt } from './prompts/role-prompts.js'
import { isOnTask } from './state.js'
import { judgeTool, type RequestedTool } from './tool-policy.js'

export interface RoleTurn {
  role: RoleName
  prompt: RolePrompt
  /** The agent's own session to continue. */
  resume?: string | null
  schema?: object
  /** Distinguishes the turns of a node that has several. */
  part?: string
}

const THRESHOLDS = {
  inactivityMs: 300_000,
  toolInactivityMs: 900_000,
  exitGraceMs: 5_000,
  killGraceMs: 5_000,
  timeoutMs: 0,
}
const INPUT_MAX = 500
/** From this share on, a conversation is reported as nearly full. */
const FULL_SHARE = 0.8

/** The agent of a role. The task reviewer of the profile reviews all tasks but the last one. */
export function playerOf({ args, state }: Pick<NodeContext, 'args' | 'state'>, role: RoleName): RoleAssignment {
  const { roles } = args.profile
  const isEarlier = isOnTask(state) && state.current_task_index < (state.total_tasks ?? 1) - 1
  return (role === 'reviewer' && isEarlier ? roles.task_reviewer : undefined) ?? roles[role]
}

/** One turn of the agent that plays a role, under its policy; usage by role and task. */
export async function playRole(context: NodeContext, turn: RoleTurn): Promise<HeadlessEnd> {
  const { args, services, cwd, state } = context
  const player = playerOf(context, turn.role)
  const call = callOf(context, turn.part)
  const agentTurn: AgentTurn = {
    agent: player.agent,
    model: player.model,
    effort: player.effort,
    permissions: player.permissions,
    cwd,
    prompt: turn.prompt.text,
    resume: turn.resume ?? null,
    schema: turn.schema ?? null,
    maxCostUsd: call.costLeftUsd ?? null,
    ...(player.endpoint !== undefined && { endpoint: player.endpoint }),
    ...(player.apiKeyEnv !== undefined && { apiKeyEnv: player.apiKeyEnv }),
    thresholds: THRESHOLDS,
  }
  const decide = (tool: RequestedTool, isAfterwards: boolean) => {
    const verdict = judgeTool(turn.role, tool, cwd)
    const isAllowed = verdict.decision === 'allow'
    // Calls that were already made and allowed are in the activities; a person's decisions are in
    // the ledger.
    if (isAfterwards ? verdict.decision === 'deny' : verdict.decision !== 'ask')
      call.record(
        newEvent('tool.decided', {
          step: call.step,
          role: turn.role,
          tool: tool.tool,
          input: services.redactor.redact(canonicalJson(tool.input ?? null)).slice(0, INPUT_MAX),
          isAllowed,
          isAfterwards,
          reason: verdict.reason,
        }),
      )
    return verdict
  }
  const end = await services.agents.run(call, agentTurn, {
    judge: request => {
      // Requests name their tool but not its kind; a person judges an unknown tool.
      const { tool, input } = request
      const verdict = decide({ tool, kind: kindOfTool(tool), input }, false)
      if (verdict.decision === 'allow') return { isAllowed: true }
      if (verdict.decision === 'deny') return { isAllowed: false, message: verdict.reason }
      // An auto-approved run has no person to ask, and never approves on their behalf.
      return args.autoApprove ? { isAllowed: false, message: `${verdict.reason}, and no person can be asked` } : null
    },
    onActivity: activity => {
      if (activity.type === 'usage' && activity.context) reportFullness(call, turn.role, activity.context)
      if (activity.type === 'tool_call' && player.permissions !== 'ask')
        decide({ tool: activity.tool, kind: activity.kind, input: activity.input }, true)
    },
  })
  call.record(
    newEvent('usage.recorded', {
      step: call.step,
      role: turn.role,
      agent: player.agent,
      model: player.model,
      task: isOnTask(state) && state.human_approved ? state.current_task_index + 1 : null,
      iteration: isOnTask(state) ? state.task_review_iteration : state.review_pass,
      prompt: { id: turn.prompt.used.id, hash: turn.prompt.used.hash },
      ...(end.usage && { usage: end.usage }),
    }),
  )
  return end
}

/** An agent whose conversation is nearly full forgets: report it before that. */
function reportFullness(call: StepCall, role: RoleName, { used, window }: { used: number; window: number }): void {
  if (used < window * FULL_SHARE) return
  const share = Math.floor((used / window) * 100)
  call.notice(
    'warning',
    `the conversation of the ${role} uses ${share}% of the context window of its model (${used} of ${window})`,
  )
}

/** A part of a step has its own files, mark and name: `reviewer:security@2#1`. */
export function callOf({ call }: Pick<NodeContext, 'call'>, part: string | undefined): StepCall {
  if (part === undefined) return call
  const step = call.step.replace('@', `:${part}@`)
  return { ...call, step, name: `${call.run}/${step}` }
}

export function turnFailed(end: HeadlessEnd): NodeResult {
  return { failed: failedTurn(end), ...usageOf(end) }
}

export function usageOf({ usage }: HeadlessEnd): { usage?: Usage } {
  return usage ? { usage } : {}
}
