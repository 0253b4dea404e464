import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { GraphStep, StepCall } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { Git } from '../git/index.js'
import { type PipelineArgs, pipelineArgs } from './args.js'
import { DEFAULT_PLAN_PATH, resolvePlanPath } from './plan/plan-path.js'
import { issueOfText } from './trackers/file.js'

/**
 * The arguments of a pipeline whose DOT a person ejected and runs with `signalbox run`: the issue
 * is an input of the graph (a file or text), the agent of the run plays every role, and the run
 * works in the same place as any other graph run.
 */
export async function adHocArgs(call: StepCall, { work, context }: GraphStep, pipeline: string): Promise<PipelineArgs> {
  const { agent, model, permissions, workspace, inputs, isAutoApproved } = work.input
  if (agent === null)
    throw new SignalboxError('E_INPUT', 'the pipeline needs an agent', { next: 'signalbox run … --agent claude' })
  const level = permissions ?? 'edits'
  const player = (allowed: typeof level) => ({ agent, model, permissions: allowed, effort: null })
  const roles = {
    architect: player('edits'),
    developer: player(level),
    reviewer: player('read'),
    evaluator: player('read'),
  }
  const given = inputs.issue ?? String(context['graph.goal'] ?? '')
  const file = resolve(workspace.path, given)
  const issue = given !== '' && existsSync(file) ? issueOfText(readFileSync(file, 'utf8'), given) : titled(given)
  const createdAt = new Date(call.startedAt).toISOString()
  const base = workspace.base ?? (await new Git(workspace.path).head()) ?? 'HEAD'
  return pipelineArgs.parse({
    pipeline,
    workflowId: call.run,
    createdAt,
    profile: { name: 'default', roles },
    tracker: 'file',
    issue,
    planPath: resolvePlanPath(DEFAULT_PLAN_PATH, { createdAt: call.startedAt, issueKey: issue.id, run: call.run }),
    repository: workspace.path,
    place: {
      mode: workspace.branch === null ? 'in_place' : 'worktree',
      path: workspace.path,
      branch: workspace.branch,
      base,
      isNewBranch: false,
    },
    autoApprove: isAutoApproved,
    target: pipeline === 'review' ? { kind: 'local' } : null,
  })
}

function titled(text: string) {
  if (text.trim() === '')
    throw new SignalboxError('E_INPUT', 'no issue was given', { next: 'signalbox run … --input issue=issue.md' })
  return issueOfText(`# ${text}\n`, text)
}
